/* What is remarked of a replay: what was timed otherwise than it may have been
 * meant. */
#include "tools/teg/report/report.h"

#include <inttypes.h>
#include <string.h>

#include "traces/emulate/core/emulate.h"
#include "traces/study/contest.h"

static const char *unknown_class(const struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].flags & INST_UNKNOWN)
            return teg_op_class_facts(p->inst[i].op_class)->key;
    }
    return teg_op_class_facts(CLASS_IADD)->key;
}

bool result_unknown_opcodes(const struct result *r, char *out, size_t size)
{
    const struct teg_statistics *s = r->replay->s;

    if (s->unknown_instructions == 0)
        return false;
    snprintf(out, size,
             "%u unknown opcode%s (%s%s), %.2g %% of warp instructions, "
             "timed as %s",
             s->unknown_opcodes, s->unknown_opcodes == 1 ? "" : "s",
             s->unknown_first, s->unknown_opcodes == 1 ? "" : " ...",
             100 * (double)s->unknown_instructions /
                 (double)s->warp_instructions,
             unknown_class(&r->replay->launch.kernel->program));
    return true;
}

static bool has_control_codes(const struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].control.known)
            return true;
    }
    return false;
}

bool remark_generation(const struct teg_gpu *gpu, const struct teg_kernel *k,
                       char *out, size_t size)
{
    uint32_t cc = gpu->chip.compute_capability, isa = k->isa;
    bool control = gpu->sm.dependences == DEPENDENCES_CONTROL &&
                   has_control_codes(&k->program);

    /* A chip runs the code of its major generation that is not newer. */
    if (isa == 0 || (isa / 10 == cc / 10 && isa <= cc))
        return false;
    snprintf(out, size,
             "code for sm_%u on a chip of sm_%u: instructions take the time of "
             "their class on that chip, dependences are kept by %s",
             isa, cc,
             control ? "the code's own control codes" : "a scoreboard");
    return true;
}

static bool result_generation(const struct result *r, char *out, size_t size)
{
    return remark_generation(r->replay->gpu, r->replay->launch.kernel, out,
                             size);
}

static bool result_untimed_tensor(const struct result *r, char *out,
                                  size_t size)
{
    const struct teg_statistics *s = r->replay->s;

    if (s->tensor_untimed == 0)
        return false;
    snprintf(out, size,
             "%.2g %% of warp instructions are tensor products timed by class, "
             "not by shape: %s has no rate for their types%s",
             100 * (double)s->tensor_untimed / (double)s->warp_instructions,
             r->replay->gpu->name,
             s->tensor_uncounted == 0 ? ""
                                      : ", or their shape or types are not "
                                        "known and their operations not "
                                        "counted");
    return true;
}

/* Doubles reach their peak at the highest clock. */
static bool result_tensor_clock(const struct result *r, char *out, size_t size)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    double mhz = gpu->tensor.clock_mhz;

    if (mhz == 0 || mhz >= gpu->chip.sm_clock_mhz ||
        s->tensor_operations == s->class_[CLASS_DMMA].operations)
        return false;
    snprintf(out, size,
             "tensor products: the vendor's peaks of %s are at %g MHz, not at "
             "%g (--set chip.sm_clock_mhz=%g), and under load power may lower "
             "the clock further",
             gpu->name, mhz, gpu->chip.sm_clock_mhz, mhz);
    return true;
}

/* "12,345 " and what they are, if there are any. */
static bool say_count(uint64_t n, const char *what, char *out, size_t size)
{
    char count[28];

    if (n != 0)
        snprintf(out, size, "%s %s", with_commas(n, count), what);
    return n != 0;
}

static bool result_unaddressed(const struct result *r, char *out, size_t size)
{
    return say_count(r->replay->s->unaddressed_constants,
                     "constant loads by index without addresses, as in all "
                     "traces but the emulator's: timed as if all lanes read "
                     "one",
                     out, size);
}

static bool result_textures(const struct result *r, char *out, size_t size)
{
    return say_count(r->replay->s->unaddressed_textures,
                     "accesses to textures or surfaces without addresses: "
                     "timed as hits, they make no traffic",
                     out, size);
}

static bool result_waits(const struct result *r, char *out, size_t size)
{
    return say_count(r->replay->s->unmet_waits,
                     "loads waited for what is not written in this replay, by "
                     "a block that is not in it or has no place, until nothing "
                     "else went on: how long they really wait is not known",
                     out, size);
}

/* What instructions of the kernel's code are, and what that means. */
struct contest {
    enum teg_contest kind;
    const char *who, *does, *meaning;
};

static bool say_contests(const struct result *r, const struct contest *c,
                         char *out, size_t size)
{
    const struct teg_program *p = &r->replay->launch.kernel->program;
    uint64_t first = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < p->count; i++) {
        if (teg_contest_of(p, i) == c->kind && count++ == 0)
            first = p->inst[i].pc;
    }
    if (count == 0)
        return false;
    snprintf(out, size, "%u %s%s in a loop that %s (pc 0x%" PRIx64 "%s): %s",
             count, c->who, count == 1 ? "" : "s", c->does, first,
             count == 1 ? "" : " ...", c->meaning);
    return true;
}

