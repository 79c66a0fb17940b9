/* A tensor map that keeps all rules. */
#ifndef TEG_TESTS_TRACES_EMULATE_HELP_MAP_H
#define TEG_TESTS_TRACES_EMULATE_HELP_MAP_H

#include "traces/emulate/core/tensor_map.h"

static const struct emu_tensor_map help_map = {.address = 0x7f0000000000u,
                                               .rank = 2,
                                               .type = MAP_F16,
                                               .size = {64, 64},
                                               .stride = {2, 128},
                                               .box = {64, 8},
                                               .step = {1, 1}};

#endif
