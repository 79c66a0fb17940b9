#include "isa/binary/listing.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "isa/base/buffer.h"
#include "isa/base/printable.h"
#include "isa/sass/sass.h"

enum {
    LOOK_INTO = 4096, /* bytes, to recognise a listing */
    CALLS_DEEP = 64,  /* functions inlined in one another */
};

/* One line of code, its word or its text. */
struct entry {
    uint32_t cubin, kernel;
    uint64_t pc, line;
    const char *text; /* borrowed from the file's bytes */
    uint64_t word[2];
    int words; /* halves of the word that were found */
};

struct label {
    const char *name; /* borrowed from the file's bytes */
    uint32_t cubin, kernel;
    uint64_t pc;
};

struct reader {
    struct teg_listing *l;
    uint64_t line;
    struct entry *entry; /* owned */
    size_t entries, entry_room;
    struct label *label; /* owned; sorted by name once all are there */
    size_t labels, label_room;
    int in_text; /* lines of code belong to the last kernel */
    /* Positions told since the last instruction: its own, then the calls. */
    struct teg_line_call position[CALLS_DEEP];
    unsigned positions;
    struct teg_diag *d;
};

/* Text behind `prefix`, or NULL. */
static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* ---- cubins and kernels ------------------------------------------------ */

static struct teg_cubin *last_cubin(const struct reader *r)
{
    return r->l->count > 0 ? &r->l->cubin[r->l->count - 1] : NULL;
}

static struct teg_cubin_kernel *last_kernel(const struct reader *r)
{
    struct teg_cubin *c = last_cubin(r);

    return c != NULL && c->kernel_count > 0 ? &c->kernel[c->kernel_count - 1]
                                            : NULL;
}

static teg_status add_cubin(struct reader *r, uint32_t sm)
{
    struct teg_listing *l = r->l;
    struct teg_cubin *more =
        realloc(l->cubin, (l->count + 1) * sizeof *l->cubin);

    if (more == NULL)
        return teg_fail_memory(r->d);
    l->cubin = more;
    more[l->count] = (struct teg_cubin){.sm = sm, .origin = CUBIN_FROM_TEXT};
    more[l->count].path = strdup(l->path);
    if (more[l->count++].path == NULL)
        return teg_fail_memory(r->d);
    r->in_text = 0;
    return TEG_OK;
}

static teg_status add_kernel(struct reader *r, const char *name, size_t length,
                             int is_entry)
{
    struct teg_cubin *c = last_cubin(r);
    struct teg_cubin_kernel *more;

    if (c == NULL)
        return teg_fail_line(r->d, TEG_FORMAT, r->l->path, r->line,
                             "expected the architecture, 'code for sm_XX' or "
                             "'.target sm_XX', before the first function");
    r->positions = 0;
    more = realloc(c->kernel, (c->kernel_count + 1) * sizeof *more);
    if (more == NULL)
        return teg_fail_memory(r->d);
    c->kernel = more;
    more += c->kernel_count;
    *more = (struct teg_cubin_kernel){.is_entry = is_entry};
    more->name = teg_printable_copy_of(name, length);
    if (more->name == NULL)
        return teg_fail_memory(r->d);
    c->kernel_count++;
    r->in_text = 1;
    return TEG_OK;
}

/* ---- lines that are not code ---------------------------------------------- */

/* 80 of "sm_80..." */
static uint32_t number_behind(const char *text)
{
    return text != NULL ? (uint32_t)(strtoul(text, NULL, 10) % 1000) : 0;
}

/* cuobjdump: every cubin begins with it. */
static teg_status code_for(struct reader *r, const char *rest)
{
    return add_cubin(r, number_behind(rest));
}

/* nvdisasm begins with it; cuobjdump repeats it. */
static teg_status target(struct reader *r, const char *rest)
{
    const struct teg_cubin *c = last_cubin(r);

    rest = after(skip_blanks(rest), "sm_");
    if (rest == NULL || (c != NULL && c->kernel_count == 0))
        return TEG_OK;
    return add_cubin(r, number_behind(rest));
}

/* Tools before CUDA 13: the first line of nvdisasm, a line of each function
 * of cuobjdump. */
static teg_status header_flags(struct reader *r, const char *rest)
{
    const char *sm = strstr(rest, "EF_CUDA_SM");

    if (sm == NULL || last_cubin(r) != NULL)
        return TEG_OK;
    return add_cubin(r, number_behind(sm + strlen("EF_CUDA_SM")));
}