static bool has_atomics(const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;

    return s->memory.global_atomics != 0 || s->memory.shared_atomics != 0;
}

static bool has_note(const struct result *r, const char *kind)
{
    return teg_notes_count(&r->replay->launch.kernel->notes, kind) != 0;
}

/* The emulator ran them beside each other. */
static bool blocks_took_turns(const struct result *r)
{
    return has_note(r, EMU_NOTE_TURNS);
}

/* What happens to them where the emulator's warps come one after the other. */
#define ALONE                                                                \
    "the emulator's warps come one after the other and succeed at once, so " \
    "that they wait for each other on a GPU is not in the time"

static bool result_retries(const struct result *r, char *out, size_t size)
{
    static const struct contest lock = {CONTEST_RETRY, "atomic",
                                        "asks again until it has succeeded",
                                        "a lock: " ALONE};
    static const struct contest alone = {
        CONTEST_SWAP, "atomic", "asks again until it has succeeded",
        "a word that compare-and-swap updates: " ALONE};
    static const struct contest failed = {
        CONTEST_SWAP, "atomic", "asks again until it has succeeded",
        "in shared memory swaps fail by those of the block's other warps, "
        "in global memory warps come one after the other"};
    static const struct contest met = {
        CONTEST_SWAP, "atomic", "asks again until it has succeeded",
        "those that fail are as many as in the emulator, whose warps go on by "
        "their instructions, on a GPU by its time"};

    return has_atomics(r) &&
           (say_contests(r, &lock, out, size) ||
            say_contests(r,
                         blocks_took_turns(r)          ? &met
                         : has_note(r, EMU_NOTE_STEPS) ? &failed
                                                       : &alone,
                         out, size));
}

static bool result_work(const struct result *r, char *out, size_t size)
{
    static const struct contest work = {
        CONTEST_WORK, "atomic", "ends by what it returns",
        "a counter that hands out work: the emulator's blocks come one after "
        "the other and the first takes it all, on a GPU they share it, so the "
        "time here is too long (traced without --interleave they share it)"};
    static const struct contest shared = {
        CONTEST_WORK, "atomic", "ends by what it returns",
        "a counter that hands out work: a block has as much here as it took by "
        "its instructions, beside the others; on a GPU by its time"};

    return has_atomics(r) &&
           say_contests(r, blocks_took_turns(r) ? &shared : &work, out, size);
}

static bool result_polls(const struct result *r, char *out, size_t size)
{
    static const struct contest polls = {
        CONTEST_POLL, "load", "asks until another has written",
        "it waits here until that is done; what polls that fail take of a "
        "GPU's issue slots and L2 meanwhile is not in the time"};
    static const struct contest asked = {
        CONTEST_POLL, "load", "asks until another has written",
        "it waits here until that is done; polls that fail before are as many "
        "as in the emulator, whose blocks went on by their instructions, on a "
        "GPU by its time"};

    return say_contests(r, blocks_took_turns(r) ? &asked : &polls, out, size);
}

/* A tensor map's or a bulk copy's own, which adds to memory, in a container of
 * before: it has what it covers, but nothing of its elements. */
static bool is_old_reduction(const struct teg_program *p,
                             const struct teg_inst *inst)
{
    const char *text = teg_program_text(p, inst);

    return (inst->flags & INST_STORE) != 0 &&
           teg_values_are_copy(inst->values) &&
           (teg_text_is(text, "UTMAREDG") || teg_text_is(text, "UBLKRED.G"));
}

static bool result_reductions(const struct result *r, char *out, size_t size)
{
    const struct teg_program *p = &r->replay->launch.kernel->program;
    uint32_t i = 0;

    while (i < p->count && !is_old_reduction(p, &p->inst[i]))
        i++;
    if (i == p->count)
        return false;
    snprintf(out, size,
             "bulk reductions (UTMAREDG, UBLKRED) are timed as stores: the "
             "trace is of before their elements were recorded");
    return true;
}

/* A listing has brackets in every access to memory; lists of registers, as
 * NVBit's tracers write them, have none, and leave out constants. */
static bool leaves_out_constants(const struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].space != SPACE_NONE &&
            p->inst[i].space != SPACE_TEXTURE &&
            strchr(teg_program_text(p, &p->inst[i]), '[') == NULL)
            return true;
    }
    return false;
}

static bool result_unnamed_constants(const struct result *r, char *out,
                                     size_t size)
{
    if (r->replay->gpu->constant.l1_bytes == 0 ||
        !leaves_out_constants(&r->replay->launch.kernel->program))
        return false;
    snprintf(out, size,
             "the trace does not name constants that are operands: nothing "
             "waits for one (imc_miss)");
    return true;
}

static bool has_generic(const struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].space == SPACE_GENERIC)
            return true;
    }
    return false;
}

