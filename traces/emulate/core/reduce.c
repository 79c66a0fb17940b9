#include "traces/emulate/core/reduce.h"

#include "traces/emulate/core/half.h"

/* How elements of a type add up and compare. */
enum kind {
    KIND_NONE,
    KIND_UNSIGNED,
    KIND_SIGNED,
    KIND_HALF,
    KIND_BFLOAT,
    KIND_FLOAT,
    KIND_DOUBLE,
};

#define BIT(r)   (1u << REDUCE_##r)
#define ORDER    (BIT(MIN) | BIT(MAX))
#define BITWISE  (BIT(AND) | BIT(OR) | BIT(XOR))
#define COUNTING (BIT(INC) | BIT(DEC))

static const struct {
    uint8_t kind, bits;
    uint16_t reductions;
} types[EMU_MAP_TYPES] = {
    [MAP_U32] = {KIND_UNSIGNED, 32, BIT(ADD) | ORDER | COUNTING | BITWISE},
    [MAP_S32] = {KIND_SIGNED, 32, BIT(ADD) | ORDER | BITWISE},
    [MAP_U64] = {KIND_UNSIGNED, 64, BIT(ADD) | ORDER | BITWISE},
    [MAP_S64] = {KIND_SIGNED, 64, BIT(ADD) | ORDER | BITWISE},
    [MAP_F16] = {KIND_HALF, 16, BIT(ADD) | ORDER},
    [MAP_BF16] = {KIND_BFLOAT, 16, BIT(ADD) | ORDER},
    [MAP_F32] = {KIND_FLOAT, 32, BIT(ADD)},
    [MAP_F32_FTZ] = {KIND_FLOAT, 32, BIT(ADD)},
    [MAP_F64] = {KIND_DOUBLE, 64, BIT(ADD)},
};

int emu_reduces(enum emu_reduction r, uint32_t type)
{
    return (types[type].reductions >> r & 1) != 0;
}

static double value_of(enum kind kind, uint64_t v)
{
    switch (kind) {
    case KIND_HALF:
        return (double)half_value((uint32_t)v);
    case KIND_BFLOAT:
        return (double)bf16_value((uint32_t)v);
    case KIND_FLOAT:
        return (double)float_of((uint32_t)v);
    default:
        return double_of(v);
    }
}

/* Denormals become zeros of their sign. */
static float flushed(uint32_t bits)
{
    return float_of(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

/* What type .ftz flushes: terms and sum.  (PTX ISA, atom: global memory) */
static uint64_t flushed_sum(uint32_t a, uint32_t b)
{
    return bits_of(flushed(float_bits(flushed(a) + flushed(b))));
}

/* Each sum is rounded once: that of two halves as a double is exact. */
static uint64_t sum(uint32_t type, uint64_t a, uint64_t b)
{
    enum kind kind = types[type].kind;
    double s;

    if (kind <= KIND_SIGNED)
        return types[type].bits == 32 ? (uint32_t)(a + b) : a + b;
    if (type == MAP_F32_FTZ)
        return flushed_sum((uint32_t)a, (uint32_t)b);
    if (kind == KIND_FLOAT)
        return float_bits(float_of((uint32_t)a) + float_of((uint32_t)b));
    s = value_of(kind, a) + value_of(kind, b);
    switch (kind) {
    case KIND_HALF:
        return half_bits(s);
    case KIND_BFLOAT:
        return bf16_bits(s);
    default:
        return bits_of_double(s);
    }
}

static int less(uint32_t type, uint64_t a, uint64_t b)
{
    enum kind kind = types[type].kind;

    if (kind == KIND_UNSIGNED)
        return a < b;
    if (kind == KIND_SIGNED)
        return types[type].bits == 32 ? (int32_t)a < (int32_t)b
                                      : (int64_t)a < (int64_t)b;
    return value_of(kind, a) < value_of(kind, b);
}

uint64_t emu_reduced(enum emu_reduction r, uint32_t type, uint64_t old,
                     uint64_t v)
{
    switch (r) {
    case REDUCE_ADD:
        return sum(type, old, v);
    case REDUCE_MIN:
        return less(type, v, old) ? v : old;
    case REDUCE_MAX:
        return less(type, old, v) ? v : old;
    case REDUCE_INC:
        return old >= v ? 0 : old + 1;
    case REDUCE_DEC:
        return old == 0 || old > v ? v : old - 1;
    case REDUCE_AND:
        return old & v;
    case REDUCE_OR:
        return old | v;
    default:
        return old ^ v;
    }
}