static teg_status function(struct reader *r, const char *rest)
{
    rest = skip_blanks(rest);
    return add_kernel(r, rest, strcspn(rest, " \t"), 1);
}

static teg_status section(struct reader *r, const char *rest)
{
    const char *name = after(skip_blanks(rest), ".text.");

    r->in_text = 0;
    if (name == NULL)
        return TEG_OK;
    return add_kernel(r, name, strcspn(name, ","), 0);
}

static teg_status section_info(struct reader *r, const char *rest)
{
    const char *count = strstr(rest, "SHI_REGISTERS=");

    if (count != NULL && r->in_text)
        last_kernel(r)->registers =
            number_behind(count + strlen("SHI_REGISTERS="));
    return TEG_OK;
}

static teg_status section_flags(struct reader *r, const char *rest)
{
    const char *count = strstr(rest, "SHF_BARRIERS=");

    if (count != NULL && r->in_text)
        last_kernel(r)->barriers =
            number_behind(count + strlen("SHF_BARRIERS="));
    return TEG_OK;
}

/* ".other NAME,@"STO_CUDA_ENTRY ..."": a kernel, not a device function */
static teg_status other(struct reader *r, const char *rest)
{
    const struct teg_cubin_kernel *k = last_kernel(r);
    size_t length;

    if (!r->in_text)
        return TEG_OK;
    rest = skip_blanks(rest);
    length = strcspn(rest, ",");
    if (strstr(rest, "STO_CUDA_ENTRY") != NULL &&
        teg_printable_is(k->name, rest, length))
        last_kernel(r)->is_entry = 1;
    return TEG_OK;
}

/* nvdisasm -g, -gi: "File "saxpy.cu", line 12 inlined at ...", which the next
 * such line tells in full. */
static teg_status source_line(struct reader *r, const char *rest)
{
    struct teg_line_call *p = &r->position[r->positions];
    const char *name = strchr(rest, '"'), *end, *line;
    char path[1024];

    end = name != NULL ? strchr(name + 1, '"') : NULL;
    line = end != NULL ? after(end, "\", line ") : NULL;
    if (line == NULL || !r->in_text || r->positions == CALLS_DEEP)
        return TEG_OK;
    snprintf(path, sizeof path, "%.*s", (int)(end - name - 1), name + 1);
    *p = (struct teg_line_call){.line = (uint32_t)strtoul(line, NULL, 10)};
    TRY(teg_lines_file(&last_cubin(r)->lines, path, &p->file, r->d));
    r->positions++;
    return TEG_OK;
}

/* Lines by how they begin, blanks aside. */
static const struct {
    const char *start;
    teg_status (*read)(struct reader *r, const char *rest);
    int tells; /* only listings have such lines */
} heads[] = {
    {"code for sm_", code_for, 1},
    {".target", target, 0},
    {".headerflags", header_flags, 1},
    {"Function :", function, 1},
    {".section\t", section, 0},
    {".sectioninfo", section_info, 1},
    {".sectionflags", section_flags, 1},
    {".other", other, 0},
    {".elftype", NULL, 1},
    {"Fatbin elf code:", NULL, 1},
    {"//--------------------- .", NULL, 1},
    {"//## File ", source_line, 1},
};

enum {
    HEADS = sizeof heads / sizeof heads[0]
};

/* "name:" at the left margin; returns 0 if the line is none. */
static int is_label(const char *line)
{
    size_t length = strlen(line);

    return length > 1 && line[length - 1] == ':' &&
           !isspace((unsigned char)line[0]) && line[0] != '/' &&
           strpbrk(line, " \t\"") == NULL;
}

static teg_status add_label(struct reader *r, char *name)
{
    const struct teg_cubin *c = last_cubin(r);
    struct label *more =
        teg_array_room(r->label, r->labels, &r->label_room, sizeof *r->label);

    if (more == NULL)
        return teg_fail_memory(r->d);
    r->label = more;
    name[strlen(name) - 1] = '\0';
    more[r->labels++] = (struct label){.name = name,
                                       .cubin = r->l->count - 1,
                                       .kernel = c->kernel_count - 1,
                                       .pc = last_kernel(r)->code.size};
    return TEG_OK;
}

/* ---- lines of code ----------------------------------------------------------- */

/* The number in a comment, or NULL: one of the address (without 0x) or half a
 * word. */
