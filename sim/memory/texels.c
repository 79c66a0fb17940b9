#include "sim/memory/texels.h"

#include "isa/base/minmax.h"
#include "sim/memory/lanes.h"
#include "sim/memory/wanted.h"

enum {
    FORMAT, /* values */
    TEXEL,
    QUAD = 4,
    CORNERS = 4,     /* of a bilinear sample */
    BYTES_MAX = 16,  /* of a texel */
    FIELD_MAX = 255, /* of the format */
};

/* Whether no lane has a texel of that number. */
static int is_unused(const struct teg_access *value)
{
    return value->shape == SHAPE_LINE && value->stride == 0 &&
           value->base == UINT64_MAX;
}

/* Passes through a texture unit that a lane's sample takes. */
static uint32_t passes_of(const struct teg_gpu *gpu, uint64_t format,
                          uint32_t texels, uint32_t bytes)
{
    uint32_t once = gpu->texture.texel_bytes, wide = (bytes + once - 1) / once;
    uint32_t samples = (texels + CORNERS - 1) / CORNERS;

    if (wide > 1 && (format >> TEG_TEXEL_FILTER_BIT & 1) != 0)
        wide = (uint32_t)teg_max(wide, gpu->texture.wide_filter);
    return (uint32_t)teg_max(samples, 1) * wide;
}

/* Marks the texels of a lane; returns how many. */
static uint32_t mark_lane(struct sim_wanted *w, const struct teg_access *value,
                          uint32_t used, uint32_t lane, uint32_t bytes)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < used; i++) {
        uint64_t at = teg_access_lane(&value[TEXEL + i], lane);
        uint64_t left = TEG_LINE_BYTES - at % TEG_LINE_BYTES;

        if (at == UINT64_MAX)
            continue;
        /* A texel is aligned to its size, so this is for damaged traces. */
        sim_wanted_bytes(w, at, teg_min(bytes, left));
        n++;
    }
    return n;
}

void sim_plan_texels(struct sim_plan *plan, const struct teg_gpu *gpu,
                     uint32_t inst_flags, uint32_t mask,
                     const struct teg_access *value)
{
    struct sim_request *r = &plan->request;
    uint32_t used = TEG_TEXELS_MAX, passes[TEG_LANES / QUAD] = {0};
    struct sim_wanted w;

    *r = (struct sim_request){
        .space = SPACE_TEXTURE,
        .is_store = (inst_flags & INST_STORE) != 0,
        .active = (uint16_t)sim_count_lanes(mask),
    };
    plan->count = plan->remotes = 0;
    plan->groups = 1;
    sim_wanted_begin(&w, plan);
    while (used != 0 && is_unused(&value[TEXEL + used - 1]))
        used--;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = sim_first_lane(rest);
        uint64_t format = teg_access_lane(&value[FORMAT], lane);
        uint32_t bytes =
            (uint32_t)teg_min(teg_max(format & FIELD_MAX, 1), BYTES_MAX);
        uint32_t texels = mark_lane(&w, value, used, lane, bytes);
        uint32_t *quad = &passes[lane / QUAD];

        r->useful_bytes += texels * bytes;
        *quad = (uint32_t)teg_max(*quad, passes_of(gpu, format, texels, bytes));
    }
    for (uint32_t i = 0; i < TEG_LANES / QUAD; i++)
        r->passes += passes[i];
    sim_wanted_end(&w);
    r->transactions = plan->count;
    r->coalesced =
        plan->count <= (r->useful_bytes + TEG_LINE_BYTES - 1) / TEG_LINE_BYTES;
}
