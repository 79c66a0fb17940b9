/*
 * measure: what a GPU's instructions, memories and schedulers really cost.
 *
 *   nvcc -O3 -std=c++17 -arch=native tools/measure/measure.cu -o measure
 *   ./measure >measurements.json
 *   teg gpus --from-measurements measurements.json
 *
 * docs/measuring.md says what each number means.  Sections are rows of a
 * table; the operations that are timed one by one are rows of ops.def.
 */
#include "section_atomics_types.cuh"
#include "section_chip.cuh"
#include "section_hopper.cuh"
#include "section_memory.cuh"
#include "section_ops.cuh"
#include "section_sms.cuh"

#include <cstdlib>

#define KIT_VERSION "1.1"

static const struct section {
    const char *name, *help;
    bool (*run)(kit *k, bench *b);
    double weight; /* part of the whole time it may take */
} sections[] = {
    {"clock", "SM clock under load against the global timer", section_clock, 1},
    {"ops", "latency, same-warp interval and throughput of every operation",
     section_ops, 8},
    {"wait", "S2R, vote and the clock read itself", section_wait, 1},
    {"shared", "shared memory by conflict degree, atomics by shared address",
     section_shared, 3},
    {"chase", "global load latency over footprint", section_chase, 5},
    {"tlb", "global load latency over pages and strides", section_tlb, 4},
    {"bandwidth", "L1, L2 and DRAM bandwidth over footprint", section_bandwidth,
     4},
    {"dispatch", "cost of a block, of a launch", section_dispatch, 2},
    {"barrier", "__syncthreads() by warps", section_barrier, 1},
    {"atomics", "global atomics: latency, rates by address", section_atomics,
     2},
    {"atomics_types", "global additions by type and address",
     section_atomics_types, 2},
    {"async", "asynchronous copies to shared memory", section_async, 1},
    {"tma", "bulk and tensor copies, stores, multicast", section_tma, 2},
    {"wgmma", "tensor products of warp groups", section_wgmma, 2},
    {"cluster", "other blocks' shared memory, cluster barriers, launches",
     section_cluster, 2},
    {"mbarrier", "barriers in shared memory, fences", section_mbarrier, 1},
    {"scheduler", "which warp issues after which", section_scheduler, 1},
    {"sms", "L2 as each SM sees it, when each ends the same work", section_sms,
     1},
};

enum {
    SECTIONS = sizeof sections / sizeof sections[0]
};

struct options {
    double seconds = 240;
    int device = 0;
    bool only[SECTIONS] = {};
    bool some = false; /* --only was given */
    const char *listing = nullptr;
    int listing_arch = 0;
};

static void print_help()
{
    printf(
        "Usage: measure [OPTION]...\n\n"
        "Measures the GPU and prints one JSON object.\n\n"
        "  --list            the sections\n"
        "  --only SECTION    this section only; may be repeated\n"
        "  --seconds N       time for all sections together (default 240)\n"
        "  --device N        which GPU (default 0)\n"
        "  --check-sass FILE no GPU: does this listing of the program, from\n"
        "                    cuobjdump -sass (- is standard input), hold the\n"
        "                    instructions that are timed?\n"
        "  --help, --version\n");
}

static void print_sections()
{
    for (const section &s : sections)
        printf("%-13s %s\n", s.name, s.help);
}

static int usage(const char *what, const char *word)
{
    fprintf(stderr, "measure: %s '%s'\nTry 'measure --help'.\n", what, word);
    return 2;
}

static bool choose(options *o, const char *name)
{
    for (int i = 0; i < SECTIONS; i++) {
        if (strcmp(sections[i].name, name) == 0)
            return o->only[i] = o->some = true;
    }
    return false;
}

