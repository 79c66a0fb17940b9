/* Any 16 bytes as an instruction of every generation: decoded, printed and
 * made a static instruction. */
#include <stdint.h>

#include "isa/sass/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t generations[] = {70, 72, 75,  80,  86,  87,  88,
                                           89, 90, 100, 103, 110, 120, 121};

    for (size_t at = 0; at + 16 <= size; at += 16) {
        for (size_t g = 0; g < sizeof generations / sizeof generations[0];
             g++) {
            struct teg_sass s;
            struct teg_inst inst = {0};
            char text[TEG_SASS_TEXT];

            teg_sass_decode(&s, data + at, at, generations[g]);
            teg_sass_inst(&s, &inst);
            teg_sass_opcode(&s, text);
            teg_sass_text(&s, text);
        }
    }
    return 0;
}
