#include "tools/teg/info_cubin.h"

#include <inttypes.h>
#include <stdio.h>

#include "config/occupancy.h"
#include "isa/fatbin.h"
#include "isa/sass.h"
#include "tools/teg/report.h"

struct counts {
    uint64_t instructions, unknown;
};

struct view {
    const struct teg_gpu *gpu; /* borrowed; may be NULL */
    uint32_t threads;          /* of a block, for the occupancy */
};

bool info_is_cubin(const char *path)
{
    uint8_t head[32];
    FILE *f = fopen(path, "rb");
    size_t got;

    if (f == NULL)
        return false;
    got = fread(head, 1, sizeof head, f);
    fclose(f);
    return teg_fatbin_recognise(head, got);
}

static struct counts count(const struct teg_cubin *c,
                           const struct teg_cubin_kernel *k)
{
    struct counts n = {0};

    for (uint64_t pc = 0;
         k->code.data != NULL && pc + TEG_SASS_BYTES <= k->code.size;
         pc += TEG_SASS_BYTES) {
        struct teg_sass s;

        n.instructions++;
        n.unknown += !teg_sass_supports(c->sm) ||
                     !teg_sass_decode(&s, k->code.data + pc, pc, c->sm);
    }
    return n;
}

static void print_params(const struct teg_cubin_kernel *k)
{
    if (!k->has_params) {
        printf("   parameters: not described\n");
        return;
    }
    printf("   parameters (%u bytes at c[0x0][0x%x]):", k->param_bytes,
           k->param_base);
    for (uint32_t i = 0; i < k->param_count; i++)
        printf("%s %u: %u byte%s at 0x%x", i > 0 ? "," : "",
               k->param[i].ordinal, k->param[i].size,
               k->param[i].size == 1 ? "" : "s", k->param[i].offset);
    printf("%s\n", k->param_count == 0 ? " none" : "");
}

/* Threads of a block to judge by: what the kernel demands, else allows. */
static uint32_t threads_of(const struct teg_cubin_kernel *k, uint32_t asked)
{
    uint64_t required = (uint64_t)k->required_threads[0] *
                        k->required_threads[1] * k->required_threads[2];
    uint64_t most =
        (uint64_t)k->max_threads[0] * k->max_threads[1] * k->max_threads[2];

    if (required > 0 && required <= 1024)
        return (uint32_t)required;
    if (most > 0 && most < asked)
        return (uint32_t)most;
    return asked;
}

static void print_occupancy(const struct view *v,
                            const struct teg_cubin_kernel *k)
{
    uint32_t threads = threads_of(k, v->threads);
    struct teg_occupancy o;
    struct teg_diag d;

    if (v->gpu == NULL || !k->is_entry)
        return;
    if (teg_occupancy(v->gpu, threads, k->registers, (uint32_t)k->shared_bytes,
                      &o, &d) != TEG_OK) {
        printf("   blocks of %u threads do not fit: %s\n", threads, d.what);
        return;
    }
    printf("   blocks of %u threads on %s: %u blocks, %u warps per SM, "
           "limited by %s\n",
           threads, v->gpu->name, o.blocks_per_sm, o.warps_per_sm,
           teg_occupancy_limit_name(o.limit));
}

static void print_resources(const struct view *v, const struct teg_cubin *c,
                            const struct teg_cubin_kernel *k, uint32_t number)
{
    struct counts n = count(c, k);
    char a[28];

    printf("\n%u  %s%s\n", number, k->name,
           k->is_entry ? "" : " (device function)");
    printf("   %u registers, %s bytes shared", k->registers,
           with_commas(k->shared_bytes, a));
    if (k->shared_reserved > 0)
        printf(" + %s reserved", with_commas(k->shared_reserved, a));
    printf(", %s bytes local", with_commas(k->local_bytes, a));
    printf(", %s bytes of constants", with_commas(k->constant2.size, a));
    printf(", %u barrier%s\n", k->barriers, k->barriers == 1 ? "" : "s");
    printf("   %s instructions", with_commas(n.instructions, a));
    if (n.unknown > 0)
        printf(", %s unknown", with_commas(n.unknown, a));
    if (k->max_threads[0] > 0)
        printf(", at most %u x %u x %u threads", k->max_threads[0],
               k->max_threads[1], k->max_threads[2]);
    if (k->cluster[0] > 0)
        printf(", clusters of %u x %u x %u blocks", k->cluster[0],
               k->cluster[1], k->cluster[2]);
    printf("\n");
    if (k->is_entry)
        print_params(k);
    print_occupancy(v, k);
}

