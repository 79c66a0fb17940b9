# Programs that call cuSOLVER: what the library shows leads to teg's functions and
# kernels.  In its place here is one whose functions all fail.
. tests/cli/lib.sh

[ "$(uname -m)" = x86_64 ] || { echo 'skipped: not x86-64'; exit 0; }

expect 0 compile cusolver
expect 0 library cusolver 12 7 'cusolver[A-Za-z0-9_]*'
expect 0 link "$work/program" "$work/cusolver.o" "$work/libcusolver.so.12"
# what a test makes stays until its end
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
LD_LIBRARY_PATH=$build/cudart expect 1 "$work/program" refusals # its own fails

for test in cholesky cholesky_batched lu symmetric_systems qr eigen eigen_batched singular \
    singular_batched handles refusals; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" $test
done
err '^teg: cusolverDnXpotrf: type 5 (of cudaDataType) is not implemented'
err '^teg: cusolverDnZpotrf is not implemented'
err '^teg: cusolverDnDsygvd is not implemented'
err '^teg: cusolverSpCreate is not implemented'
expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" handles
err '^teg: cuSOLVER: teg.s own kernels'
# other generations' code
for gpu in rtx2080ti h100 b200 rtx5090; do
    for test in cholesky_batched handles; do
        expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program" $test
    done
done
expect 1 "$teg" exec -g v100 --no-trace -- "$work/program" handles
err '^teg: cu[A-Z]*: there are no kernels for sm_70: sm_75 is the oldest'

# that of CUDA 12
expect 0 library cusolver 11 7 'cusolver[A-Za-z0-9_]*'
expect 0 link "$work/twelve" "$work/cusolver.o" "$work/libcusolver.so.11"
expect 0 "$teg" exec -g a100 --no-trace -- "$work/twelve" handles

# the kernels are traced and replayed as a program's own
expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/program" handles
check 'named' grep -q '"name": "teg_cusolver_dpotf2"' "$work/traces/kernels.json"
expect 0 "$teg" run -g a100 "$work/traces/kernels.json"
out '^teg_cusolver_dpotf2 on a100'
out "teg's own kernel in place of cuSOLVER's"

finish
