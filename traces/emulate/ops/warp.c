/* What lanes do with each other, special registers, and hints.  Control flow
 * is in emulate.c. */
#include "traces/emulate/core/operand.h"
#include "traces/emulate/ops/extreme.h"

EXEC(nop)
{
    (void)w, (void)op, (void)mask;
}

/* ---- special registers ---------------------------------------------------- */

/* Position of every lane's thread in the block along `axis`. */
static void thread_index(const struct emu_warp *w, unsigned axis,
                         uint32_t out[EMU_LANES])
{
    const uint32_t *dim = w->block->dim;
    uint32_t t = w->number * EMU_LANES;
    uint32_t at[3] = {t % dim[0], t / dim[0] % dim[1], t / dim[0] / dim[1]};

    LANES
    {
        out[l] = at[axis];
        if (++at[0] != dim[0])
            continue;
        at[0] = 0;
        if (++at[1] != dim[1])
            continue;
        at[1] = 0;
        at[2]++;
    }
}

/* Warps that fit an SM.  (CUDA C++ Programming Guide, technical specifications
 * per compute capability) */
static uint32_t warps_of_sm(uint32_t cc)
{
    return cc == 75 ? 32 : (cc >= 86 && cc < 90) || cc >= 120 ? 48 : 64;
}

/* Returns 0 if nothing is known of the register, else its value in `*value`. */
static int special_register(const struct emu_warp *w, unsigned number, int lane,
                            uint32_t *value)
{
    const struct emu_block *b = w->block;
    uint32_t below = (1u << lane) - 1;

    switch (number) {
    case 0x00:
        *value = (uint32_t)lane;
        return 1;
    case 0x02:
        *value = warps_of_sm(b->cc) << 8; /* SR_VIRTCFG: %nwarpid in 15:8 */
        return 1;
    case 0x03:
        *value = w->number << 8; /* SR_VIRTID: %warpid in bits 14:8 */
        return 1;
    case 0x25:
    case 0x26:
    case 0x27:
        *value = b->position[number - 0x25];
        return 1;
    case 0x2e: /* windows of local and shared memory: upper, lower words */
        *value = (uint32_t)(EMU_LOCAL_WINDOW >> 32);
        return 1;
    case 0x2f:
        *value = (uint32_t)(EMU_SHARED_WINDOW >> 32);
        return 1;
    case 0x32:
        *value = (uint32_t)b->shared_bytes;
        return 1;
    case 0x38:
        *value = 1u << lane;
        return 1;
    case 0x39:
        *value = below;
        return 1;
    case 0x3a:
        *value = below | 1u << lane;
        return 1;
    case 0x3b:
        *value = ~below & ~(1u << lane);
        return 1;
    case 0x3c:
        *value = ~below;
        return 1;
    case 0x50: /* time goes on with what is executed */
    case 0x52:
        *value = (uint32_t)w->executed;
        return 1;
    case 0x88:
        *value = b->rank; /* SR_CgaCtaId */
        return 1;
    case 0x30: /* the windows begin at multiples of 2^32 */
    case 0x34:
    case 0x37: /* SR_LMEMHIOFF: below it the stack has no room */
    case 0x8a: /* SR_CgaSize: how far below what is known of a cluster stands
                  in bank 0; the emulator puts it where nothing is in one */
    case 0x43: /* SR_VIRTUALSMID: every block runs on the first */
    case 0x51:
    case 0x53:
    case TEG_SASS_RZ: /* SRZ */
        *value = 0;
        return 1;
    default:
        return 0;
    }
}

/* The others are the same in all lanes. */
static int is_of_lane(unsigned number)
{
    return number == 0x00 || (number >= 0x38 && number <= 0x3c);
}

