# Programs that call cuRAND's host API: what the library shows leads to teg's
# functions and kernels.  In its place here is one whose functions all fail, but
# for those that show its tables.
. tests/cli/lib.sh

[ "$(uname -m)" = x86_64 ] || { echo 'skipped: not x86-64'; exit 0; }

expect 0 compile curand
cp tests/cli/curand_vectors.c "$work/libcurand.c"
expect 0 library curand 10 999 'curand[A-FH-Z][A-Za-z0-9_]*\|curandGenerate[A-Za-z0-9_]*'
expect 0 link "$work/program" "$work/curand.o" "$work/libcurand.so.10"
LD_LIBRARY_PATH=$build/cudart expect 1 "$work/program" words # its own fails

for test in words twister continued distributions quasi poisson host discrete \
    stream refusals; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" $test
done
err '^teg: cuRAND: the generator MTGP32 is not implemented'
err '^teg: curandSetGeneratorOrdering: CURAND_ORDERING_PSEUDO_SEEDED is not implemented'
err '^teg: curandGenerateBinomial is not implemented'
expect 0 "$teg" exec -g a100 --no-trace -- "$work/program" stream
err '^teg: cuRAND: teg.s own kernels'
# other generations' code
for gpu in rtx2080ti rtx4090 h100 b200 rtx5090; do
    for test in words quasi; do
        expect 0 "$teg" exec -g $gpu --no-trace -- "$work/program" $test
    done
done
expect 1 "$teg" exec -g v100 --no-trace -- "$work/program" words
err '^teg: cuRAND: there are no kernels for sm_70: sm_75 is the oldest'

# the kernels are traced and replayed as a program's own
expect 0 "$teg" exec -g a100 -o "$work/traces" -- "$work/program" stream
check 'named' grep -q '"name": "teg_curand_xorwow_uniform"' "$work/traces/kernels.json"
expect 0 "$teg" run -g a100 "$work/traces/kernels.json"
out '^teg_curand_xorwow_uniform on a100'
out "teg's own kernel in place of cuRAND's"

finish