static const char *comment(const char *text, const char *prefix,
                           size_t digits_min, uint64_t *v)
{
    const char *at = after(text, "/*");
    size_t digits;

    at = at != NULL ? after(skip_blanks(at), prefix) : NULL;
    if (at == NULL)
        return NULL;
    digits = strspn(at, "0123456789abcdef");
    if (digits < digits_min || digits > 16)
        return NULL;
    *v = strtoull(at, NULL, 16);
    return after(skip_blanks(at + digits), "*/");
}

/* What was told of the source begins at this instruction. */
static teg_status add_position(struct reader *r, uint64_t pc)
{
    struct teg_cubin *c = last_cubin(r);
    struct teg_line row = {.pc = pc, .kernel = c->kernel_count - 1};
    unsigned i = r->positions;

    if (i == 0)
        return TEG_OK;
    while (--i > 0) {
        r->position[i].outer = row.call;
        TRY(teg_lines_call(&c->lines, &r->position[i], &row.call, r->d));
    }
    row.file = r->position[0].file;
    row.line = r->position[0].line;
    r->positions = 0;
    return teg_lines_add(&c->lines, &row, r->d);
}

static teg_status add_entry(struct reader *r, uint64_t pc, const char *text)
{
    struct teg_cubin_kernel *k = last_kernel(r);
    struct entry *more;

    if (pc != k->code.size)
        return teg_fail_line(r->d, TEG_FORMAT, r->l->path, r->line,
                             "expected the instruction at 0x%04" PRIx64
                             " of %.100s, found that at 0x%04" PRIx64,
                             k->code.size, k->name, pc);
    more =
        teg_array_room(r->entry, r->entries, &r->entry_room, sizeof *r->entry);
    if (more == NULL)
        return teg_fail_memory(r->d);
    r->entry = more;
    more[r->entries++] =
        (struct entry){.cubin = r->l->count - 1,
                       .kernel = last_cubin(r)->kernel_count - 1,
                       .pc = pc,
                       .line = r->line,
                       .text = text};
    k->code.size += TEG_SASS_BYTES;
    return TEG_OK;
}

/* The low half stands behind the text, the high one on the line below. */
static void add_word(struct reader *r, uint64_t v)
{
    struct entry *e = r->entries > 0 ? &r->entry[r->entries - 1] : NULL;

    if (e != NULL && e->words < 2)
        e->word[e->words++] = v;
}

static teg_status code(struct reader *r, uint64_t pc, char *text)
{
    char *end = strchr(text, ';'), *word;
    uint64_t v;

    /* nvdisasm shows data in the same columns. */
    if (*text == '.')
        return TEG_OK;
    if (!r->in_text)
        return teg_fail_line(r->d, TEG_FORMAT, r->l->path, r->line,
                             "expected a function before its instructions");
    if (!teg_sass_supports(last_cubin(r)->sm))
        return TEG_OK;
    if (end == NULL)
        return teg_fail_line(r->d, TEG_FORMAT, r->l->path, r->line,
                             "expected an instruction that ends with ';'");
    TRY(add_position(r, pc));
    TRY(add_entry(r, pc, text));
    word = strstr(end, "/*");
    if (word != NULL && comment(word, "0x", 16, &v) != NULL)
        add_word(r, v);
    *end = '\0';
    return TEG_OK;
}

static teg_status read_line(struct reader *r, char *line)
{
    const char *text = skip_blanks(line);
    uint64_t v;
    const char *rest;

    for (size_t i = 0; i < HEADS; i++) {
        rest = after(text, heads[i].start);
        if (rest != NULL && heads[i].read != NULL)
            return heads[i].read(r, rest);
    }
    if (*text == '/' && (rest = comment(text, "", 4, &v)) != NULL)
        return code(r, v, (char *)skip_blanks(rest));
    if (*text == '/' && comment(text, "0x", 16, &v) != NULL)
        add_word(r, v);
    if (r->in_text && is_label(line))
        return add_label(r, line);
    return TEG_OK;
}

/* ---- texts that name places ------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order != 0 ? order : (x->cubin > y->cubin) - (x->cubin < y->cubin);
}

static const struct label *find_label(const struct reader *r,
                                      const struct entry *e, const char *name)
{
    const struct label key = {.name = name, .cubin = e->cubin};

    return r->labels > 0
               ? bsearch(&key, r->label, r->labels, sizeof key, by_name)
               : NULL;
}

/* A place in another function, or one outside, is put in when the file is
 * linked; a branch's label (.L_x_1) must be there. */
