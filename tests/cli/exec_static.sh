# Programs as nvcc builds them: with the CUDA runtime inside (here a stand-in
# whose functions all fail), with search paths of their own, and those that
# cannot be run.  And streams, graphs and the driver: tests/cli/streams.c.
. tests/cli/lib.sh

for test in graph capture pool virtual pointers array contexts lookup; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$build/tests/cli/streams" $test
done
# what a graph launches is traced as any launch, in its order
expect 0 "$teg" exec -g a100 -o "$work/capture" -- "$build/tests/cli/streams" capture
err '3 launches, 1 trace'
# and is one graph, with the edges of the capture
tr -d ' \n' <"$work/capture/kernels.json" >"$work/flat.json"
check 'one copy first' grep -q '"nodes":\[{"what":"host-to-device",[^}]*"after":\[\]}' "$work/flat.json"
check 'two behind it' grep -q '{"kernel":0,"launches":1,"after":\[0\]},{"what":"host","after":\[0\]}' "$work/flat.json"
check 'one behind both' grep -q '{"what":"device-to-host",[^}]*"after":\[2,1\]}\]}\],"order"' "$work/flat.json"
expect 0 "$teg" exec -g h100 -o "$work/early" -- "$build/tests/cli/streams" dependent
tr -d ' \n' <"$work/early/kernels.json" >"$work/early.json"
node() { grep -q "\"nodes\":\[{\"kernel\":0,\"launches\":1,\"after\":\[\]},$1}\]}\]" \
    "$work/early.json"; }
launched='{"kernel":0,"launches":1,"after"'
check 'two that come early, one that does not' node "$launched:\[0\],\"dependent_on\":\[0\]},$launched:\[1\],\"dependent_on\":\[1\]},$launched:\[2\]"
check 'one of a stream, and its event' grep -q \
    '"dependent":true},{"what":"record","event":1,[^}]*},{"what":"wait","event":1,' "$work/early.json"
check 'launched thrice' [ "$(grep -o '"what":"graph"' "$work/flat.json" | wc -l)" = 3 ]

# PTX is compiled by the ptxas on $PATH; here one that has its answer ready
mkdir "$work/tools"
cat >"$work/tools/ptxas" <<END
#!/bin/sh
[ "\$1 \$2 \$(head -c 8 "\$4")" = '-arch=sm_80 -o .version' ] &&
    cp "$PWD/tests/fixtures/exec.sm_80.cubin" "\$3"
END
chmod +x "$work/tools/ptxas"
with_tools() { PATH="$work/tools:$PATH" "$@"; }
expect 0 with_tools "$teg" exec -g a100 --no-trace -- "$build/tests/cli/streams" ptx
expect 1 with_tools "$teg" exec -g t4 --no-trace -- "$build/tests/cli/streams" ptx
err '^teg: ptxas did not compile the program.s PTX for sm_75'
# or, if that is too old, by the one beside the NVRTC of the program's
mkdir -p "$work/wheel/bin" "$work/wheel/lib"
mv "$work/tools/ptxas" "$work/wheel/bin"
printf '#!/bin/sh\necho "ptxas too old" >&2\nexit 1\n' >"$work/tools/ptxas"
chmod +x "$work/tools/ptxas"
expect 1 with_tools "$teg" exec -g a100 --no-trace -- "$build/tests/cli/streams" ptx
err '^ptxas too old'
echo 'int nvrtc;' >"$work/nvrtc.c"
$cc -shared -fPIC -o "$work/wheel/lib/libnvrtc.so.13" "$work/nvrtc.c"
with_wheel() { LD_PRELOAD="$work/wheel/lib/libnvrtc.so.13" with_tools "$@"; }
expect 0 with_wheel "$teg" exec -g a100 --no-trace -- "$build/tests/cli/streams" ptx

# Every function of the runtime that the program calls, inside it.
objects="$build/tests/cli/program.o $build/tests/cli/program_code.o
    $build/tests/cli/program_driver.o $build/tests/cli/program_beside.o
    $build/tests/cli/program_faults.o"
# shellcheck disable=SC2086
nm -u $objects |
    sed -n 's/.* U \(\(__\)*cuda[A-Za-z0-9_]*\)$/int \1(void); int \1(void) { return 998; }/p' |
    sort -u >"$work/inside.c"
# shellcheck disable=SC2086
nm -u $objects |
    sed -n 's/.* U \(cu[A-Z][A-Za-z0-9_]*\)$/int \1(void); int \1(void) { return 998; }/p' |
    sort -u >"$work/driver.c"
$cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" "$work/driver.c"
check 'there are some' [ "$(wc -l <"$work/inside.c")" -gt 40 ]
link() { # OUTPUT FLAG...: the program around its own runtime
    to=$1 && shift
    # shellcheck disable=SC2086
    $cc $flags "$@" -O1 -fPIC -o "$to" "$work/inside.c" $objects \
        "$work/libcuda.so.1" -pthread
}
expect 0 link "$work/static"
expect 0 link "$work/static-here" -no-pie
check 'its own runtime fails' sh -c \
    "! LD_LIBRARY_PATH='$build/cudart' '$work/static' scale >/dev/null 2>&1"
for test in scale variables managed threads textures; do
    expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/static" $test
    expect 0 "$teg" exec -g t4 --no-trace -- "$work/static-here" $test
done
# the traces are those of the program that is linked with teg's
expect 0 "$teg" exec -g a100 -o "$work/shared" -- "$build/tests/cli/program" scale
expect 0 "$teg" exec -g a100 -o "$work/inside" -- "$work/static" scale
check 'the same trace' cmp -s "$work/inside/0000-scale.tegt" "$work/shared/0000-scale.tegt"
# also where a script runs it
expect 0 "$teg" exec -g a100 -o "$work/script" -- /bin/sh -c "'$work/static' scale"
err '3 launches, 1 trace'

# what cannot be
printf 'int cudaMalloc(void); int cudaMalloc(void) { return 998; }
int __cudaRegisterFatBinary(void); int __cudaRegisterFatBinary(void) { return 998; }
int main(void) { return cudaMalloc() + __cudaRegisterFatBinary() != 0; }
__asm__(".section .nv_fatbin, \\"a\\"\\n.quad 0\\n");\n' >"$work/tiny.c"
$cc -s -o "$work/stripped" "$work/tiny.c"
expect 1 "$teg" exec -g a100 -- "$work/stripped"
err 'stripped: is stripped, so the CUDA runtime inside cannot be found: keep its symbols'
if $cc -static -o "$work/fully" "$work/tiny.c" 2>/dev/null; then
    expect 1 "$teg" exec -g a100 -- "$work/fully"
    err 'fully: is linked with -static'
else
    echo 'skipped: -static: no static C library'
fi
printf 'int cudaLaunchCooperativeKernelMultiDevice(void);
int cudaLaunchCooperativeKernelMultiDevice(void) { return 0; }\n' |
    cat "$work/tiny.c" - >"$work/eleven.c"
$cc -o "$work/eleven" "$work/eleven.c"
expect 1 "$teg" exec -g a100 -- "$work/eleven"
err 'eleven: carries the runtime of CUDA 11 or older'
expect 126 "$teg" exec -g a100 -o "$work/eleven.teg" -- /bin/sh -c "'$work/eleven'"
err '^teg: eleven: carries the runtime of CUDA 11'

# CUDA 12, known by the second name of the properties: its structures, of 1032
# and 24 bytes with the SMs at 388, and its arguments
cat >"$work/twelve.c" <<'END'
#include <string.h>
int cudaGetDeviceProperties_v2(), cudaPointerGetAttributes();
int cudaRuntimeGetVersion(), cudaGraphCreate(), cudaGraphAddEmptyNode();
int cudaGraphAddDependencies(), cudaGraphGetEdges(), cudaGraphDestroy();
static int guarded(const char *p, int used)
{
    return p[used - 1] != 7 && p[used] == 7;
}
int main(void)
{
    char properties[2000], pointer[100];
    int sms, version = 0;
    void *graph, *a, *b;
    unsigned long edges = 0;

    memset(properties, 7, sizeof properties);
    memset(pointer, 7, sizeof pointer);
    if (cudaGetDeviceProperties_v2(properties, 0) != 0 ||
        cudaPointerGetAttributes(pointer, &sms) != 0 ||
        cudaRuntimeGetVersion(&version) != 0 || version / 1000 != 12)
        return 1;
    memcpy(&sms, properties + 388, sizeof sms);
    if (sms != 108 || !guarded(properties, 1032) || !guarded(pointer, 24))
        return 2;
    if (cudaGraphCreate(&graph, 0) != 0 ||
        cudaGraphAddEmptyNode(&a, graph, 0, 0UL) != 0 ||
        cudaGraphAddEmptyNode(&b, graph, 0, 0UL) != 0 ||
        cudaGraphAddDependencies(graph, &a, &b, 1UL) != 0 ||
        cudaGraphGetEdges(graph, 0, 0, &edges) != 0 ||
        cudaGraphDestroy(graph) != 0)
        return 3;
    return edges != 1;
}
END
for name in __cudaRegisterFatBinary cudaGetDeviceProperties_v2 cudaPointerGetAttributes \
    cudaRuntimeGetVersion cudaGraphCreate cudaGraphAddEmptyNode cudaGraphAddDependencies \
    cudaGraphGetEdges cudaGraphDestroy; do
    echo "int $name(void); int $name(void) { return 998; }"
