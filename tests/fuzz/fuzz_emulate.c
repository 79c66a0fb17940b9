/* Any 16 bytes as an instruction of a kernel: it runs, or it ends with a
 * diagnostic.  The first byte chooses the generation, and whether the two blocks
 * run at once, as a cluster or a cooperative grid.  The parameters are a buffer
 * and the handle of a texture and surface in it. */
#include <stdint.h>

#include "traces/emulate/core/emulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t generations[] = {70, 75, 80, 86, 89, 90};
    uint8_t params[64] = {0};
    char name[] = "fuzz", path[] = "fuzz.cubin";
    /* the second is a function, which the same code may call */
    struct teg_cubin_kernel kernel[2] = {{
        .name = name,
        .is_entry = 1,
        .registers = 32,
        .shared_bytes = 256,
        .local_bytes = 64,
        .param_base = 0x160,
        .param_bytes = sizeof params,
    }};
    struct teg_cubin cubin = {
        .path = path, .kernel = kernel, .kernel_count = 2};
    struct emu_launch_facts facts = {
        .grid = {2, 1, 1},
        .block = {40, 1, 1},
        .params = params,
        .param_bytes = sizeof params,
        .limit.insts = 500,
    };
    struct emu_texture item = {
        .pitch = 64,
        .slice = 64,
        .size = {4, 4, 1},
        .layers = 1,
        .dimensions = 2,
        .channels = 4,
        .bits = 32,
        .kind = TEXEL_FLOAT,
        .is_linear = 1,
    };
    struct emu_textures textures = {.item = &item, .count = 1};
    struct emu_device *device;
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_diag d;
    uint64_t address;

    if (size < 17)
        return 0;
    cubin.sm = generations[data[0] % 6];
    facts.cooperative = data[0] >> 6 & 1;
    if (data[0] >> 7 && cubin.sm >= 90)
        facts.cluster[0] = 2, facts.cluster[1] = facts.cluster[2] = 1;
    facts.textures = &textures;
    kernel[0].code.data = data + 1;
    kernel[0].code.size = (size - 1) / 16 * 16;
    if (kernel[0].code.size > 1024)
        return 0;
    kernel[1].name = name;
    kernel[1].code = kernel[0].code;
    if (emu_device_new(&device, &d) != TEG_OK)
        return 0;
    if (emu_device_alloc(device, 256, &address, &d) == TEG_OK) {
        for (int i = 0; i < 8; i++)
            params[i] = (uint8_t)(address >> 8 * i);
        params[8] = 1;
        item.address = address;
        if (emu_launch(&cubin, kernel, device, &facts, &launch, &d) == TEG_OK) {
            while (launch.next(launch.self, &block, &d) == TEG_OK &&
                   block != NULL)
                teg_block_free(block);
            launch.close(launch.self);
        }
    }
    emu_device_free(device);
    return 0;
}
