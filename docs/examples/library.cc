// What the units and the stalls of each launch in a trace are, and what the
// analytical models say of them:
//
//     c++ -std=c++17 library.cc $(pkg-config --cflags --libs teg) -o library
//     ./library v100 kernelslist.g
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <teg/teg.h>

namespace
{

// An owner of a handle: frees it with FREE, once.
template <typename T, void (*FREE)(T *)> struct Freed {
    void operator()(T *handle) const
    {
        FREE(handle);
    }
};
template <typename T, void (*FREE)(T *)>
using Owner = std::unique_ptr<T, Freed<T, FREE>>;

using Gpu = Owner<teg_gpu, teg_gpu_free>;
using Trace = Owner<teg_trace, teg_trace_close>;
using Replay = Owner<teg_replay, teg_replay_free>;
using Result = Owner<teg_result, teg_result_free>;
using Estimate = Owner<teg_estimate, teg_estimate_free>;

// Calls `function` with the address of the handle it makes and a diagnostic;
// throws what that says.
template <typename Owned, typename Function, typename... Arguments>
Owned make(Function function, Arguments... arguments)
{
    typename Owned::pointer handle = nullptr;
    teg_diag d;

    if (function(arguments..., &handle, &d) == TEG_OK)
        return Owned(handle);
    throw std::runtime_error(
        d.where[0] != '\0' ? std::string(d.where) + ": " + d.what : d.what);
}

void print(const teg_result *result)
{
    std::printf("cycles %llu\n",
                static_cast<unsigned long long>(teg_result_cycles(result)));
    for (uint32_t i = 0; i < teg_result_units(result); i++)
        std::printf("  unit %-12s %5.1f %% active\n",
                    teg_result_unit_name(result, i),
                    100 * teg_result_unit_active(result, i));
    for (uint32_t i = 0; i < teg_result_stalls(result); i++)
        std::printf("  stall %-20s %llu warp-cycles\n",
                    teg_result_stall_name(result, i),
                    static_cast<unsigned long long>(
                        teg_result_stall_warp_cycles(result, i)));
    for (uint32_t i = 0; i < teg_model_count(); i++) {
        auto e = make<Estimate>(teg_result_estimate, result, teg_model_name(i));

        if (teg_estimate_applies(e.get()))
            std::printf("  model %-18s %.0f cycles, %s\n", teg_model_name(i),
                        teg_estimate_cycles(e.get()),
                        teg_estimate_limiter(e.get()));
    }
}

void run(const char *gpu_name, const char *path)
{
    auto gpu = make<Gpu>(teg_gpu_open, gpu_name, nullptr);
    auto trace = make<Trace>(teg_trace_open, path, nullptr);

    for (uint32_t i = 0; i < teg_trace_kernels(trace.get()); i++) {
        auto replay = make<Replay>(teg_replay_new, trace.get(), i);

        print(make<Result>(teg_replay_run, replay.get(), gpu.get()).get());
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: library GPU TRACE\n");
        return 2;
    }
    try {
        run(argv[1], argv[2]);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "library: %s\n", e.what());
        return 1;
    }
}
