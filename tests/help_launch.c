#include "tests/help_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/block/block.h"

static void add_value(struct teg_block_builder *b, const struct help_step *s,
                      uint32_t number, int of_each)
{
    const uint64_t *value = s->lane + TEG_LANES;
    uint64_t lane[TEG_LANES];

    for (uint32_t l = 0; l < TEG_LANES; l++)
        lane[l] = of_each ? value[number * TEG_LANES + l]
                          : value[number] + (uint64_t)((int64_t)s->stride * l);
    teg_block_builder_value(b, lane);
}

static void add_step(struct teg_block_builder *b, const struct teg_program *p,
                     const struct help_step *s)
{
    uint64_t lane[TEG_LANES];

    for (uint32_t l = 0; l < TEG_LANES; l++)
        lane[l] = s->lane != NULL
                      ? s->lane[l]
                      : s->base + (uint64_t)((int64_t)s->stride * l);
    teg_block_builder_inst(b, s->inst, s->mask, lane);
    for (uint32_t v = 0; s->mask != 0 && v < teg_inst_values(&p->inst[s->inst]);
         v++)
        add_value(b, s, v,
                  p->inst[s->inst].values == VALUES_TEXELS ||
                      p->inst[s->inst].values == VALUES_SLEEP);
}

static teg_status next(void *self, struct teg_block **block, struct teg_diag *d)
{
    struct help_launch *h = self;
    struct teg_block_builder *b;
    const uint8_t *bytes;
    size_t size;
    teg_status status;

    *block = NULL;
    if (h->next == h->blocks)
        return TEG_OK;
    status = teg_block_builder_new(&h->kernel.program, &b, d);
    if (status != TEG_OK)
        return status;
    teg_block_builder_begin(b, (uint32_t[]){h->next, 0, 0});
    for (uint32_t w = 0; w < h->warps_per_block; w++) {
        const struct help_warp *warp =
            &h->warp[(size_t)h->next * h->warps_per_block + w];

        teg_block_builder_warp(b, w);
        for (uint32_t i = 0; i < warp->steps; i++)
            add_step(b, &h->kernel.program, &warp->step[i]);
    }
    status = teg_block_builder_end(b, &bytes, &size, d);
    if (status == TEG_OK)
        status = teg_block_open(&h->kernel.program, bytes, size, "test", 0,
                                block, d);
    teg_block_builder_free(b);
    h->next++;
    return status;
}

void help_launch_open(struct help_launch *h, struct teg_launch *launch)
{
    h->next = 0;
    *launch = (struct teg_launch){
        .kernel = &h->kernel,
        .self = h,
        .next = next,
    };
}

void help_launch_release(struct help_launch *h)
{
    teg_kernel_release(&h->kernel);
}

uint32_t help_inst(struct teg_program *p, struct teg_inst inst,
                   const char *text)
{
    uint32_t index = 0;
    struct teg_diag d;

    inst.pc = 8u * p->count;
    if (teg_program_add(p, &inst, text, &index, &d) != TEG_OK)
        abort();
    return index;
}

static uint32_t add(struct teg_program *p, struct teg_inst *inst)
{
    return help_inst(p, *inst, teg_op_class_facts(inst->op_class)->key);
}

static void add_source(struct teg_inst *inst, uint16_t reg)
{
    if (reg != 255)
        inst->src[inst->src_count++] = (struct teg_regs){reg, 1};
}

uint32_t help_arith(struct teg_program *p, enum teg_op_class class_,
                    uint16_t dst, uint16_t a, uint16_t b, uint16_t c)
{
    struct teg_inst inst = {.op_class = (uint8_t)class_};

    if (dst != 255)
        inst.dst[inst.dst_count++] = (struct teg_regs){dst, 1};
    add_source(&inst, a);
    add_source(&inst, b);
    add_source(&inst, c);
    return add(p, &inst);
}

uint32_t help_arith_reuse(struct teg_program *p, enum teg_op_class class_,
                          uint16_t dst, const uint16_t src[3], uint32_t reuse)
{
    struct teg_inst inst = {.pc = 8u * p->count, .op_class = (uint8_t)class_};
    char text[96];
    struct teg_diag d;
    uint32_t index;
    int n;

    if (dst != 255)
        inst.dst[inst.dst_count++] = (struct teg_regs){dst, 1};
    n = snprintf(text, sizeof text, "OP R%u", dst);
    for (int i = 0; i < 3; i++) {
        add_source(&inst, src[i]);
        if (src[i] == 255)
            n += snprintf(text + n, sizeof text - (size_t)n, ", RZ");
        else
            n += snprintf(text + n, sizeof text - (size_t)n, ", %sR%u%s",
                          i == 1 ? "-" : "", src[i],
                          reuse >> i & 1 ? ".reuse" : "");
    }
    if (teg_program_add(p, &inst, text, &index, &d) != TEG_OK)
        abort();
    return index;
}

uint32_t help_memory(struct teg_program *p, enum teg_op_class class_,
                     enum teg_space space, uint16_t flags, uint16_t width,
                     uint16_t reg, uint16_t address)
{
    struct teg_inst inst = {
        .op_class = (uint8_t)class_,
        .space = (uint8_t)space,
        .flags = flags,
        .width = width,
    };

    add_source(&inst, address);
    if (flags & INST_STORE)
        add_source(&inst, reg);
    else if (reg != 255)
        inst.dst[inst.dst_count++] = (struct teg_regs){reg, 1};
    return add(p, &inst);
}

uint32_t help_values(struct teg_program *p, enum teg_op_class class_,
                     enum teg_space space, uint16_t flags,
                     enum teg_values values)
{
    struct teg_inst inst = {.op_class = (uint8_t)class_,
                            .space = (uint8_t)space,
                            .flags = flags,
                            .values = (uint8_t)values};

    return add(p, &inst);
}

uint32_t help_exit(struct teg_program *p)
{
    struct teg_inst inst = {.op_class = CLASS_EXIT, .flags = INST_EXIT};

    return add(p, &inst);
}

uint32_t help_barrier(struct teg_program *p)
{
    struct teg_inst inst = {.op_class = CLASS_BARRIER, .flags = INST_BARRIER};

    return add(p, &inst);
}

static uint32_t add_cluster_barrier(struct teg_program *p, uint16_t flag)
{
    struct teg_inst inst = {.op_class = CLASS_BARRIER,
                            .flags = (uint16_t)(INST_CLUSTER | flag)};

    return add(p, &inst);
}

uint32_t help_cluster_arrive(struct teg_program *p)
{
    return add_cluster_barrier(p, INST_ARRIVE);
}

uint32_t help_cluster_wait(struct teg_program *p)
{
    return add_cluster_barrier(p, INST_BARRIER);
}

uint32_t help_lets_grids(struct teg_program *p)
{
    struct teg_inst inst = {.op_class = CLASS_NOP, .flags = INST_GRID};

    return add(p, &inst);
}

uint32_t help_waits_for_grid(struct teg_program *p)
{
    struct teg_inst inst = {.op_class = CLASS_MEMBAR, .flags = INST_GRID};

    return add(p, &inst);
}

uint64_t help_random(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 2685821657736338717u;
}

uint32_t help_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(help_random(state) % n);
}
