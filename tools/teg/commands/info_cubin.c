#include "tools/teg/commands/info_cubin.h"

#include <inttypes.h>
#include <stdio.h>

#include "config/occupancy.h"
#include "isa/sass/older.h"
#include "isa/sass/sass.h"
#include "tools/teg/cli/device_code.h"
#include "tools/teg/report/report.h"

struct counts {
    uint64_t instructions, unknown;
    uint32_t registers; /* up to the highest that the code names */
};

/* For whom the occupancy is shown. */
struct asked {
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

    if (teg_older_supports(c->sm)) {
        n.instructions = n.unknown =
            k->code.data != NULL
                ? teg_older_instructions(k->code.data, k->code.size, c->sm)
                : 0;
        return n;
    }
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

static void print_params(FILE *f, const struct teg_cubin_kernel *k)
{
    if (!k->has_params) {
        fprintf(f, "   parameters: not described\n");
        return;
    }
    fprintf(f, "   parameters (%u bytes at c[0x0][0x%x]):", k->param_bytes,
            k->param_base);
    for (uint32_t i = 0; i < k->param_count; i++)
        fprintf(f, "%s %u: %u byte%s at 0x%x", i > 0 ? "," : "",
                k->param[i].ordinal, k->param[i].size,
                k->param[i].size == 1 ? "" : "s", k->param[i].offset);
    fprintf(f, "%s\n", k->param_count == 0 ? " none" : "");
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

static teg_status fit(const struct asked *v, const struct teg_cubin_kernel *k,
                      uint32_t threads, struct teg_occupancy *o,
                      struct teg_diag *d)
{
    return teg_occupancy(
        v->gpu,
        &(struct teg_block_asks){.threads = threads,
                                 .registers = k->registers,
                                 .shared_bytes = (uint32_t)k->shared_bytes},
        o, d);
}

static void print_occupancy(FILE *f, const struct asked *v,
                            const struct teg_cubin_kernel *k)
{
    uint32_t threads = threads_of(k, v->threads);
    struct teg_occupancy o;
    struct teg_diag d;

    if (v->gpu == NULL || !k->is_entry)
        return;
    if (fit(v, k, threads, &o, &d) != TEG_OK) {
        fprintf(f, "   blocks of %u threads do not fit: %s\n", threads, d.what);
        return;
    }
    fprintf(f,
            "   blocks of %u threads on %s: %u blocks, %u warps per SM, "
            "limited by %s\n",
            threads, v->gpu->name, o.blocks_per_sm, o.warps_per_sm,
            teg_occupancy_limit_name(o.limit));
}

/* Of a listing: what the text tells. */
static void print_told(FILE *f, const struct asked *v,
                       const struct teg_cubin_kernel *k, const struct counts *n)
{
    char a[28];

    if (k->registers > 0)
        fprintf(f, "   %u registers", k->registers);
    else
        fprintf(f, "   %u registers or more", n->registers);
    if (k->barriers > 0)
        fprintf(f, ", %u barrier%s", k->barriers, k->barriers == 1 ? "" : "s");
    fprintf(f, "\n   %s instructions", with_commas(n->instructions, a));
    if (n->unknown > 0)
        fprintf(f, ", %s unknown", with_commas(n->unknown, a));
    fprintf(f, "\n");
    if (v->gpu != NULL && k->is_entry)
        fprintf(f,
                "   blocks on %s: n/a, a listing does not tell shared memory\n",
                v->gpu->name);
}

static void print_resources(FILE *f, const struct asked *v,
                            const struct teg_cubin *c,
                            const struct teg_cubin_kernel *k, uint32_t number)
{
    struct counts n = count(c, k);
    char a[28], name[TEG_NAME_MAX];

    fprintf(f, "\n%u  %s%s\n", number,
            teg_name_readable(k->name, NAME_FULL, name),
            k->is_entry ? "" : " (device function)");
    if (teg_name_is_mangled(k->name))
        fprintf(f, "   %s\n", k->name);
    if (c->origin != CUBIN_FROM_ELF) {
        print_told(f, v, k, &n);
        return;
    }
    fprintf(f, "   %u registers, %s bytes shared", k->registers,
            with_commas(k->shared_bytes, a));
    if (k->shared_reserved > 0)
        fprintf(f, " + %s reserved", with_commas(k->shared_reserved, a));
    fprintf(f, ", %s bytes local", with_commas(k->local_bytes, a));
    fprintf(f, ", %s bytes of constants", with_commas(k->constant2.size, a));
    fprintf(f, ", %u barrier%s\n", k->barriers, k->barriers == 1 ? "" : "s");
    fprintf(f, "   %s instructions", with_commas(n.instructions, a));
    if (n.unknown > 0)
        fprintf(f, ", %s unknown", with_commas(n.unknown, a));
    if (k->max_threads[0] > 0)
        fprintf(f, ", at most %u x %u x %u threads", k->max_threads[0],
                k->max_threads[1], k->max_threads[2]);
    if (k->cluster[0] > 0)
        fprintf(f, ", clusters of %u x %u x %u blocks", k->cluster[0],
                k->cluster[1], k->cluster[2]);
    fprintf(f, "\n");
    if (k->is_entry)
        print_params(f, k);
    print_occupancy(f, v, k);
}

static void print_file(FILE *f, const struct teg_cubin *c)
{
    char a[28], path[TEG_NAME_MAX];

    fprintf(f, "%s: cubin%s for sm_%u (CUDA %s), %s bytes, %u %s%s\n",
            path_title(c->path, path),
            c->is_relocatable ? ", relocatable," : "", c->sm,
            c->is_cuda13 ? "13" : "11 or 12", with_commas(c->file_size, a),
            c->kernel_count, c->is_relocatable ? "function" : "kernel",
            c->kernel_count == 1 ? "" : "s");
}

static void print_variables(FILE *f, const struct teg_cubin *c)
{
    char a[28];

    if (c->constant3.size > 0)
        fprintf(f, "   %s bytes of __constant__ variables\n",
                with_commas(c->constant3.size, a));
    if (c->global_init.size + c->global_zero.size > 0)
        fprintf(f, "   %s bytes of __device__ variables\n",
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

static json_t *occupancy_json(const struct asked *v,
                              const struct teg_cubin_kernel *k)
{
    uint32_t threads = threads_of(k, v->threads);
    struct teg_occupancy o;
    struct teg_diag d;

    if (v->gpu == NULL || !k->is_entry || fit(v, k, threads, &o, &d) != TEG_OK)
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

static json_t *resources_json(const struct asked *v, const struct teg_cubin *c,
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

static json_t *cubin_json(const struct asked *v, const struct teg_cubin *c)
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

/* One of the file's pieces. */
struct piece {
    const struct asked *asked;
    const struct device_code *code;
    uint32_t number;
    const struct teg_cubin *cubin; /* NULL: PTX */
};

static json_t *values(const void *part)
{
    const struct piece *p = part;

    return p->cubin != NULL ? cubin_json(p->asked, p->cubin)
                            : ptx_json(&p->code->fatbin.entry[p->number]);
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

/* A row is a kernel; parameters are left to JSON. */
static json_t *kernel_rows(const void *part)
{
    json_t *piece = values(part), *rows = json_array(), *kernel;
    size_t k;

    json_array_foreach(json_object_get(piece, "kernels"), k, kernel)
    {
        json_t *row = json_object();

        json_object_set(row, "isa", json_object_get(piece, "isa"));
        json_object_update(row, kernel);
        json_object_del(row, "parameters");
        spread_occupancy(row);
        json_array_append_new(rows, row);
    }
    json_decref(piece);
    return rows;
}

struct file {
    const struct device_code *code;
    uint64_t bytes;
};

static const char *format_name(const struct device_code *code)
{
    return code->kind == CODE_LISTING ? "listing"
           : code->fatbin.is_cubin    ? "cubin"
                                      : "fatbin";
}

static json_t *whole(const void *self, json_t *pieces)
{
    const struct file *file = self;

    return json_pack("{s:o, s:o, s:s, s:I, s:O}", "teg", teg_json(), "file",
                     json_text(file->code->path), "format",
                     format_name(file->code), "bytes", (json_int_t)file->bytes,
                     "entries", pieces);
}

static void print_head(FILE *f, const struct piece *p)
{
    static const char *const packings[] = {"", ", LZ4", ", zstd"};
    const struct teg_cubin *c = p->cubin;
    const struct teg_fatbin_entry *e;
    char a[28];

    if (p->code->kind == CODE_LISTING) {
        fprintf(f, "\ncode for sm_%u, %u function%s\n", c->sm, c->kernel_count,
                c->kernel_count == 1 ? "" : "s");
        return;
    }
    e = &p->code->fatbin.entry[p->number];
    if (!p->code->fatbin.is_cubin)
        fprintf(f, "\n%s for sm_%u, %s bytes%s\n", e->is_ptx ? "PTX" : "cubin",
                e->sm, with_commas(e->size, a), packings[e->packing]);
    else if (c != NULL)
        print_file(f, c);
}

static int text(FILE *f, const void *part)
{
    const struct piece *p = part;

    print_head(f, p);
    if (p->cubin == NULL)
        return EXIT_DONE;
    print_variables(f, p->cubin);
    for (uint32_t k = 0; k < p->cubin->kernel_count; k++)
        print_resources(f, p->asked, p->cubin, &p->cubin->kernel[k], k + 1);
    return EXIT_DONE;
}

static int head(FILE *f, const void *self)
{
    const struct file *file = self;
    const struct device_code *code = file->code;
    char a[28], path[TEG_NAME_MAX];

    if (code->kind == CODE_LISTING)
        fprintf(f, "%s: listing with%s encodings, %s bytes\n",
                path_title(code->path, path),
                code->listing.cubin[0].origin == CUBIN_FROM_WORDS ? "" : "out",
                with_commas(file->bytes, a));
    else if (!code->fatbin.is_cubin)
        fprintf(f, "%s: %s bytes, device code in %u piece%s\n",
                path_title(code->path, path), with_commas(file->bytes, a),
                code->count, code->count == 1 ? "" : "s");
    return EXIT_DONE;
}

static int add_piece(struct writer *w, const struct asked *asked,
                     struct device_code *code, uint32_t number)
{
    struct piece p = {.asked = asked, .code = code, .number = number};
    struct teg_cubin c;
    int status;

    if (!device_code_is_cubin(code, number, 0))
        return writer_add(w, &p);
    status = device_code_cubin(code, number, &c);
    if (status != EXIT_DONE)
        return status;
    p.cubin = &c;
    status = writer_add(w, &p);
    teg_cubin_release(&c);
    return status;
}

static int write_pieces(struct device_code *code, const struct asked *asked,
                        uint64_t bytes, uint32_t format)
{
    static const struct view view = {
        .head = head,
        .text = text,
        .values = values,
        .whole = whole,
        .rows = kernel_rows,
        .columns = "isa,name",
    };
    const struct file file = {code, bytes};
    struct writer w;
    int status = writer_open(&w, &view, &file, format, NULL);

    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; status == EXIT_DONE && i < code->count; i++)
        status = add_piece(&w, asked, code, i);
    return writer_end(&w, status);
}

int info_cubin(const char *path, const struct teg_gpu *gpu, uint32_t threads,
               uint64_t bytes, uint32_t format)
{
    const struct asked asked = {gpu, threads};
    struct device_code code;
    int status = device_code_open(&code, path);

    if (status == EXIT_DONE)
        status = write_pieces(&code, &asked, bytes, format);
    device_code_release(&code);
    return status;
}
