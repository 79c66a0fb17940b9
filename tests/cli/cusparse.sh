# Programs that call cuSPARSE: what the library shows leads to teg's functions and
# kernels.  In its place here is one whose functions all fail.
. tests/cli/lib.sh

[ "$(uname -m)" = x86_64 ] || { echo 'skipped: not x86-64'; exit 0; }

expect 0 compile cusparse
expect 0 library cusparse 12 7 'cusparse[A-Za-z0-9_]*'
expect 0 link "$work/program" "$work/cusparse.o" "$work/libcusparse.so.12"
# what a test makes stays until its end
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
LD_LIBRARY_PATH=$build/cudart expect 1 "$work/program" refusals # its own fails

for test in vector_products matrix_products batches sampled_products vectors \
    formats sparse_products triangles handles refusals; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" $test
done
err '^teg: cusparseCreateBlockedEll is not implemented'
err '^teg: cusparseSpMV: a product of 32F to 64F, computed in 64F'
expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" handles
err '^teg: cuSPARSE: teg.s own kernels'
# other generations' code
for gpu in rtx2080ti rtx4090 h100 b200 rtx5090; do
    for test in matrix_products formats triangles; do
        expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program" $test
    done
done
expect 1 "$teg" exec -g v100 --no-trace -- "$work/program" vectors
err '^teg: cuSPARSE: there are no kernels for sm_70: sm_75 is the oldest'

# the kernels are traced and replayed as a program's own
expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/program" handles
check 'named' grep -q '"name": "teg_cusparse_spmv_csr_across_s"' "$work/traces/kernels.json"
expect 0 "$teg" run -g a100 "$work/traces/kernels.json"
out '^teg_cusparse_spmv_csr_across_s on a100'
out "teg's own kernel in place of cuSPARSE's"

# so do rows that wait for others
expect 0 "$teg" exec -g a100 -k teg_cusparse_lu_d -o "$work/factors" -- "$work/program" triangles
expect 0 "$teg" run -g a100 "$work/factors/kernels.json"
out '^teg_cusparse_lu_d on a100'
out 'asks until another has written'

finish
