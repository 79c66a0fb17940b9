#include "tools/teg/sweep/digest.h"

#include "tools/teg/pool/pool.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HASHED_BYTES = 64 << 20, /* of a trace */
};

/* FNV-1a, 64 bits. */
static void hash_bytes(uint64_t *hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ at[i]) * 0x100000001b3u;
}

/* With the final NUL, so that "ab" "c" is not "a" "bc". */
static void hash_text(uint64_t *hash, const char *text)
{
    hash_bytes(hash, text, strlen(text) + 1);
}

static void hash_number(uint64_t *hash, uint64_t v)
{
    hash_bytes(hash, &v, sizeof v);
}

/* A worker is told what comes of it. */
static int hash_file(uint64_t *hash, const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *f;
    struct stat st;
    struct teg_diag d;
    size_t left = HASHED_BYTES, n;

    if (pool_is_worker())
        return EXIT_DONE;
    f = fopen(path, "rb");
    if (f == NULL || fstat(fileno(f), &st) != 0) {
        if (f != NULL)
            fclose(f);
        teg_fail_errno(&d, path, "read");
        return say_fault(&d);
    }
    hash_number(hash, (uint64_t)st.st_size);
    while (left > 0 && (n = fread(bytes, 1, sizeof bytes, f)) > 0) {
        hash_bytes(hash, bytes, n);
        left -= n < left ? n : left;
    }
    fclose(f);
    return EXIT_DONE;
}

int sweep_hash_listed(struct sweep_plan *plan, const struct job *job)
{
    int status = EXIT_DONE;

    for (uint32_t i = 0; status == EXIT_DONE && i < job->kernel_count &&
                         teg_trace_is_list(job->trace);
         i++) {
        const char *path = teg_trace_kernel_path(job->trace, job->kernel[i]);

        if (access(path, R_OK) == 0)
            status = hash_file(&plan->listed, path);
    }
    return status;
}

static void hash_gpu(uint64_t *hash, const struct teg_gpu *gpu)
{
    hash_text(hash, gpu->name);
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        hash_text(hash, gpu->fact[i].key);
        hash_text(hash, gpu->fact[i].value);
    }
}

int sweep_find_digest(struct sweep_plan *plan)
{
    const struct sweep_request *r = plan->request;
    uint64_t hash = 0xcbf29ce484222325u;
    int status = EXIT_DONE;

    hash_text(&hash, TEG_VERSION);
    hash_number(&hash, TEG_JSON_SCHEMA);
    hash_number(&hash, r->registers);
    hash_number(&hash, r->sms);
    hash_number(&hash, r->sampling);
    hash_number(&hash, r->caches);
    hash_text(&hash, r->similar != NULL ? r->similar : "");
    hash_text(&hash, r->isa != NULL ? r->isa : "");
    for (uint32_t a = 0; a < plan->axes; a++) {
        hash_text(&hash, plan->axis[a].key);
        for (uint32_t v = 0; v < plan->axis[a].count; v++)
            hash_text(&hash, plan->axis[a].value[v]);
    }
    for (uint32_t i = 0; i < plan->axis[0].count; i++)
        hash_number(&hash, plan->launch[i].kernel);
    for (uint32_t g = 0; g < plan->gpus; g++)
        hash_gpu(&hash, plan->gpu[g]);
    hash_number(&hash, plan->listed);
    for (int i = 0; status == EXIT_DONE && i < r->traces; i++)
        status = hash_file(&hash, r->trace[i]);
    snprintf(plan->digest, sizeof plan->digest, "%016" PRIx64, hash);
    return status == EXIT_DONE ? pool_share(plan->digest, sizeof plan->digest)
                               : status;
}
