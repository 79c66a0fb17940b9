/* Instructions made of opcodes and operands, as texts. */
#ifndef TEG_TESTS_ISA_INST_OPCODES_H
#define TEG_TESTS_ISA_INST_OPCODES_H

#include "isa/inst/opcode.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_suite.h"

/* Registers from a list like "R4 RZ P0". */
static inline uint8_t parse_list(const char *list, uint16_t out[16])
{
    uint8_t n = 0;

    while (*list != '\0') {
        size_t length = strcspn(list, " ");
        int r = teg_register_parse(list, length);

        ck_assert_msg(r != -2, "%s", list);
        out[n++] = r == -1 ? TEG_OPERAND_ZERO : (uint16_t)r;
        list += length;
        list += strspn(list, " ");
    }
    return n;
}

static inline struct teg_inst inst_of(const char *opcode, uint32_t cc,
                                      const char *dst, const char *src)
{
    struct teg_operands o = {0};
    struct teg_inst inst = {0};

    o.dst_count = parse_list(dst, o.dst);
    o.src_count = parse_list(src, o.src);
    teg_inst_from_opcode(&inst, opcode, cc, &o);
    return inst;
}

static inline void print_list(const struct teg_regs *list, unsigned n,
                              char *out)
{
    char name[8];

    *out = '\0';
    for (unsigned i = 0; i < n; i++)
        out += sprintf(out, "%s%s*%u", i ? " " : "",
                       teg_register_name(list[i].first, name), list[i].count);
}

/* Checks destinations and sources, written "R4*2 P?*1". */
static inline void expect(const char *opcode, uint32_t cc, const char *dst,
                          const char *src, const char *want_dst,
                          const char *want_src)
{
    struct teg_inst inst = inst_of(opcode, cc, dst, src);
    char text[256];

    print_list(inst.dst, inst.dst_count, text);
    ck_assert_msg(strcmp(text, want_dst) == 0, "%s: dst %s, expected %s",
                  opcode, text, want_dst);
    print_list(inst.src, inst.src_count, text);
    ck_assert_msg(strcmp(text, want_src) == 0, "%s: src %s, expected %s",
                  opcode, text, want_src);
}

#endif
