# Programs that call cuFFT: what the library shows leads to teg's functions and
# kernels.  In its place here is one whose functions all fail.
. tests/cli/lib.sh

[ "$(uname -m)" = x86_64 ] || { echo 'skipped: not x86-64'; exit 0; }

expect 0 compile cufft
expect 0 library cufft 12 5 'cufft[A-Za-z0-9_]*'
expect 0 link "$work/program12" "$work/cufft.o" "$work/libcufft.so.12"
LD_LIBRARY_PATH=$build/cudart expect 1 "$work/program12" refusals # its own fails

for test in lengths dimensions long layouts million plans refusals; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$work/program12" $test
done
err '^teg: cufftXtSetCallback is not implemented'
err '^teg: cuFFT: type 0x2b is not one of floats or doubles'
err '^teg: cufftXtMakePlanMany: data types 6 to 6, computed in 6'
expect 0 "$teg" exec -g a100 --no-trace -- "$work/program12" plans
err '^teg: cuFFT: teg.s own kernels'
# other generations' code, of less shared memory
for gpu in rtx2080ti rtx4090 h100 b200 rtx5090; do
    expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program12" long
done
for gpu in rtx2080ti h100; do
    expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program12" dimensions
done
expect 1 "$teg" exec -g v100 --no-trace -- "$work/program12" layouts
err '^teg: cuFFT: there are no kernels for sm_70: sm_75 is the oldest'

# that of CUDA 12; the kernels are traced and replayed as a program's own
expect 0 library cufft 11 5 'cufft[A-Za-z0-9_]*'
expect 0 link "$work/program11" "$work/cufft.o" "$work/libcufft.so.11"
expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/program11" plans
check 'named' grep -q '"name": "teg_cufft_real_32"' "$work/traces/kernels.json"
expect 0 "$teg" run -g a100 "$work/traces/kernels.json"
out '^teg_cufft_real_32 on a100'
out "teg's own kernel in place of cuFFT's"

finish