static int put_label(const struct reader *r, const struct entry *e,
                     const char *name, size_t length, char *out, size_t room)
{
    char copy[512];
    const struct label *label;

    snprintf(copy, sizeof copy, "%.*s", (int)(length < 511 ? length : 511),
             name);
    label = find_label(r, e, copy);
    if (label == NULL && copy[0] == '.')
        return 0;
    snprintf(out, room, "0x%" PRIx64,
             label != NULL && label->kernel == e->kernel ? label->pc : 0);
    return 1;
}

/* "32@lo((f + .L_x_1@srel))" up to behind its last bracket, or NULL. */
static const char *past_relocation(const char *text)
{
    const char *at = text + strspn(text, "0123456789");
    int depth = 0;

    if (at == text || *at != '@')
        return NULL;
    at += strcspn(at, "(");
    do {
        depth += (*at == '(') - (*at == ')');
    } while (*at != '\0' && *at++ != '\0' && depth > 0);
    return at;
}

/* The text with numbers for places, without notes of branch targets.  0: a
 * place is not known, or the text too long. */
static int plain_text(const struct reader *r, const struct entry *e,
                      char out[TEG_SASS_TEXT])
{
    size_t used = 0;
    const char *past;

    for (const char *at = e->text; *at != '\0';) {
        if (used + 20 >= TEG_SASS_TEXT)
            return 0;
        out[used] = '\0';
        if (at[0] == '`' && at[1] == '(') {
            size_t length = strcspn(at + 2, ")");

            if (!put_label(r, e, at + 2, length, out + used,
                           TEG_SASS_TEXT - used))
                return 0;
            at += 2 + length;
            at += *at == ')';
        } else if (at[0] == '(' && at[1] == '*') {
            at = strstr(at, "*)");
            if (at == NULL)
                return 0;
            at += 2;
        } else if (at > e->text && at[-1] == ' ' &&
                   (past = past_relocation(at)) != NULL) {
            strcpy(out + used, "0x0");
            at = past;
        } else {
            out[used] = *at++;
            out[used + 1] = '\0';
        }
        used += strlen(out + used);
    }
    out[used] = '\0';
    return 1;
}

/* ---- code ---------------------------------------------------------------------- */

static teg_status add_unread(struct reader *r, const struct entry *e)
{
    struct teg_listing *l = r->l;
    struct teg_listing_unread *more =
        realloc(l->unread, (l->unread_count + 1) * sizeof *more);

    if (more == NULL)
        return teg_fail_memory(r->d);
    l->unread = more;
    more[l->unread_count] = (struct teg_listing_unread){
        .cubin = e->cubin, .kernel = e->kernel, .pc = e->pc, .line = e->line};
    more[l->unread_count].text = strdup(e->text);
    if (more[l->unread_count++].text == NULL)
        return teg_fail_memory(r->d);
    return TEG_OK;
}

static teg_status read_text(struct reader *r, struct entry *e)
{
    char text[TEG_SASS_TEXT];
    struct teg_sass s;

    if (!plain_text(r, e, text) ||
        !teg_sass_read(&s, text, e->pc, r->l->cubin[e->cubin].sm))
        return add_unread(r, e);
    memcpy(e->word, s.word, sizeof e->word);
    return TEG_OK;
}

/* A file has words for all its instructions or for none. */
static teg_status check_words(struct reader *r)
{
    for (size_t i = 0; i < r->entries; i++) {
        const struct entry *e = &r->entry[i];

        if (e->words == 1 || (e->words == 0) != (r->entry[0].words == 0))
            return teg_fail_line(r->d, TEG_FORMAT, r->l->path, e->line,
                                 "expected the instruction's word of two "
                                 "halves, found %s",
                                 e->words == 1 ? "one half" : "none");
    }
    return TEG_OK;
}

/* The code of a cubin's kernels lies in one piece, as in a file. */
static teg_status gather_code(struct reader *r, struct teg_cubin *c)
{
    uint8_t *at;

    for (uint32_t k = 0; k < c->kernel_count; k++)
        c->file_size += c->kernel[k].code.size;
    c->file = calloc(1, c->file_size + 1);
    if (c->file == NULL)
        return teg_fail_memory(r->d);
    at = c->file;
    for (uint32_t k = 0; k < c->kernel_count; k++) {
        c->kernel[k].code.data = at;
        at += c->kernel[k].code.size;
    }
    return TEG_OK;
}