static void print_file(const struct teg_cubin *c)
{
    char a[28];

    printf("%s: cubin%s for sm_%u (CUDA %s), %s bytes, %u %s%s\n", c->path,
           c->is_relocatable ? ", relocatable," : "", c->sm,
           c->is_cuda13 ? "13" : "11 or 12", with_commas(c->file_size, a),
           c->kernel_count, c->is_relocatable ? "function" : "kernel",
           c->kernel_count == 1 ? "" : "s");
}

static void print_variables(const struct teg_cubin *c)
{
    char a[28];

    if (c->constant3.size > 0)
        printf("   %s bytes of __constant__ variables\n",
               with_commas(c->constant3.size, a));
    if (c->global_init.size + c->global_zero.size > 0)
        printf("   %s bytes of __device__ variables\n",
               with_commas(c->global_init.size + c->global_zero.size, a));
}

static json_t *params_json(const struct teg_cubin_kernel *k)
{
    json_t *list;

    if (!k->has_params)
        return json_null();
    list = json_array();
    for (uint32_t i = 0; i < k->param_count; i++)
        json_array_append_new(list, json_pack("{s:i, s:i, s:i}", "ordinal",
                                              (int)k->param[i].ordinal,
                                              "offset", (int)k->param[i].offset,
                                              "size", (int)k->param[i].size));
    return list;
}

static json_t *occupancy_json(const struct view *v,
                              const struct teg_cubin_kernel *k)
{
    uint32_t threads = threads_of(k, v->threads);
    struct teg_occupancy o;
    struct teg_diag d;

    if (v->gpu == NULL || !k->is_entry ||
        teg_occupancy(v->gpu, threads, k->registers, (uint32_t)k->shared_bytes,
                      &o, &d) != TEG_OK)
        return json_null();
    return json_pack("{s:i, s:i, s:i, s:s}", "threads", (int)threads,
                     "blocks_per_sm", (int)o.blocks_per_sm, "warps_per_sm",
                     (int)o.warps_per_sm, "limiter",
                     teg_occupancy_limit_name(o.limit));
}

static json_t *resources_json(const struct view *v, const struct teg_cubin *c,
                              const struct teg_cubin_kernel *k)
{
    struct counts n = count(c, k);

    return json_pack(
        "{s:s, s:b, s:i, s:I, s:I, s:I, s:i, s:I, s:I, s:i, s:i, s:o, s:o}",
        "name", k->name, "entry", k->is_entry, "registers", (int)k->registers,
        "shared_bytes", (json_int_t)k->shared_bytes, "local_bytes",
        (json_int_t)k->local_bytes, "constant_bytes",
        (json_int_t)k->constant2.size, "barriers", (int)k->barriers,
        "instructions", (json_int_t)n.instructions, "unknown_instructions",
        (json_int_t)n.unknown, "parameter_base", (int)k->param_base,
        "parameter_bytes", (int)k->param_bytes, "parameters", params_json(k),
        "occupancy", occupancy_json(v, k));
}

static json_t *cubin_json(const struct view *v, const struct teg_cubin *c)
{
    json_t *kernels = json_array();

    for (uint32_t i = 0; i < c->kernel_count; i++)
        json_array_append_new(kernels, resources_json(v, c, &c->kernel[i]));
    return json_pack("{s:s, s:i, s:s, s:b, s:I, s:o}", "format", "cubin", "isa",
                     (int)c->sm, "toolkit", c->is_cuda13 ? "13" : "11 or 12",
                     "relocatable", c->is_relocatable, "bytes",
                     (json_int_t)c->file_size, "kernels", kernels);
}

static json_t *ptx_json(const struct teg_fatbin_entry *e)
{
    return json_pack("{s:s, s:i, s:I}", "format", "ptx", "isa", (int)e->sm,
                     "bytes", (json_int_t)e->size);
}