done >"$work/twelve_inside.c"
# shellcheck disable=SC2086
expect 0 $cc $flags -w -std=gnu11 -O1 -o "$work/twelve" "$work/twelve.c" "$work/twelve_inside.c"
expect 0 "$teg" exec -g a100 --no-trace -- "$work/twelve"

# libraries that lie elsewhere, by the program's own path or an absolute one
mkdir "$work/lib"
printf 'int cudaMalloc(void); int cudaMalloc(void) { return 998; }\n' >"$work/other.c"
for version in 12 13; do
    printf 'libcudart.so.%d { *; };\n' $version >"$work/map"
    $cc -shared -fPIC -Wl,-soname,libcudart.so.$version \
        -Wl,--version-script="$work/map" -o "$work/lib/libcudart.so.$version" "$work/other.c"
done
printf '#include <dlfcn.h>\n#include <stddef.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW), *p = NULL;
    int (*allocate)(void **, size_t) = 0;
    if (library != NULL) *(void **)&allocate = dlsym(library, "cudaMalloc");
    return allocate == 0 ? 2 : allocate(&p, 4) != 0;
}\n' >"$work/opens.c"
# shellcheck disable=SC2086
$cc $flags -o "$work/opens" "$work/opens.c" -ldl
check 'the other library fails' sh -c "! '$work/opens' '$work/lib/libcudart.so.13'"
expect 0 "$teg" exec -g a100 --no-trace -- "$work/opens" "$work/lib/libcudart.so.13"
expect 0 "$teg" exec -g a100 --no-trace -- "$work/opens" "$work/lib/libcudart.so.12"
expect 2 "$teg" exec -g a100 --no-trace -- "$work/opens" "$work/lib/libcudart.so.11.0"
# a library with the runtime inside, opened by its path: it registers its
# kernels once more, with teg's
cat >"$work/module.c" <<'END'
#include <dlfcn.h>
int __cudaRegisterFatBinary(), cudaMalloc();
static struct { unsigned magic, version; const void *fatbin; void *rest; }
    wrapper = { 0x466243B1, 1, &wrapper, 0 };
__asm__(".section .nv_fatbin, \"a\"\n.quad 0\n.previous\n");
static int registered;
__attribute__((constructor)) void __sti____cudaRegisterAll(void)
{
    registered = __cudaRegisterFatBinary(&wrapper) != 998;
}
__attribute__((visibility("default"))) int work(void);
int work(void)
{
    void *p = 0;
    return registered && cudaMalloc(&p, 4UL) == 0 && p != 0 ? 0 : 3;
}
END
grep -E 'FatBinary|cudaMalloc' "$work/twelve_inside.c" "$work/inside.c" | sed 's/^[^:]*://' |
    grep -E ' (__cudaRegisterFatBinary|cudaMalloc)\(' | sort -u >"$work/module_inside.c"
# shellcheck disable=SC2086
expect 0 $cc $flags -w -std=gnu11 -O1 -shared -fPIC -fvisibility=hidden -o "$work/module.so" \
    "$work/module.c" "$work/module_inside.c"
sed 's/"cudaMalloc"/"work"/; s/allocate(&p, 4) != 0/allocate(0, 0)/' "$work/opens.c" >"$work/opens_module.c"
# shellcheck disable=SC2086
expect 0 $cc $flags -o "$work/opens_module" "$work/opens_module.c" -ldl
expect 3 "$work/opens_module" "$work/module.so"
expect 0 "$teg" exec -g a100 --no-trace -- "$work/opens_module" "$work/module.so"
# one with entry points that have no size and lead to a shared runtime it opens
# later carries none
cat >"$work/leads.c" <<'END'
__asm__(".text\n.type __cudaRegisterFatBinary, @function\n"
        "__cudaRegisterFatBinary: ret\n");
__attribute__((visibility("default"))) int work(void) { return 0; }
END
# shellcheck disable=SC2086
expect 0 $cc $flags -w -shared -fPIC -o "$work/leads.so" "$work/leads.c"
expect 0 "$teg" exec -g a100 --no-trace -- "$work/opens_module" "$work/leads.so"

# shellcheck disable=SC2086
$cc $flags -o "$work/rpath" $objects "$build/cudart/libcudart.so.13" \
    -Wl,--disable-new-dtags,-rpath,"$work/lib" -pthread
expect 0 "$teg" exec -g a100 --no-trace -- "$work/rpath" scale

finish