static teg_status fill_code(struct reader *r)
{
    struct teg_listing *l = r->l;

    TRY(check_words(r));
    if (r->labels > 0)
        qsort(r->label, r->labels, sizeof *r->label, by_name);
    for (uint32_t i = 0; i < l->count; i++) {
        TRY(gather_code(r, &l->cubin[i]));
        teg_lines_sort(&l->cubin[i].lines);
        if (r->entries > 0 && r->entry[0].words == 2)
            l->cubin[i].origin = CUBIN_FROM_WORDS;
    }
    for (size_t i = 0; i < r->entries; i++) {
        struct entry *e = &r->entry[i];
        struct teg_cubin *c = &l->cubin[e->cubin];
        uint8_t *to =
            c->file + (c->kernel[e->kernel].code.data - c->file) + e->pc;

        if (e->words == 0)
            TRY(read_text(r, e));
        for (unsigned b = 0; b < TEG_SASS_BYTES; b++)
            to[b] = (uint8_t)(e->word[b / 8] >> (8 * (b % 8)));
    }
    return TEG_OK;
}

/* ---- the whole ------------------------------------------------------------------ */

/* `text` ends with a NUL; its lines become strings. */
static teg_status read_all(struct reader *r, char *text, size_t size)
{
    char *end = text + size;

    while (text < end) {
        char *next = memchr(text, '\n', (size_t)(end - text));

        next = next != NULL ? next : end;
        *next = '\0';
        if (next > text && next[-1] == '\r')
            next[-1] = '\0';
        r->line++;
        TRY(read_line(r, text));
        text = next + 1;
    }
    if (r->entries == 0 && (r->l->count == 0 || last_kernel(r) == NULL))
        return teg_fail(r->d, TEG_FORMAT, r->l->path,
                        "expected a listing of cuobjdump -sass or nvdisasm, "
                        "found no function in it");
    return fill_code(r);
}

teg_status teg_listing_open_memory(struct teg_listing *l, const char *path,
                                   const uint8_t *bytes, size_t size,
                                   struct teg_diag *d)
{
    struct reader r = {.l = l, .d = d};
    char *text = malloc(size + 1);
    teg_status status;

    *l = (struct teg_listing){.path = strdup(path)};
    if (text == NULL || l->path == NULL) {
        status = teg_fail_memory(d);
    } else {
        if (size > 0)
            memcpy(text, bytes, size);
        text[size] = '\0';
        status = read_all(&r, text, size);
    }
    free(r.entry);
    free(r.label);
    free(text);
    if (status != TEG_OK)
        teg_listing_release(l);
    return status;
}

teg_status teg_listing_open(struct teg_listing *l, const char *path,
                            struct teg_diag *d)
{
    struct teg_buffer b = {0};
    teg_status status = teg_buffer_file(&b, path, d);

    *l = (struct teg_listing){0};
    if (status != TEG_OK)
        return status;
    status = teg_listing_open_memory(l, path, b.data, b.size, d);
    teg_buffer_release(&b);
    return status;
}

void teg_listing_release(struct teg_listing *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        teg_cubin_release(&l->cubin[i]);
    for (uint32_t i = 0; i < l->unread_count; i++)
        free(l->unread[i].text);
    free(l->cubin);
    free(l->unread);
    free(l->path);
    *l = (struct teg_listing){0};
}

/* The file's order is this one. */
static int by_pc(const void *a, const void *b)
{
    const struct teg_listing_unread *x = a, *y = b;

    if (x->cubin != y->cubin)
        return x->cubin < y->cubin ? -1 : 1;
    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

const struct teg_listing_unread *teg_listing_unread_at(
    const struct teg_listing *l, uint32_t cubin, uint32_t kernel, uint64_t pc)
{
    const struct teg_listing_unread key = {
        .cubin = cubin, .kernel = kernel, .pc = pc};

    return l->unread_count > 0
               ? bsearch(&key, l->unread, l->unread_count, sizeof key, by_pc)
               : NULL;
}

int teg_listing_recognise(const uint8_t *bytes, size_t size)
{
    char head[LOOK_INTO + 1];

    size = size < LOOK_INTO ? size : LOOK_INTO;
    if (size == 0 || memchr(bytes, '\0', size) != NULL)
        return 0;
    memcpy(head, bytes, size);
    head[size] = '\0';
    for (const char *line = head; line != NULL; line = strchr(line, '\n')) {
        const char *text = line + strspn(line, " \t\r\n");

        for (size_t i = 0; i < HEADS; i++) {
            if (heads[i].tells && after(text, heads[i].start) != NULL)
                return 1;
        }
        line = text;
    }
    return 0;
}