EXEC(s2r)
{
    unsigned number = emu_bits(op, 79, 72);
    uint32_t out[EMU_LANES], same = 0;
    int known = 1;

    if (number >= 0x21 && number <= 0x23) {
        thread_index(w, number - 0x21, out);
    } else if (is_of_lane(number)) {
        LANES known &= special_register(w, number, l, &out[l]);
    } else {
        known = special_register(w, number, 0, &same);
        LANES out[l] = same;
    }
    if (!known) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "this special register is not emulated");
        return;
    }
    emu_write(w, op->d, 0, mask, out);
    if (op->d != NULL && op->d->count == 2) {
        LANES out[l] = 0;
        emu_write(w, op->d, 1, mask, out);
    }
}

/* ---- between lanes ----------------------------------------------------------- */

/* The source lane of `lane` and whether it is in range.  (PTX ISA, shfl) */
static uint32_t shuffle_source(unsigned mode, uint32_t lane, uint32_t b,
                               uint32_t c, uint32_t *ok)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31;
    uint32_t least = lane & segment, most = least | (clamp & ~segment);
    uint32_t j;

    b &= 31;
    switch (mode) {
    case 0:
        j = least | (b & ~segment);
        *ok = j <= most;
        break;
    case 1:
        j = lane - b;
        *ok = (int32_t)j >= (int32_t)most;
        break;
    case 2:
        j = lane + b;
        *ok = j <= most;
        break;
    default:
        j = lane ^ b;
        *ok = j <= most;
        break;
    }
    return *ok ? j : lane;
}

/* Lane and bound are registers or immediates, by the form.  What a lane that
 * takes no part would give is undefined; 0 is what programs get away with that
 * add it up, as the vendor's reduction sample does. */
EXEC(shfl)
{
    uint32_t out[EMU_LANES], in_range = 0, strays = 0;
    const uint32_t *a = emu_row(w, op->a, 0);
    unsigned mode = emu_bits(op, 59, 58), code = emu_bits(op, 11, 0);
    int lane_given = code == 0x989 || code == 0xf89;
    int bound_given = code == 0x589 || code == 0xf89;
    const uint32_t *b = emu_row(w, op->b, 0);
    const uint32_t *c = emu_row(w, op->c, 0);

    LANES
    {
        uint32_t ok;
        uint32_t from = shuffle_source(
            mode, (uint32_t)l, lane_given ? emu_bits(op, 57, 53) : b[l],
            bound_given ? emu_bits(op, 52, 40) : c[l], &ok);

        int there = (int)(mask >> (from & 31) & 1);

        out[l] = there ? a[from & 31] : 0;
        strays += !there && mask >> l & 1;
        in_range |= ok << l;
    }
    w->undefined[EMU_STRAY_SHUFFLES] += strays;
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, in_range);
}

/* 0 ALL, 1 ANY, 2 EQ */
EXEC(vote)
{
    uint32_t votes = emu_predicate(w, op->p) & mask, out[EMU_LANES];
    unsigned mode = emu_bits(op, 73, 72);
    int result = mode == 0   ? votes == mask
                 : mode == 1 ? votes != 0
                             : votes == 0 || votes == mask;

    LANES out[l] = votes;
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, result ? EMU_ALL : 0);
}

EXEC(match)
{
    uint64_t value[EMU_LANES];
    uint32_t out[EMU_LANES] = {0}, all = 1;
    int wide = emu_bit(op, 73), any = emu_bit(op, 79);
    uint32_t first = mask != 0 ? (uint32_t)__builtin_ctz(mask) : 0;

    emu_int64(w, op->a, 0, value);
    LANES value[l] = wide ? value[l] : (uint32_t)value[l];
    LANES
    {
        for (int m = 0; m < EMU_LANES; m++) {
            if ((mask >> m & 1) && value[m] == value[l])
                out[l] |= 1u << m;
        }
        if (mask >> l & 1)
            all &= value[l] == value[first];
    }
    if (!any)
        LANES out[l] = all ? mask : 0;
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, all ? EMU_ALL : 0);
}

/* 0 AND, 1 OR, 2 XOR, 3 SUM, 4 MIN, 5 MAX over the lanes, into a uniform
 * register */
