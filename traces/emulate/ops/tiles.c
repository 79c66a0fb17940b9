/*
 * What moves 8 x 8 tiles of 16-bit elements: between lanes (MOVM), and between
 * them and shared memory (LDSM, STSM).  A lane l = 4 g + t holds columns 2 t
 * and 2 t + 1 of row g.  (PTX ISA, ldmatrix)
 */
#include "traces/emulate/ops/memory.h"

/* An 8 x 8 tile of 16-bit elements, of which a lane holds two of a row, is
 * turned over. */
EXEC(movm)
{
    const uint32_t *a = emu_row(w, op->a, 0);
    uint16_t tile[8][8];
    uint32_t out[EMU_LANES];

    for (unsigned l = 0; l < EMU_LANES; l++) {
        tile[l / 4][2 * (l % 4)] = (uint16_t)a[l];
        tile[l / 4][2 * (l % 4) + 1] = (uint16_t)(a[l] >> 16);
    }
    for (unsigned l = 0; l < EMU_LANES; l++)
        out[l] = tile[2 * (l % 4)][l / 4] |
                 (uint32_t)tile[2 * (l % 4) + 1][l / 4] << 16;
    emu_write(w, op->d, 0, mask, out);
}

/* 8x8 matrices of 16-bit elements: lanes 8m .. 8m+7 point at the rows of
 * matrix m; a lane gets two elements of each. */
EXEC(ldsm)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    int transposed = emu_bit(op, 78);
    uint64_t at[EMU_LANES];

    emu_lanes_at(w, op, op->m, EMU_SHARED, at);
    for (unsigned m = 0; m < count; m++) {
        uint16_t element[8][8];
        uint32_t out[EMU_LANES];

        for (unsigned row = 0; row < 8; row++) {
            const void *from =
                emu_access_at(w, op, (int)(8 * m + row), EMU_SHARED,
                              at[8 * m + row], 16, EMU_UPDATE);

            if (from == NULL)
                return;
            memcpy(element[row], from, 16);
        }
        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned x = l / 4, y = 2 * (l % 4);
            uint32_t low = transposed ? element[y][x] : element[x][y];
            uint32_t high = transposed ? element[y + 1][x] : element[x][y + 1];

            out[l] = high << 16 | low;
        }
        emu_write(w, op->d, m, mask, out);
    }
}

/* The reverse of LDSM. */
EXEC(stsm)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    int transposed = emu_bit(op, 78);
    uint64_t at[EMU_LANES];

    emu_lanes_at(w, op, op->m, EMU_SHARED, at);
    for (unsigned m = 0; m < count; m++) {
        const uint32_t *value = emu_row(w, emu_stored(op), m);
        uint16_t element[8][8];

        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned x = l / 4, y = 2 * (l % 4);

            for (unsigned i = 0; i < 2; i++)
                *(transposed ? &element[y + i][x] : &element[x][y + i]) =
                    (uint16_t)(value[l] >> 16 * i);
        }
        for (unsigned row = 0; row < 8; row++) {
            void *to = emu_access_at(w, op, (int)(8 * m + row), EMU_SHARED,
                                     at[8 * m + row], 16, EMU_UPDATE);

            if (to == NULL)
                return;
            memcpy(to, element[row], 16);
        }
    }
    (void)mask;
}

const struct emu_row_of EMU_TABLE(tiles)[] = {
    {"MOVM", movm},
    {"LDSM", ldsm},
    {"STSM", stsm},
    {0},
};
