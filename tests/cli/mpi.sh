# teg-mpi sweep over several ranks (make mpi; Open MPI).
. tests/cli/lib.sh

mpi=${teg}-mpi
if [ ! -x "$mpi" ] || [ "$mpi" -ot "${teg%/*}/libteg.a" ] ||
    ! command -v mpirun >/dev/null 2>&1; then
    echo 'skipped: no teg-mpi of this build (make mpi) or no mpirun'
    finish
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() {
    timeout 60 mpirun --oversubscribe -q -n "$@"
}
reduction=tests/kernels/sm70/reduction.sketch
points="$reduction -g v100 --vary dram.latency=300:900:10 -f json"

expect 0 "$teg" sweep $points
cp "$work/out" "$work/all.json"
for n in 1 2 4; do
    expect 0 ranks $n "$mpi" sweep $points -o "$work/rows.json"
    check "$n ranks write the same bytes" cmp -s "$work/rows.json" \
        "$work/all.json"
done
expect 1 ranks 3 "$mpi" sweep $reduction -g v100 --vary sm.schedulers=1,77 \
    -f json -o "$work/failed.json"
err '1 of 2 points failed'
expect 2 ranks 3 "$mpi" sweep $reduction -g v100 --vary sm.scheduler=1
check 'a misuse is said once' [ "$(grep -c 'nearest is' "$work/err")" = 1 ]

# A rank that dies ends the job; what is done is not done again.
rm -f "$work/rows.json"
many="$reduction -g v100 --vary dram.latency=300:1500:2 -f json"
ranks 3 "$mpi" sweep $many -o "$work/rows.json" >"$work/out" 2>"$work/err" &
pid=$!
while kill -0 $pid 2>/dev/null &&
    ! grep -qs '"status":' "$work/rows.json.partial"; do
    sleep 0.05
done
victim=$(ps -eo pid=,args= | awk -v w="$work/rows.json" '
    index($0, w) && $2 ~ /teg-mpi$/ {print $1}' | tail -1)
[ -n "$victim" ] && kill -KILL "$victim"
wait $pid
if [ -e "$work/rows.json.partial" ]; then
    before=$(grep -c '"status":' "$work/rows.json.partial")
    check 'finished points are kept' [ "$before" -gt 0 ]
    expect 0 ranks 3 "$mpi" sweep $many -o "$work/rows.json"
    err "going on after $before of 601 points"
    expect 0 "$teg" sweep $many
    check 'and end as the same bytes' cmp -s "$work/out" "$work/rows.json"
else
    echo 'skipped: the sweep was over before a rank could be killed'
fi

finish