/* Returns -1 to go on, or an exit status. */
static int parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        char *end = nullptr;

        if (strcmp(word, "--help") == 0)
            return print_help(), 0;
        if (strcmp(word, "--version") == 0)
            return printf("measure " KIT_VERSION "\n"), 0;
        if (strcmp(word, "--list") == 0)
            return print_sections(), 0;
        if (value[0] == '\0')
            return usage("unknown option or missing value:", word);
        i++;
        if (strcmp(word, "--only") == 0) {
            if (!choose(o, value))
                return usage("--only: unknown section", value);
        } else if (strcmp(word, "--seconds") == 0) {
            o->seconds = strtod(value, &end);
            if (*end != '\0' || !(o->seconds > 0))
                return usage("--seconds: expected a number, found", value);
        } else if (strcmp(word, "--device") == 0) {
            o->device = (int)strtol(value, &end, 10);
            if (*end != '\0' || o->device < 0)
                return usage("--device: expected a number, found", value);
        } else if (strcmp(word, "--check-sass") == 0) {
            o->listing = value;
        } else {
            return usage("unknown option", word);
        }
    }
    return -1;
}

static std::vector<expectation> expectations()
{
    std::vector<expectation> all;

    expect_ops(&all);
    expect_conflicts(&all);
    expect_waits(&all);
    expect_memory(&all);
    expect_chip(&all);
    expect_atomics_types(&all);
    expect_cluster(&all);
    expect_tma(&all);
    expect_wgmma(&all);
    expect_sms(&all);
    return all;
}

/* ---- checking a listing, without a GPU ---------------------------------- */

static int check_file(const options *o)
{
    FILE *f = strcmp(o->listing, "-") == 0 ? stdin : fopen(o->listing, "r");
    std::vector<expectation> all = expectations();
    size_t checked = 0;
    sass_listing l;
    kit k;
    int bad;

    if (f == nullptr) {
        perror(o->listing);
        return 1;
    }
    l = read_listing(f, 0);
    if (f != stdin)
        fclose(f);
    if (l.functions.empty() || l.arch == 0) {
        fprintf(stderr,
                "measure: %s: expected a listing with 'arch = sm_' and "
                "functions, found none\n",
                o->listing);
        return 1;
    }
    bad = check_listing(&k, l, all, l.arch);
    for (const auto &verdict : k.sass) {
        checked++;
        if (verdict.second != "ok")
            printf("sm_%d: %s: %s\n", l.arch, verdict.first.c_str(),
                   verdict.second.c_str());
    }
    printf("sm_%d: %zu kernels checked, %d not as expected\n", l.arch, checked,
           bad);
    return bad != 0;
}

/* ---- the chip as the driver describes it -------------------------------- */

