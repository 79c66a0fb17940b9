#include "tools/teg/report/traceg.h"

#include <inttypes.h>
#include <string.h>

static void write_header(FILE *f, const struct teg_kernel *k)
{
    fprintf(f, "-kernel name = %s\n-kernel id = 1\n", k->name);
    fprintf(f, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", k->grid[0],
            k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
    fprintf(f, "-shmem = %u\n-nregs = %u\n-binary version = %u\n",
            k->shared_bytes, k->registers, k->isa);
    fprintf(f, "-cuda stream id = 0\n");
    fprintf(f,
            "-shmem base_addr = 0x%016" PRIx64
            "\n-local mem base_addr = 0x%016" PRIx64 "\n",
            k->shared_base, k->local_base);
    fprintf(f, "-nvbit version = 1.5.5\n-accelsim tracer version = 5\n"
               "-enable lineinfo = 0\n\n"
               "#traces format = PC mask dest_num [reg_dests] opcode src_num "
               "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] "
               "immediate\n\n");
}

/* "2 R4 R6 "; only general registers have a place. */
static void write_registers(FILE *f, const struct teg_regs *regs,
                            uint32_t count)
{
    uint32_t general = 0;

    for (uint32_t i = 0; i < count; i++)
        general += regs[i].first < TEG_REG_P;
    fprintf(f, "%u ", general);
    for (uint32_t i = 0; i < count; i++) {
        if (regs[i].first < TEG_REG_P)
            fprintf(f, "R%u ", (unsigned)regs[i].first - TEG_REG_R);
    }
}

/* The lanes of `mask` without a gap, from its lowest on? */
static int contiguous(uint32_t mask)
{
    uint32_t low = mask & (~mask + 1);

    return (mask & (mask + low)) == 0;
}

static int even_steps(const uint64_t *address, uint32_t count, int64_t *step)
{
    *step = count > 1 ? (int64_t)(address[1] - address[0]) : 0;
    for (uint32_t i = 2; i < count; i++) {
        if ((int64_t)(address[i] - address[i - 1]) != *step)
            return 0;
    }
    return *step >= INT32_MIN && *step <= INT32_MAX;
}

/* Mode 1 (base and stride) where the lanes allow it, else mode 2 (base and
 * differences). */
static void write_access(FILE *f, const struct teg_access *a)
{
    uint64_t address[TEG_LANES];
    uint32_t count = 0;
    int64_t step;

    for (uint32_t lane = 0; lane < TEG_LANES; lane++) {
        if (a->mask & (1u << lane))
            address[count++] = teg_access_lane(a, lane);
    }
    if (contiguous(a->mask) && even_steps(address, count, &step)) {
        fprintf(f, "1 0x%" PRIx64 " %" PRId64 " ", address[0], step);
        return;
    }
    fprintf(f, "2 0x%" PRIx64 " ", address[0]);
    for (uint32_t i = 1; i < count; i++)
        fprintf(f, "%" PRId64 " ", (int64_t)(address[i] - address[i - 1]));
}

/* The last one: of who waits for groups, how many may stay open. */
static void write_immediate(FILE *f, const struct teg_inst *inst)
{
    const struct teg_group *g = &inst->group;

    if ((g->does & GROUP_WAITS) == 0)
        fputs("0\n", f);
    else if (g->open != TEG_GROUP_OPEN_UNSAID)
        fprintf(f, "%u\n", g->open);
    else
        fputc('\n', f);
}

static void write_inst(FILE *f, const struct teg_program *program,
                       struct teg_cursor *c)
{
    const struct teg_inst *inst = &program->inst[c->inst];
    size_t length;
    const char *mnemonic =
        teg_text_mnemonic(teg_program_text(program, inst), &length);
    struct teg_access access;
    int has_access = teg_cursor_access(c, &access);

    fprintf(f, "%04" PRIx64 " %08" PRIx32 " ", inst->pc, c->mask);
    write_registers(f, inst->dst, inst->dst_count);
    fprintf(f, "%.*s ", (int)length, mnemonic);
    write_registers(f, inst->src, inst->src_count);
    /* A memory instruction with no active lane still says its width, and
     * some address; the format knows no addresses of constants. */
    if (!teg_inst_has_addresses(inst) || inst->space == SPACE_CONST) {
        fputs("0 ", f);
    } else {
        fprintf(f, "%u ", (unsigned)inst->width);
        if (has_access)
            write_access(f, &access);
        else
            fputs("1 0x0 0 ", f);
    }
    write_immediate(f, inst);
}

static void write_block(FILE *f, const struct teg_program *program,
                        struct teg_block *block)
{
    const uint32_t *position = teg_block_position(block);

    fprintf(f, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", position[0],
            position[1], position[2]);
    for (uint32_t i = 0; i < teg_block_warps(block); i++) {
        struct teg_cursor c;

        fprintf(f, "warp = %u\ninsts = %" PRIu64 "\n",
                teg_block_warp_id(block, i), teg_block_warp_insts(block, i));
        teg_cursor_init(&c, block, i);
        while (teg_cursor_next(&c))
            write_inst(f, program, &c);
        fputc('\n', f);
    }
    fputs("#END_TB\n\n", f);
}

teg_status traceg_write(FILE *f, struct teg_launch *launch, struct teg_diag *d)
{
    write_header(f, launch->kernel);
    for (;;) {
        struct teg_block *block;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL || ferror(f)) {
            if (block != NULL)
                teg_block_free(block);
            return TEG_OK;
        }
        write_block(f, &launch->kernel->program, block);
        teg_block_free(block);
    }
}
