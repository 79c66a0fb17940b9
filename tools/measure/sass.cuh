/*
 * Do the kernels contain the instructions they claim to time?  Reads what
 * `cuobjdump -sass` or `nvdisasm` prints of this program and counts, between
 * the first and the last clock read of a kernel, the opcode it is about.
 */
#pragma once
#include "report.cuh"

#include <unistd.h>

/* Instructions beside the timed ones that are no fault: setting up operands
 * (the difference of two lengths takes them out), and the one or two fillers
 * that the assembler puts behind each dependent tensor product. */
enum {
    OTHERS = 40
};

/* A kernel must have exactly `count` instructions of one of `opcodes` ("A|B",
 * modifiers may follow) in its timed region; in the whole kernel if it is
 * timed from outside. */
struct expectation {
    std::string kernel, opcodes;
    int min_sm, count;
    bool whole;           /* no clock reads: timed by events */
    bool special = false; /* only of code for that one chip, "sm_90a" */
};

struct sass_function {
    std::string name;
    std::vector<std::string> code; /* an instruction without its address */
};

struct sass_listing {
    int arch = 0;         /* as the listing says; 0: it does not */
    bool special = false; /* and with an "a" behind */
    std::vector<sass_function> functions;
};

/* "@!P0 IADD3.X R1, ..." -> "IADD3.X" */
static std::string opcode_of(const std::string &text)
{
    size_t from = 0;

    while (from < text.size() && (text[from] == ' ' || text[from] == '{'))
        from++;
    if (text[from] == '@') {
        from = text.find(' ', from);
        from = from == std::string::npos ? text.size()
                                         : text.find_first_not_of(' ', from);
    }
    if (from == std::string::npos || from >= text.size())
        return "";
    return text.substr(from, text.find_first_of(" ;", from) - from);
}

/* Is `opcode` one of "IADD3|IADD", modifiers aside? */
static bool opcode_is(const std::string &opcode, const std::string &known)
{
    for (size_t from = 0; from <= known.size();) {
        size_t to = std::min(known.find('|', from), known.size());
        size_t length = to - from;

        if (opcode.compare(0, length, known, from, length) == 0 &&
            (opcode.size() == length || opcode[length] == '.'))
            return true;
        from = to + 1;
    }
    return false;
}

/* The instruction of a listing's line "   /*0010*\/   MOV R1, ... ;", or "". */
static std::string instruction_of(const char *line)
{
    const char *at = line + strspn(line, " \t");
    const char *end, *semicolon;

    if (strncmp(at, "/*", 2) != 0 || (end = strstr(at, "*/")) == nullptr ||
        strspn(at + 2, "0123456789abcdef") != (size_t)(end - at - 2) ||
        end - at - 2 > 8)
        return "";
    at = end + 2;
    semicolon = strchr(at, ';');
    if (semicolon == nullptr)
        return "";
    return std::string(at + strspn(at, " \t"), semicolon);
}

/* Reads one architecture's listing; a second one of a fat binary replaces
 * functions of the same name only if it is `wanted` (0: any). */
static sass_listing read_listing(FILE *f, int wanted)
{
    sass_listing l;
    bool take = true;
    char line[4096], name[512];
    int arch;
    char letter;

    while (fgets(line, sizeof line, f) != nullptr) {
        const char *at = line + strspn(line, " \t");
        std::string text;

        letter = 0;
        if (sscanf(at, "arch = sm_%d%c", &arch, &letter) >= 1 ||
            sscanf(at, "code for sm_%d%c", &arch, &letter) >= 1) {
            take = wanted == 0 || arch == wanted;
            if (take) {
                l.arch = arch;
                l.special |= letter == 'a';
            }
        } else if (sscanf(at, "Function : %511s", name) == 1 ||
                   (sscanf(at, ".text.%511[^: \n]:", name) == 1 &&
                    strchr(at, ':') != nullptr)) {
            if (take)
                l.functions.push_back({name, {}});
        } else if (take && !l.functions.empty() &&
                   !(text = instruction_of(line)).empty()) {
            l.functions.back().code.push_back(text);
        }
    }
    return l;
}

/* Returns "ok", or what is wrong. */
static std::string check_function(const sass_function &f, const expectation &e)
{
    size_t first = f.code.size(), last = 0;
    char text[160];
    int found = 0, others;

    for (size_t i = 0; i < f.code.size(); i++) {
        if (f.code[i].find("SR_CLOCK") == std::string::npos)
            continue;
        first = std::min(first, i);
        last = i;
    }
    if (e.whole)
        first = 0, last = f.code.size();
    else if (first >= last)
        return "expected two reads of the clock, found fewer";
    for (size_t i = first; i < last; i++)
        found += opcode_is(opcode_of(f.code[i]), e.opcodes);
    others = (int)(last - first) - found;
    if (found == e.count && (e.whole || others <= 2 * e.count + OTHERS))
        return "ok";
    snprintf(text, sizeof text, "expected %d %s %s, found %d and %d others",
             e.count, e.opcodes.c_str(),
             e.whole ? "in the kernel" : "between the clock reads", found,
             others);
    return text;
}

/* Fills k->sass; returns how many kernels are not as expected. */
static int check_listing(kit *k, const sass_listing &l,
                         const std::vector<expectation> &all, int arch)
{
    int bad = 0;

    for (const expectation &e : all) {
        std::string verdict = "not in the listing";

        if (arch < e.min_sm || (e.special && !l.special))
            continue;
        for (const sass_function &f : l.functions) {
            if (f.name == e.kernel)
                verdict = check_function(f, e);
        }
        k->sass[e.kernel] = verdict;
        bad += verdict != "ok";
    }
    k->sass_checked = true;
    return bad;
}

/* Disassembles this very program, if a disassembler is found. */
static void check_self(kit *k, const std::vector<expectation> &all)
{
    static const char *const tools[] = {"cuobjdump",
                                        "/usr/local/cuda/bin/cuobjdump"};
    char self[4096], command[8192];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length <= 0)
        return;
    self[length] = '\0';
    for (const char *tool : tools) {
        sass_listing l;
        FILE *f;

        snprintf(command, sizeof command,
                 "command -v %s >/dev/null && %s -sass '%s' 2>/dev/null", tool,
                 tool, self);
        f = popen(command, "r");
        if (f == nullptr)
            continue;
        l = read_listing(f, k->code);
        pclose(f);
        if (l.functions.empty())
            continue;
        check_listing(k, l, all, k->code);
        return;
    }
}