EXEC(redux)
{
    uint32_t out[EMU_LANES], total = 0;
    const uint32_t *a = emu_row(w, op->a, 0);
    unsigned how = emu_bits(op, 80, 78);
    int is_signed = emu_bit(op, 73), first = 1;

    LANES
    {
        uint32_t v = a[l];
        int lesser;

        if ((mask >> l & 1) == 0)
            continue;
        lesser = is_signed ? (int32_t)v < (int32_t)total : v < total;
        total = first      ? v
                : how == 0 ? total & v
                : how == 1 ? total | v
                : how == 2 ? total ^ v
                : how == 3 ? total + v
                           : (lesser == (how == 4) ? v : total);
        first = 0;
    }
    LANES out[l] = total;
    emu_write(w, op->d, 0, mask, out);
}

/* The least (79) or greatest of the lanes' numbers: type (74:73), absolute values
 * (78), .NAN (77). */
EXEC(credux)
{
    const uint32_t *a = emu_row(w, op->a, 0);
    const struct emu_extreme e = {
        (enum emu_extreme_type)emu_bits(op, 74, 73),
        emu_bit(op, 79),
        emu_bit(op, 78),
        emu_bit(op, 77),
    };
    uint32_t value[EMU_LANES], out[EMU_LANES], total;
    size_t count = 0;

    if (!emu_extreme_is(&e)) {
        emu_refuse(w, op);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        value[count++] = a[__builtin_ctz(rest)];
    total = emu_extreme_of(&e, value, count);
    LANES out[l] = total;
    emu_write(w, op->d, 0, mask, out);
}

/* The lowest lane's value.  The predicate tells which lanes have another, with
 * .OR (84) which had before: loops over lanes of one value each go by it. */
EXEC(r2ur)
{
    const uint32_t *a = emu_row(w, op->a, 0);
    uint32_t first = mask != 0 ? a[__builtin_ctz(mask)] : 0, differ = 0;

    /* .BROADCAST stands where one lane of a warp executes it, with a vote for
     * the predicate beside it: no lanes can differ (inferred). */
    if (op->cc >= 100 && emu_bit(op, 87) &&
        (op->u != NULL || (mask & (mask - 1)) != 0)) {
        emu_refuse(w, op);
        return;
    }

    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        differ |= (uint32_t)(a[__builtin_ctz(rest)] != first)
                  << __builtin_ctz(rest);
    if (op->u != NULL && emu_bit(op, 84))
        differ |= emu_predicate(w, op->u);
    emu_write(w, op->d, 0, mask, a);
    emu_write_predicate(w, op->u, mask, differ);
}

/* ---- barriers of convergence as registers, results of BAR.RED --------------- */

EXEC(bmov)
{
    uint32_t out[EMU_LANES], active[EMU_LANES];
    const uint32_t *given;
    unsigned code = emu_bits(op, 11, 0), number = emu_bits(op, 28, 24);

    emu_spread(mask, active);
    if (number >= EMU_CONVERGENCE) {
        emu_fault(w, op, -1, TEG_LIMIT, "thread state is not emulated");
        return;
    }
    if (code == 0x355) {
        LANES out[l] = w->meets[number][l];
        emu_write(w, op->d, 0, mask, out);
        if (emu_bit(op, 84))
            LANES w->meets[number][l] &= ~active[l];
    } else if (code == 0x356 && mask != 0) {
        given = emu_row(w, op->b, 0);
        LANES w->meets[number][l] ^=
            (w->meets[number][l] ^ given[l]) & active[l];
    } else {
        emu_refuse(w, op);
    }
}

EXEC(b2r)
{
    uint32_t out[EMU_LANES];

    LANES out[l] = w->barrier_result;
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, w->barrier_result != 0 ? EMU_ALL : 0);
}

/* Its own address, or the one given, for a call to return to. */
EXEC(lepc)
{
    uint64_t at[EMU_LANES];

    for (int l = 0; l < EMU_LANES; l++)
        at[l] = op->t != NULL ? (uint64_t)op->t->value : op->pc;
    emu_write64(w, op->d, mask, at);
}

/* Whether generic addresses lie in a space: 0 global, 1 local, 2 shared memory
 * of the block, 3 of its cluster. */
