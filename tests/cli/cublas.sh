# Programs that call cuBLAS: what the library shows leads to teg's functions
# and kernels.  In its place here is one whose functions all fail.
. tests/cli/lib.sh

[ "$(uname -m)" = x86_64 ] || { echo 'skipped: not x86-64'; exit 0; }

expect 0 compile cublas
lt='cublasLt[A-Za-z0-9_]*' rest='cublas[A-KM-Z][A-Za-z0-9_]*'
expect 0 library cublas 13 14 "$rest"
expect 0 library cublasLt 13 14 "$lt"
expect 0 link "$work/program" "$work/cublas.o" "$work/libcublas.so.13" "$work/libcublasLt.so.13"
LD_LIBRARY_PATH=$build/cudart expect 3 "$work/program" odd # its own fails

for test in odd batches large layers vectors refusals captured; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" $test
done
err '^teg: cuBLAS: teg.s own kernels'
expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" refusals
err '^teg: cublasGemmEx: a product of 8F_E4M3 and 8F_E4M3 into 32F by computation 68'
err '^teg: cublasSsymm_v2 is not implemented'
expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" layers
err '^teg: cublasLtMatmul: this epilogue is not implemented'
# other generations' code
for gpu in rtx2080ti h100 b200 rtx5090; do
    for test in odd large; do
        expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program" $test
    done
done
expect 0 "$teg" exec -g h100 --no-trace -- "$work/program" huge
expect 1 "$teg" exec -g v100 --no-trace -- "$work/program" odd
err '^teg: cuBLAS: there are no kernels for sm_70: sm_75 is the oldest'

# the kernels are traced and replayed as a program's own
expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/program" captured
check 'named' grep -q '"name": "teg_cublas_sgemm_32x32_nn"' "$work/traces/kernels.json"
expect 0 "$teg" run -g a100 "$work/traces/kernels.json"
out '^teg_cublas_sgemm_32x32_nn on a100'

# bound at once; opened by a path, by a plain name and the caller's own path;
# and that of CUDA 12
expect 0 link "$work/now" "$work/cublas.o" "$work/libcublas.so.13" \
    "$work/libcublasLt.so.13" -Wl,-z,now
expect 0 "$teg" exec -g a100 --no-trace -- "$work/now" vectors
expect 0 library cublas 12 14 "$rest"
expect 0 library cublasLt 12 14 "$lt"
expect 0 link "$work/twelve" "$work/cublas.o" "$work/libcublas.so.12" "$work/libcublasLt.so.12"
expect 0 "$teg" exec -g a100 --no-trace -- "$work/twelve" captured
cat >"$work/opens.c" <<'CODE'
#include <dlfcn.h>
#include <stddef.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW), *b = NULL;
    int (*create)(void **) = 0;

    if (library != NULL)
        *(void **)&create = dlsym(library, "cublasCreate_v2");
    return create == 0 ? 2 : create(&b);
}
CODE
# shellcheck disable=SC2086
expect 0 $cc $flags -o "$work/opens" "$work/opens.c" -ldl -Wl,-rpath,"$work"
expect 14 "$work/opens" libcublas.so.13
expect 0 "$teg" exec -g a100 --no-trace -- "$work/opens" "$work/libcublas.so.13"
expect 0 "$teg" exec -g a100 --no-trace -- "$work/opens" libcublas.so.13
expect 2 "$teg" exec -g a100 --no-trace -- "$work/opens" libcublas.so.99

finish