static const struct attribute {
    const char *name;
    cudaDeviceAttr attribute;
} attributes[] = {
    {"sms", cudaDevAttrMultiProcessorCount},
    {"reported_clock_khz", cudaDevAttrClockRate},
    {"reported_memory_clock_khz", cudaDevAttrMemoryClockRate},
    {"memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth},
    {"l2_bytes", cudaDevAttrL2CacheSize},
    {"threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor},
    {"blocks_per_sm", cudaDevAttrMaxBlocksPerMultiprocessor},
    {"threads_per_block", cudaDevAttrMaxThreadsPerBlock},
    {"registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor},
    {"registers_per_block", cudaDevAttrMaxRegistersPerBlock},
    {"shared_bytes_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {"shared_bytes_per_block", cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {"shared_bytes_reserved", cudaDevAttrReservedSharedMemoryPerBlock},
    {"ecc", cudaDevAttrEccEnabled},
};

static void print_device(FILE *f, kit *k, int device)
{
    int driver = 0, runtime = 0;

    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    fprintf(f,
            "  \"device\": {\n    \"name\": %s,\n"
            "    \"compute_capability\": %d,\n"
            "    \"code_for\": %d,\n"
            "    \"memory_bytes\": %zu",
            quoted(k->device.name).c_str(), k->arch, k->code,
            k->device.totalGlobalMem);
    for (const attribute &a : attributes) {
        int value = 0;

        if (cudaDeviceGetAttribute(&value, a.attribute, device) == cudaSuccess)
            fprintf(f, ",\n    \"%s\": %d", a.name, value);
        else
            cudaGetLastError();
    }
    fprintf(f,
            "\n  },\n  \"driver_version\": \"%d.%d\",\n"
            "  \"runtime_version\": \"%d.%d\",\n",
            driver / 1000, driver % 1000 / 10, runtime / 1000,
            runtime % 1000 / 10);
}

static void print_json(FILE *f, kit *k, int device)
{
    const char *comma = "";
    size_t bad = 0;

    for (const auto &s : k->sass)
        bad += s.second != "ok";
    fprintf(f, "{\n  \"schema\": \"teg-measurements\",\n  \"version\": 1,\n"
               "  \"kit\": \"" KIT_VERSION "\",\n  \"synthetic\": false,\n");
    print_device(f, k, device);
    fprintf(f, "  \"sass_checked\": %s,\n  \"sass_not_as_expected\": %zu,\n",
            k->sass_checked ? "true" : "false", bad);
    fprintf(f, "  \"section_seconds\": {");
    for (const auto &s : k->section_seconds) {
        fprintf(f, "%s%s: %.3f", comma, quoted(s.first).c_str(), s.second);
        comma = ", ";
    }
    fprintf(f, "},\n");
    print_texts(f, "errors", "where", "what", k->errors);
    print_texts(f, "notes", "section", "note", k->notes);
    fprintf(f, "  \"results\": [");
    comma = "\n";
    for (const record &r : k->results) {
        fprintf(f, "%s", comma);
        print_record(f, k, r);
        comma = ",\n";
    }
    fprintf(f, "\n  ]\n}\n");
}

/* ---- running ------------------------------------------------------------ */

static bool open_device(kit *k, const options *o)
{
    cudaFuncAttributes f;
    int khz = 0;

    k->section = "device";
    CALL(k, cudaSetDevice(o->device));
    CALL(k, cudaGetDeviceProperties(&k->device, o->device));
    k->arch = 10 * k->device.major + k->device.minor;
    CALL(k, cudaFuncGetAttributes(&f, (const void *)empty_kernel));
    k->code = f.binaryVersion;
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, o->device) ==
        cudaSuccess)
        k->clock_mhz = khz / 1e3;
    return true;
}

static void run_section(kit *k, bench *b, const section &s, double seconds)
{
    auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> took;

    k->section = s.name;
    k->budget_noted = false;
    k->until =
        begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                    std::chrono::duration<double>(seconds));
    fprintf(stderr, "measure: %s\n", s.name);
    if (!k->broken && !s.run(k, b))
        kit_note(k, "left unfinished");
    took = std::chrono::steady_clock::now() - begin;
    k->section_seconds.push_back({s.name, took.count()});
}

int main(int argc, char **argv)
{
    double weights = 0;
    options o;
    bench b;
    kit k;
    int status = parse(argc, argv, &o);

    if (status >= 0)
        return status;
    if (o.listing != nullptr)
        return check_file(&o);
    if (!open_device(&k, &o) || !bench_init(&k, &b))
        return 1;
    check_self(&k, expectations());
    if (!k.sass_checked)
        fprintf(stderr, "measure: no disassembler found; the kernels' "
                        "instructions were not checked\n");
    for (int i = 0; i < SECTIONS; i++)
        weights += !o.some || o.only[i] ? sections[i].weight : 0;
    for (int i = 0; i < SECTIONS; i++) {
        if (!o.some || o.only[i])
            run_section(&k, &b, sections[i],
                        o.seconds * sections[i].weight / weights);
    }
    print_json(stdout, &k, o.device);
    return k.errors.empty() && fflush(stdout) == 0 ? 0 : 1;
}
