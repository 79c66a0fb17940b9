#include "tools/teg/commands/info_cubin.h"

#include <inttypes.h>
#include <stdio.h>

#include "config/occupancy.h"
#include "isa/sass/sass.h"
#include "tools/teg/cli/device_code.h"
#include "tools/teg/report/report.h"

struct counts {
    uint64_t instructions, unknown;
    uint32_t registers; /* up to the highest that the code names */
};

struct view {
    const struct teg_gpu *gpu; /* borrowed; may be NULL */
    uint32_t threads;          /* of a block, for the occupancy */
};

static void count_registers(struct counts *n, const struct teg_sass *s)
{
    struct teg_inst inst;

    teg_sass_inst(s, &inst);
    for (unsigned i = 0; i < inst.dst_count + inst.src_count; i++) {
        const struct teg_regs *r =
            i < inst.dst_count ? &inst.dst[i] : &inst.src[i - inst.dst_count];
        uint32_t end = r->first + r->count;

        if (r->first < TEG_REG_P && end > n->registers)
            n->registers = end;
    }
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
        if (teg_sass_supports(c->sm) &&
            teg_sass_decode(&s, k->code.data + pc, pc, c->sm))
            count_registers(&n, &s);
        else
            n.unknown++;
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

/* Of a listing: what the text tells. */
static void print_told(const struct view *v, const struct teg_cubin_kernel *k,
                       const struct counts *n)
{
    char a[28];

    if (k->registers > 0)
        printf("   %u registers", k->registers);
    else
        printf("   %u registers or more", n->registers);
    if (k->barriers > 0)
        printf(", %u barrier%s", k->barriers, k->barriers == 1 ? "" : "s");
    printf("\n   %s instructions", with_commas(n->instructions, a));
    if (n->unknown > 0)
        printf(", %s unknown", with_commas(n->unknown, a));
    printf("\n");
    if (v->gpu != NULL && k->is_entry)
        printf("   blocks on %s: n/a, a listing does not tell shared memory\n",
               v->gpu->name);
}

static void print_resources(const struct view *v, const struct teg_cubin *c,
                            const struct teg_cubin_kernel *k, uint32_t number)
{
    struct counts n = count(c, k);
    char a[28], name[TEG_NAME_MAX];

    printf("\n%u  %s%s\n", number, teg_name_readable(k->name, NAME_FULL, name),
           k->is_entry ? "" : " (device function)");
    if (teg_name_is_mangled(k->name))
        printf("   %s\n", k->name);
    if (c->origin != CUBIN_FROM_ELF) {
        print_told(v, k, &n);
        return;
    }
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

/* Of a listing: null is what the text does not tell. */
static json_t *told_json(const struct teg_cubin_kernel *k,
                         const struct counts *n)
{
    return json_pack(
        "{s:s, s:o, s:b, s:o, s:n, s:n, s:n, s:o, s:I, s:I, s:n, s:n, s:n, "
        "s:n}",
        "name", k->name, "demangled", demangled_json(k->name), "entry",
        k->is_entry, "registers",
        k->registers > 0 ? json_integer(k->registers) : json_null(),
        "shared_bytes", "local_bytes", "constant_bytes", "barriers",
        k->barriers > 0 ? json_integer(k->barriers) : json_null(),
        "instructions", (json_int_t)n->instructions, "unknown_instructions",
        (json_int_t)n->unknown, "parameter_base", "parameter_bytes",
        "parameters", "occupancy");
}

static json_t *resources_json(const struct view *v, const struct teg_cubin *c,
                              const struct teg_cubin_kernel *k)
{
    struct counts n = count(c, k);

    if (c->origin != CUBIN_FROM_ELF)
        return told_json(k, &n);
    return json_pack(
        "{s:s, s:o, s:b, s:i, s:I, s:I, s:I, s:i, s:I, s:I, s:i, s:i, s:o, "
        "s:o}",
        "name", k->name, "demangled", demangled_json(k->name), "entry",
        k->is_entry, "registers", (int)k->registers, "shared_bytes",
        (json_int_t)k->shared_bytes, "local_bytes", (json_int_t)k->local_bytes,
        "constant_bytes", (json_int_t)k->constant2.size, "barriers",
        (int)k->barriers, "instructions", (json_int_t)n.instructions,
        "unknown_instructions", (json_int_t)n.unknown, "parameter_base",
        (int)k->param_base, "parameter_bytes", (int)k->param_bytes,
        "parameters", params_json(k), "occupancy", occupancy_json(v, k));
}

static json_t *cubin_json(const struct view *v, const struct teg_cubin *c)
{
    json_t *kernels = json_array();

    for (uint32_t i = 0; i < c->kernel_count; i++)
        json_array_append_new(kernels, resources_json(v, c, &c->kernel[i]));
    if (c->origin != CUBIN_FROM_ELF)
        return json_pack("{s:s, s:i, s:b, s:I, s:o}", "format", "listing",
                         "isa", (int)c->sm, "encodings",
                         c->origin == CUBIN_FROM_WORDS, "bytes",
                         (json_int_t)c->file_size, "kernels", kernels);
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

static int entry_json(const struct view *v, struct code *code, uint32_t i,
                      json_t *list)
{
    struct teg_cubin c;
    int status;

    if (!code_is_cubin(code, i, 0)) {
        json_array_append_new(list, ptx_json(&code->fatbin.entry[i]));
        return EXIT_DONE;
    }
    status = code_cubin(code, i, &c);
    if (status != EXIT_DONE)
        return status;
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

static const char *format_name(const struct code *code)
{
    return code->kind == CODE_LISTING ? "listing"
           : code->fatbin.is_cubin    ? "cubin"
                                      : "fatbin";
}

static int print_data(const struct view *v, struct code *code, uint64_t bytes,
                      uint32_t format)
{
    json_t *list = json_array();
    int status = EXIT_DONE;

    for (uint32_t i = 0; status == EXIT_DONE && i < code->count; i++)
        status = entry_json(v, code, i, list);
    if (status != EXIT_DONE) {
        json_decref(list);
        return status;
    }
    if (format == FORMAT_CSV)
        return output_csv(NULL, "isa,name", kernel_rows(list));
    return output_json(NULL, json_pack("{s:o, s:s, s:s, s:I, s:o}", "teg",
                                       teg_json(), "file", code->path, "format",
                                       format_name(code), "bytes",
                                       (json_int_t)bytes, "entries", list));
}

static void print_head(const struct code *code, uint32_t i,
                       const struct teg_cubin *c)
{
    static const char *const packings[] = {"", ", LZ4", ", zstd"};
    const struct teg_fatbin_entry *e;
    char a[28];

    if (code->kind == CODE_LISTING) {
        printf("\ncode for sm_%u, %u function%s\n", c->sm, c->kernel_count,
               c->kernel_count == 1 ? "" : "s");
        return;
    }
    e = &code->fatbin.entry[i];
    if (!code->fatbin.is_cubin)
        printf("\n%s for sm_%u, %s bytes%s\n", e->is_ptx ? "PTX" : "cubin",
               e->sm, with_commas(e->size, a), packings[e->packing]);
    else if (c != NULL)
        print_file(c);
}

static int print_entry(const struct view *v, struct code *code, uint32_t i)
{
    struct teg_cubin c;
    int status;

    if (!code_is_cubin(code, i, 0)) {
        print_head(code, i, NULL);
        return EXIT_DONE;
    }
    status = code_cubin(code, i, &c);
    if (status != EXIT_DONE)
        return status;
    print_head(code, i, &c);
    print_variables(&c);
    for (uint32_t k = 0; k < c.kernel_count; k++)
        print_resources(v, &c, &c.kernel[k], k + 1);
    teg_cubin_release(&c);
    return EXIT_DONE;
}

static int print_text(const struct view *v, struct code *code, uint64_t bytes)
{
    int status = EXIT_DONE;
    char a[28];

    if (code->kind == CODE_LISTING)
        printf("%s: listing with%s encodings, %s bytes\n", code->path,
               code->listing.cubin[0].origin == CUBIN_FROM_WORDS ? "" : "out",
               with_commas(bytes, a));
    else if (!code->fatbin.is_cubin)
        printf("%s: %s bytes, device code in %u piece%s\n", code->path,
               with_commas(bytes, a), code->count, code->count == 1 ? "" : "s");
    for (uint32_t i = 0; status == EXIT_DONE && i < code->count; i++)
        status = print_entry(v, code, i);
    return status;
}

int info_cubin(const char *path, const struct teg_gpu *gpu, uint32_t threads,
               uint64_t bytes, uint32_t format)
{
    const struct view v = {gpu, threads};
    struct code code;
    int status = code_open(&code, path);

    if (status == EXIT_DONE)
        status = format == FORMAT_TEXT ? print_text(&v, &code, bytes)
                                       : print_data(&v, &code, bytes, format);
    code_release(&code);
    return status;
}
