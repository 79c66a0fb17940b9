# Programs that call cuDNN: what the library shows leads to teg's functions and
# kernels.  In its place here is one whose functions all fail, but for the version,
# which stays the library's.
. tests/cli/lib.sh

[ "$(uname -m)" = x86_64 ] || { echo 'skipped: not x86-64'; exit 0; }

expect 0 compile cudnn
echo 'unsigned long cudnnGetVersion(void) { return 92105; }' >"$work/libcudnn.c"
expect 0 library cudnn 9 5 'cudnn[A-FH-Z][A-Za-z0-9_]*\|cudnnGet[A-UW-Z][A-Za-z0-9_]*'
expect 0 link "$work/program" "$work/cudnn.o" "$work/libcudnn.so.9"
LD_LIBRARY_PATH=$build/cudart expect 1 "$work/program" refusals # its own fails

# What a program leaves is no leak of teg's.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
for test in shapes fused graph layers pools norms refusals; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" $test
done
err '^teg: cudnnCTCLoss is not implemented'
err '^teg: cudnnGetConvolutionForwardWorkspaceSize: a convolution of 8-bit integers with filters of floats'
err '^teg: cuDNN: a graph whose operation 0 is a descriptor of type 18'
expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" fused
err '^teg: cuDNN: teg.s own kernels'
err 'Forward: a z of another shape, layout or type than y'
err 'Forward: another activation than ReLU'
# other generations' code
for gpu in rtx2080ti h100 b200 rtx5090; do
    expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program" some
done
# Hopper's own kernels: slices on many SMs, large tiles on few
cp -r config/family "$work"
sed 's/sms  *= ( 132/sms = ( 2/' config/h200.cfg >"$work/few.cfg"
for gpu in h200 "$work/few.cfg"; do
    for test in hopper fused; do
        expect 0 "$teg" exec -g "$gpu" --no-trace -- "$work/program" $test
    done
done
expect 1 "$teg" exec -g v100 --no-trace -- "$work/program" fused
err '^teg: cuDNN: there are no kernels for sm_70: sm_75 is the oldest'

# PyTorch is told not to begin with cuDNN's attention, unless the user says otherwise
order='test "$TORCH_CUDNN_SDPA_DEPRIORITIZED" ='
expect 0 "$teg" exec -g h100 --no-trace -- sh -c "$order 1"
TORCH_CUDNN_SDPA_DEPRIORITIZED=0 expect 0 "$teg" exec -g h100 --no-trace -- sh -c "$order 0"

# the kernels are traced and replayed as a program's own
expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/program" fused
check 'named' grep -q '"name": "teg_cudnn_hconv_64x64"' "$work/traces/kernels.json"
expect 0 "$teg" run -g a100 "$work/traces/kernels.json"
out '^teg_cudnn_hconv_64x64 on a100'
out "teg's own kernel in place of cuDNN's"
expect 0 "$teg" exec -g h200 -o "$work/traces" -- "$work/program" fused
check 'named, of Hopper' grep -q '"name": "teg_cudnn_hconv_wgmma_64x128_16"' \
    "$work/traces/kernels.json"

finish