static bool result_cluster(const struct result *r, char *out, size_t size)
{
    const struct teg_kernel *k = r->replay->launch.kernel;

    int knows =
        k->shared_base != 0 && r->replay->gpu->shared.remote_latency != 0;

    if (teg_kernel_cluster(k) <= 1 || knows || !has_generic(&k->program))
        return false;
    snprintf(out, size,
             "clusters of %ux%ux%u blocks: an access to another block's shared "
             "memory is timed as one to global memory: %s",
             k->cluster[0], k->cluster[1], k->cluster[2],
             k->shared_base == 0 ? "the trace does not tell them apart"
                                 : "the description has no "
                                   "shared.remote_latency");
    return true;
}

static bool result_caches(const struct result *r, char *out, size_t size)
{
    static const char *const who[] = {
        [CACHES_COLD] = NULL,
        [CACHES_WARM] = "this kernel itself",
        [CACHES_CARRY] = "the launches and copies before",
    };
    const struct replay *replay = r->replay;

    if (who[replay->caches] == NULL)
        return false;
    snprintf(out, size,
             "caches: L2 and translations as %s left them, L1 empty%s",
             who[replay->caches],
             replay->later ? "; of a later launch, behind what most of the "
                             "kernel's are behind"
                           : "");
    return true;
}

static bool result_waves(const struct result *r, char *out, size_t size)
{
    if (!r->replay->gpu->chip.whole_waves)
        return false;
    snprintf(out, size,
             "no-tail: blocks of a last wave that does not fill the SMs were "
             "not simulated, what the others took is scaled to all; what is "
             "said of single instructions is of the others alone");
    return true;
}

static uint64_t count_unknown(const struct result *r)
{
    return r->replay->s->unknown_instructions;
}

static uint64_t count_unaddressed(const struct result *r)
{
    return r->replay->s->unaddressed_constants;
}

static uint64_t count_textures(const struct result *r)
{
    return r->replay->s->unaddressed_textures;
}

static uint64_t count_waits(const struct result *r)
{
    return r->replay->s->unmet_waits;
}

static uint64_t count_untimed_tensor(const struct result *r)
{
    return r->replay->s->tensor_untimed;
}

const char *stands_in(const char *name)
{
    static const struct {
        const char *begins, *text;
    } libraries[] = {
        {"teg_cublas_",
         "teg's own kernel in place of cuBLAS's: the time is that of this one, "
         "1 to 27 % off published times of the library's where they were "
         "compared (docs/exec.md)"},
        {"teg_cudnn_",
         "teg's own kernel in place of cuDNN's: the time is that of this one, "
         "21 % off published times of the library's in the mean where they "
         "were compared, 40 % on an H200 (docs/exec.md)"},
        {"teg_cufft_",
         "teg's own kernel in place of cuFFT's: the time is that of this one, "
         "within a third of published times of the library's for most lengths "
         "that were compared, up to twice for some (docs/exec.md)"},
        {"teg_curand_",
         "teg's own kernel in place of cuRAND's: the time is that of this one, "
         "compared with nothing (docs/exec.md)"},
        {"teg_cusolver_",
         "teg's own kernel in place of cuSOLVER's: the time is that of this "
         "one; of the library's some of Cholesky and QR were compared, single "
         "ones within 37 % (docs/exec.md)"},
        {"teg_cusparse_",
         "teg's own kernel in place of cuSPARSE's: the time is that of this "
         "one, within a quarter of published times of the library's where "
         "products with a vector were compared, half of them and less where "
         "batches of small matrices were (docs/exec.md)"},
    };

    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (strncmp(name, libraries[i].begins, strlen(libraries[i].begins)) ==
            0)
            return libraries[i].text;
    }
    return NULL;
}

static bool result_stands_in(const struct result *r, char *out, size_t size)
{
    const char *text = stands_in(r->replay->s->name);

    if (text != NULL)
        snprintf(out, size, "%s", text);
    return text != NULL;
}

const struct result_remark *result_remarks(uint32_t *count)
{
    static const struct result_remark remarks[] = {
        {"caches", result_caches, NULL},
        {"whole-waves", result_waves, NULL},
        {"unknown-opcode", result_unknown_opcodes, count_unknown},
        {"generation", result_generation, NULL},
        {"tensor-class", result_untimed_tensor, count_untimed_tensor},
        {"tensor-clock", result_tensor_clock, NULL},
        {"cluster-shared", result_cluster, NULL},
        {"unaddressed-constants", result_unaddressed, count_unaddressed},
        {"unaddressed-textures", result_textures, count_textures},
        {"unmet-waits", result_waits, count_waits},
        {"retries", result_retries, NULL},
        {"work-counter", result_work, NULL},
        {"polls", result_polls, NULL},
        {"unnamed-constants", result_unnamed_constants, NULL},
        {"bulk-reductions", result_reductions, NULL},
        {"stands-in", result_stands_in, NULL},
    };

    *count = sizeof remarks / sizeof *remarks;
    return remarks;
}
