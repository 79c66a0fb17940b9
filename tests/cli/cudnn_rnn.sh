# Programs that call cuDNN's recurrent layers and dropout, as cudnn.sh has the rest.
. tests/cli/lib.sh

[ "$(uname -m)" = x86_64 ] || { echo 'skipped: not x86-64'; exit 0; }

expect 0 compile cudnn_rnn
echo 'unsigned long cudnnGetVersion(void) { return 92105; }' >"$work/libcudnn.c"
expect 0 library cudnn 9 5 'cudnn[A-Za-z0-9_]*'
expect 0 link "$work/program" "$work/cudnn_rnn.o" "$work/libcudnn.so.9"

# What a program leaves is no leak of teg's.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
for test in shapes types dropout refusals; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" $test
done
err '^teg: cudnnSetRNNDescriptor_v8: recurrent layers of 8-bit integers, by floats'
err '^teg: cudnnRNNSetClip: cells that are clipped'
err '^teg: cudnnCreateCTCLossDescriptor is not implemented'
# other generations' code
for gpu in rtx2080ti h100 b200 rtx5090; do
    expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program" some
done

# the kernels are traced: products as cuBLAS's
expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/program" some
check 'a cell' grep -q '"name": "teg_cudnn_hrnn_lstm"' "$work/traces/kernels.json"
check 'a product' grep -q '"name": "teg_cublas_hgemm_' "$work/traces/kernels.json"

finish