static int entry_json(const struct view *v, const struct teg_fatbin *f,
                      uint32_t i, json_t *list)
{
    struct teg_cubin c;
    struct teg_diag d;

    if (f->entry[i].is_ptx) {
        json_array_append_new(list, ptx_json(&f->entry[i]));
        return EXIT_DONE;
    }
    if (teg_fatbin_cubin(f, i, &c, &d) != TEG_OK)
        return say_fault(&d);
    json_array_append_new(list, cubin_json(v, &c));
    teg_cubin_release(&c);
    return EXIT_DONE;
}

/* Columns that are there, if empty, also where nothing is known. */
static void spread_occupancy(json_t *row)
{
    static const char *const keys[] = {"threads", "blocks_per_sm",
                                       "warps_per_sm", "limiter"};
    json_t *o = json_incref(json_object_get(row, "occupancy"));

    json_object_del(row, "occupancy");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(o, keys[i]);

        json_object_set_new(row, keys[i],
                            value != NULL ? json_incref(value) : json_null());
    }
    json_decref(o);
}

/* A row per kernel of each piece; parameters are left to JSON. */
static json_t *kernel_rows(json_t *entries)
{
    json_t *rows = json_array(), *entry, *kernel;
    size_t i, k;

    json_array_foreach(entries, i, entry)
    {
        json_array_foreach(json_object_get(entry, "kernels"), k, kernel)
        {
            json_t *row = json_object();

            json_object_set(row, "isa", json_object_get(entry, "isa"));
            json_object_update(row, kernel);
            json_object_del(row, "parameters");
            spread_occupancy(row);
            json_array_append_new(rows, row);
        }
    }
    json_decref(entries);
    return rows;
}

static int print_data(const struct view *v, const struct teg_fatbin *f,
                      uint32_t format)
{
    json_t *list = json_array();
    int status = EXIT_DONE;

    for (uint32_t i = 0; status == EXIT_DONE && i < f->count; i++)
        status = entry_json(v, f, i, list);
    if (status != EXIT_DONE) {
        json_decref(list);
        return status;
    }
    if (format == FORMAT_CSV)
        return output_csv(NULL, "isa,name", kernel_rows(list));
    return output_json(
        NULL, json_pack("{s:o, s:s, s:s, s:I, s:o}", "teg", teg_json(), "file",
                        f->path, "format", f->is_cubin ? "cubin" : "fatbin",
                        "bytes", (json_int_t)f->file_size, "entries", list));
}

static int print_entry(const struct view *v, const struct teg_fatbin *f,
                       uint32_t i)
{
    static const char *const packings[] = {"", ", LZ4", ", zstd"};
    const struct teg_fatbin_entry *e = &f->entry[i];
    struct teg_cubin c;
    struct teg_diag d;
    char a[28];

    if (!f->is_cubin)
        printf("\n%s for sm_%u, %s bytes%s\n", e->is_ptx ? "PTX" : "cubin",
               e->sm, with_commas(e->size, a), packings[e->packing]);
    if (e->is_ptx)
        return EXIT_DONE;
    if (teg_fatbin_cubin(f, i, &c, &d) != TEG_OK)
        return say_fault(&d);
    if (f->is_cubin)
        print_file(&c);
    print_variables(&c);
    for (uint32_t k = 0; k < c.kernel_count; k++)
        print_resources(v, &c, &c.kernel[k], k + 1);
    teg_cubin_release(&c);
    return EXIT_DONE;
}

static int print_text(const struct view *v, const struct teg_fatbin *f)
{
    int status = EXIT_DONE;
    char a[28];

    if (!f->is_cubin)
        printf("%s: %s bytes, device code in %u piece%s\n", f->path,
               with_commas(f->file_size, a), f->count,
               f->count == 1 ? "" : "s");
    for (uint32_t i = 0; status == EXIT_DONE && i < f->count; i++)
        status = print_entry(v, f, i);
    return status;
}

int info_cubin(const char *path, const struct teg_gpu *gpu, uint32_t threads,
               uint32_t format)
{
    const struct view v = {gpu, threads};
    struct teg_fatbin f;
    struct teg_diag d;
    int status;

    if (teg_fatbin_open(&f, path, &d) != TEG_OK)
        return say_fault(&d);
    status =
        format == FORMAT_TEXT ? print_text(&v, &f) : print_data(&v, &f, format);
    teg_fatbin_release(&f);
    return status;
}