EXEC(qspc)
{
    uint64_t at[EMU_LANES];
    uint32_t in[4] = {0};

    if (op->d != NULL) {
        emu_refuse(w, op);
        return;
    }
    emu_addresses(w, op->m, at);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        if (at[l] - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES)
            in[1] |= 1u << l;
        else if (at[l] - EMU_SHARED_WINDOW < EMU_CLUSTER_BYTES)
            in[3] |= 1u << l;
        if (at[l] - EMU_SHARED_WINDOW -
                ((uint64_t)w->block->rank << EMU_RANK_BIT) <
            EMU_WINDOW_BYTES)
            in[2] |= 1u << l;
    }
    in[0] = ~(in[1] | in[3]);
    emu_write_predicate(w, op->u, mask, in[emu_bits(op, 74, 73)]);
}

/* The lowest lane is chosen. */
EXEC(elect)
{
    uint32_t lanes = mask & emu_predicate(w, op->p), out[EMU_LANES];
    uint32_t first = lanes != 0 ? (uint32_t)__builtin_ctz(lanes) : 0;

    LANES out[l] = first;
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, lanes & -lanes);
}

/* What compiled code found wrong that ends in the trap at `pc`: the function
 * around it is named so. */
static const char *reason_of(const struct emu_block *b, uint64_t pc)
{
    static const struct {
        const char *part, *reason;
    } reasons[] = {
        {"unallocated_columns_being_dealloced",
         "columns of tensor memory that are not allocated are freed"},
        {"col_being_dealloced_not_returned_by_alloc",
         "tensor memory is freed where no allocation begins"},
        {"phase_invalid_during_alloc",
         "tensor memory is allocated after the permit was relinquished"},
        {"allocation_granularity_invalid",
         "so many columns of tensor memory cannot be allocated"},
        {"access_out_of_physical_bounds", "an access leaves tensor memory"},
        {"unallocated_columns_access",
         "columns of tensor memory are accessed that are not allocated"},
    };
    const struct teg_cubin *c = b->module != NULL ? b->module->cubin : NULL;

    for (uint32_t i = 0; c != NULL && i < c->symbol_count; i++) {
        const struct teg_cubin_symbol *s = &c->symbol[i];

        if (s->region != CUBIN_CODE || pc < s->value ||
            pc - s->value >= s->size || s->kernel < 0 ||
            strcmp(c->kernel[s->kernel].name, b->kernel->name) != 0)
            continue;
        for (size_t k = 0; k < sizeof reasons / sizeof reasons[0]; k++) {
            if (strstr(s->name, reasons[k].part) != NULL)
                return reasons[k].reason;
        }
    }
    return "the kernel traps itself";
}

EXEC(bpt)
{
    if (emu_bits(op, 86, 84) == 3)
        emu_fault(w, op, __builtin_ctz(mask), TEG_LIMIT, "%s",
                  reason_of(w->block, op->pc));
}

const struct emu_row_of EMU_TABLE(warp)[] = {
    {"NOP", nop},
    {"MEMBAR", nop},
    {"DEPBAR", nop},
    {"LDGDEPBAR", nop},
    {"ERRBAR", nop},
    {"CGAERRBAR", nop},
    {"PREEXIT", nop}, /* who depends on this launch comes after its end */
    {"ACQBULK", nop},
    {"CCTL", nop},
    {"UTMACMDFLUSH", nop},
    {"S2R", s2r},
    {"S2UR", s2r},
    {"CS2R", s2r},
    {"CS2UR", s2r},
    {"SHFL", shfl},
    {"VOTE", vote},
    {"VOTEU", vote},
    {"MATCH", match},
    {"REDUX", redux},
    {"R2UR", r2ur},
    {"BMOV", bmov},
    {"B2R", b2r},
    {"QSPC", qspc},
    {"LEPC", lepc},
    {"ELECT", elect},
    {"CREDUX", credux},
    {"BPT", bpt},
    {"FENCE.VIEW.ASYNC", nop},
    {0},
};
