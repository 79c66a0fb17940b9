# Programs that call what cuBLAS has for systems of equations, as cublas.sh has the
# rest.
. tests/cli/lib.sh

[ "$(uname -m)" = x86_64 ] || { echo 'skipped: not x86-64'; exit 0; }

expect 0 compile cublas_systems
expect 0 library cublas 13 14 'cublas[A-Za-z0-9_]*'
expect 0 link "$work/program" "$work/cublas_systems.o" "$work/libcublas.so.13"
# what a test makes stays until its end
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

for test in triangles scales squares lu qr batches; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" $test
done
# other generations' code
for gpu in rtx2080ti h100 b200 rtx5090; do
    for test in batches squares; do
        expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program" $test
    done
done

# the kernels are traced as a program's own
expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/program" batches
check 'named' grep -q '"name": "teg_cublas_dtrsm"' "$work/traces/kernels.json"

finish
