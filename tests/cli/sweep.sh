# teg sweep and teg merge: rows, resuming, shards, faults.
. tests/cli/lib.sh

chain=tests/kernels/sm70/ffma_chain.sketch
reduction=tests/kernels/sm70/reduction.sketch
rows() {
    [ "$(grep -c '"status":' "$1")" = "$2" ]
}

# Two values of a parameter, two GPUs, two of a key, with and without a
# what-if: 16 rows, the parameter slowest, the what-if fastest.
axes="-g v100,a100 --vary sm.warps_max=16,32 --what-if no-dependences -p N=64,128"
expect 0 "$teg" sweep $chain $axes -f json -j 1
cp "$work/out" "$work/one.json"
check 'a row for every combination' rows "$work/one.json" 16
check 'numbered in their order' [ "$(sed 's/.*"point":\([0-9]*\),.*/\1/' \
    "$work/one.json" | tr '\n' ' ')" = "$(seq 0 15 | tr '\n' ' ')" ]
check 'the parameter changes slowest' \
    [ "$(sed -n '9s/.*"param.N":\([0-9]*\).*/\1/p' "$work/one.json")" = 128 ]
check 'and the what-if fastest' \
    [ "$(grep -c '"what-if":""' "$work/one.json")" = 8 ]
expect 0 "$teg" sweep $chain $axes -f json -j 3
check 'any number of workers writes the same bytes' \
    cmp -s "$work/out" "$work/one.json"

# A row says what teg run says.
cycles_of() {
    sed -n 's/^.*"cycles": *\([0-9]*\),"time_us.*/\1/p;s/^  "cycles": \([0-9]*\),$/\1/p' "$1"
}
expect 0 "$teg" run $chain -g a100 --what-if no-dependences -p N=128 -f json
cycles_of "$work/out" >"$work/run"
sed -n 14p "$work/one.json" >"$work/row"
cycles_of "$work/row" >"$work/swept"
check 'as many cycles as teg run' cmp -s "$work/run" "$work/swept"
check 'and there are some' [ -s "$work/run" ]
expect 0 "$teg" run $reduction -g v100 --set dram.latency=900 --warps 16 -f csv
cp "$work/out" "$work/run.csv"
expect 0 "$teg" sweep $reduction -g v100 --vary dram.latency=300,900 \
    --active-warps 8,16 -f csv
check 'CSV has the columns of teg run' sh -c "tail -1 '$work/out' |
    grep -qF \"\$(tail -1 '$work/run.csv' | tr -d '\\r')\""
check 'a header and a row each' [ "$(wc -l <"$work/out")" = 5 ]

# Clocks: each of each GPU, and then what --set says, as in teg run.
expect 0 "$teg" run $reduction -g a100 --clock 705 --set l2.latency=300 -f json
cycles_of "$work/out" >"$work/run"
expect 0 "$teg" sweep $reduction -g v100,a100 --clock 705:1410:705 \
    --set l2.latency=300 -f json
check 'two GPUs at two clocks' rows "$work/out" 4
sed -n 3p "$work/out" >"$work/row"
check 'the clock of the point' grep -q '"clock":705.*"clock_mhz":705' "$work/row"
cycles_of "$work/row" >"$work/swept"
check 'as many cycles as at that clock' cmp -s "$work/run" "$work/swept"
expect 2 "$teg" sweep $reduction -g v100 --clock 1000,fast
err "^teg: --clock: expected 1 to 10000 MHz, found 'fast'$"

# Ranges: both ends count.
expect 0 "$teg" sweep $chain -g v100 -p N=8:40:8 --vary launch.warps=1,2
out '^point  *param.N  *launch.warps  *cycles  *time_us  *ipc'
check 'five values times two' [ "$(wc -l <"$work/out")" = 11 ]

# Ordered: a chain of N dependent FFMA takes longer the larger N is.
expect 0 "$teg" sweep $chain -g v100 -p N=64,8,256 --rank-by cycles -f csv
check 'the shortest first' [ "$(sed -n 's/^[^,]*,\([0-9]*\),.*/\1/p' \
    "$work/out" | tr '\n' ' ')" = '1 0 2 ' ]
expect 0 "$teg" sweep $chain -g v100 -p N=64,8,256 --rank-by vary.param.N:max \
    -f csv
check 'or the largest' [ "$(sed -n 's/^[^,]*,\([0-9]*\),.*/\1/p' \
    "$work/out" | tr '\n' ' ')" = '2 0 1 ' ]
# Fewer cycles and a larger N: no chain beats another. Fewer of both: one does.
expect 0 "$teg" sweep $chain -g v100 -p N=64,8,256 \
    --pareto cycles,vary.param.N:max -f json
check 'no row beats another' rows "$work/out" 3
expect 0 "$teg" sweep $chain -g v100 -p N=64,8,256 --pareto cycles,vary.param.N \
    -f json
check 'one row beats all' rows "$work/out" 1
# As many blocks: what needs more cycles for them is beaten.
expect 0 "$teg" sweep $chain -g v100 -p N=64,256 --pareto cycles,kernel.blocks \
    -f json
check 'an equal second goal beats nothing' rows "$work/out" 1

# A point that cannot be says why in its row; the others are done.
expect 1 "$teg" sweep $chain -g v100 --vary sm.schedulers=1,4,77 -f json
err '1 of 3 points failed'
check 'the failed point has a row' rows "$work/out" 3
out '"status":"failed","reason":"sm.schedulers: .*expected.*found .77.'
expect 1 "$teg" sweep $chain -g v100 --vary sm.schedulers=77,1,4 \
    --rank-by cycles -f csv
check 'ranked, what failed comes last' [ "$(sed -n 's/^[^,]*,\([0-9]*\),.*/\1/p' \
    "$work/out" | tr '\n' ' ')" = '1 2 0 ' ]
expect 1 "$teg" sweep $chain -g v100 --vary sm.schedulers=1,4,77
out 'failed: sm.schedulers'
expect 1 "$teg" sweep $reduction -g v100 --active-warps 1,64 -f json
out '"reason":".*expected room for a block of 8 warps, found a limit of 1 '
expect 0 "$teg" sweep $chain -g v100,gtx280 --vary sm.warps_max=8,32 -f csv
check 'rows of chips with other units share a header' \
    [ "$(wc -l <"$work/out")" = 5 ]

# Misuse, found before the first point.
expect 2 "$teg" sweep $chain -g v100 --vary sm.warps_maximum=16
err "nearest is sm.warps_max"
expect 2 "$teg" sweep $chain -g v100 --vary launch.warp=16
err "did you mean 'launch.warps'"
expect 2 "$teg" sweep $chain -g v100 --vary dram.latency=400:200:100
err 'steps nowhere'
expect 2 "$teg" sweep $chain -g v100 --vary dram.latency=400:800:0
err 'steps nowhere'
expect 2 "$teg" sweep $chain -g v100 --vary dram.latency=
expect 2 "$teg" sweep $chain -g v100 --vary dram.latency=1 --vary dram.latency=2
err 'varied twice'
expect 2 "$teg" sweep $chain -g v100 --what-if no-barier
err "did you mean 'no-barriers'"
long=no-$(printf '%0120d' 1)
expect 2 "$teg" sweep $chain -g v100 --what-if "no-barriers,$long,coalesced"
err "unknown name '$long'"
expect 2 "$teg" run $chain -g v100 --what-if "no-barriers,$long,coalesced"
err "unknown name '$long'"
expect 2 "$teg" sweep $chain -g v1000
err 'v100'
expect 2 "$teg" sweep $chain -g v100 --rank-by cycle
err "did you mean 'cycles'"
expect 2 "$teg" sweep $chain -g v100 --pareto cycles
# Terms of models as columns, to order by, too; of those asked for only.
expect 0 "$teg" sweep tests/kernels/gt200/mb.sketch -g fx5600 -p MB=3,2 \
    --terms mwp-cwp,ryoo --rank-by models.mwp-cwp.terms.CWP_full:max -f csv
out ',models.mwp-cwp.terms.CWP_full,'
no_term() { ! grep -q ',models.throughput.terms' "$work/out"; }
check 'only the terms of those models' no_term
check 'more of CWP first: Mb2 computes less' sh -c "
    sed -n 2p '$work/out' | grep -q ',mb,' && sed -n 2p '$work/out' |
        grep -q '^[^,]*,1,2,'"
expect 2 "$teg" sweep $chain -g v100 --terms mwp-cwq
err "no model is called 'mwp-cwq'; did you mean 'mwp-cwp'"
expect 2 "$teg" sweep $chain -g v100 --shard 3/2
expect 1 "$teg" sweep "$work/none.tegt" -g v100
expect 1 "$teg" sweep $chain -g v100 -p M=3
no_out

# A full disk, for the result and for the journal.
if [ -e /dev/full ]; then
    expect 1 "$teg" sweep $chain -g v100 -o /dev/full -f json
    err '/dev/full: cannot write'
    expect 1 "$teg" sweep $chain -g v100 --journal /dev/full -f json
    err '/dev/full: cannot write'
fi

# Stopped at any moment it goes on, and ends with the same bytes.
many="$reduction -g v100 --vary dram.latency=300:1500:4 -f json"
expect 0 "$teg" sweep $many
cp "$work/out" "$work/all.json"
# Waits for the first finished point of a sweep.
until_finished() {
    while kill -0 "$1" 2>/dev/null &&
        ! grep -qs '"status":' "$work/rows.json.partial"; do
        sleep 0.05
    done
}
stop() {
    rm -f "$work/rows.json" "$work/rows.json.partial"
    "$teg" sweep $many -o "$work/rows.json" 2>"$work/err" &
    pid=$!
    until_finished $pid
    kill "$1" $pid
    wait $pid
}
# Without the row that was cut off as it was written.
finished() {
    head -n "$(wc -l <"$work/rows.json.partial")" "$work/rows.json.partial" |
        grep -c '"status":'
}
for signal in -KILL -INT; do
    stop $signal
    check "a sweep stopped by $signal leaves no result" \
        [ ! -e "$work/rows.json" ]
    before=$(finished)
    check "and some finished points" [ "$before" -gt 0 ]
    # The row that was being written when the machine stopped.
    printf '{"sweep":"0123' >>"$work/rows.json.partial"
    expect 0 "$teg" sweep $many -o "$work/rows.json"
    err "going on after $before of 301 points"
    check 'the result is as if it had not been stopped' \
        cmp -s "$work/rows.json" "$work/all.json"
    check 'and the journal is gone' [ ! -e "$work/rows.json.partial" ]
done
stop -INT
expect 1 "$teg" sweep $chain -g v100 -f json --journal "$work/rows.json.partial"
err 'expected rows of sweep .*found those of another'
echo junk >"$work/junk"
expect 1 "$teg" sweep $chain -g v100 --journal "$work/junk"
err "junk: line 1: expected a row of .teg sweep -f json., found 'junk"

# Fewer points than cores: they share them, three threads and two.
fewer="tests/kernels/sm70/uncoalesced.sketch -g v100 -p BLOCKS=200,240 --exact"
expect 0 "$teg" sweep $fewer -f json -j 1
cp "$work/out" "$work/fewer.json"
expect 0 "$teg" sweep $fewer -f json -j 5
check 'any number of threads writes the same bytes' \
    cmp -s "$work/out" "$work/fewer.json"
"$teg" sweep tests/kernels/sm70/uncoalesced.sketch -g v100 -j 5 \
    -p BLOCKS=20000,20001 --exact >"$work/out" 2>"$work/err" &
pid=$!
workers_threads() { # EXPECTED
    [ "$(ps -o nlwp= --ppid $pid | sort -n | tr -d ' ' | tr '\n' ' ')" = "$1" ]
}
if command -v ps >/dev/null 2>&1; then
    within 20 workers_threads '2 3 '
    check 'two points on five cores' workers_threads '2 3 '
    # Killed, it leaves no worker behind that simulates on for nobody.
    workers=$(ps -o pid= --ppid $pid)
    kill -KILL $pid
    within 20 ended $workers
    check 'workers end with the sweep' ended $workers
else
    echo 'skipped: no ps to find workers with'
    kill -INT $pid
fi
wait $pid

# A worker stays with a launch: one does all of the second trace, a few
# instructions, before the other is done with the first point, then helps it.
expect 0 "$teg" sweep tests/kernels/sm70/stream.sketch $chain -g v100 -j 2 \
    --vary dram.latency=300:600:100 --journal "$work/order" -f json
check 'the points of the other launch come first' \
    [ "$(sed -n '2,5s/.*"point":\([0-9]*\),.*/\1/p' "$work/order" |
        tr '\n' ' ')" = '4 5 6 7 ' ]
check 'and then there are all' rows "$work/out" 8

# A worker that dies costs its point.
rm -f "$work/rows.json.partial"
"$teg" sweep tests/kernels/sm70/uncoalesced.sketch -g v100 -j 1 -f json \
    -p BLOCKS=64,2048 -o "$work/rows.json" 2>"$work/err" &
pid=$!
until_finished $pid
worker=$(ps -o pid= --ppid $pid 2>/dev/null | head -1)
if [ -n "$worker" ]; then
    kill -KILL $worker
    wait $pid
    check 'a dead worker is an error' [ $? = 1 ]
    err 'point 1 is not done: its worker was killed by signal 9'
    check 'its point is missing' rows "$work/rows.json" 1
    check 'the journal stays for the rest' [ -e "$work/rows.json.partial" ]
else
    wait $pid
    echo 'skipped: no ps to find the worker with'
fi

# A single launch is read before there are workers, also those that replace
# dead ones.
rm -f "$work/rows.json" "$work/rows.json.partial"
"$teg" convert tests/kernels/sm70/stream.sketch "$work/single.tegt" || exit 2
"$teg" sweep "$work/single.tegt" -g v100 -j 1 -f json \
    --vary dram.latency=300:600:100 -o "$work/rows.json" 2>"$work/err" &
pid=$!
until_finished $pid
worker=$(ps -o pid= --ppid $pid 2>/dev/null | head -1)
if [ -n "$worker" ]; then
    rm "$work/single.tegt"
    kill -KILL $worker
    wait $pid
    check 'only the point is lost' [ "$(grep -c '"status":"ok"' \
        "$work/rows.json")" = 3 ]
    check 'without the trace' rows "$work/rows.json" 3
else
    wait $pid
fi

# Parts on several machines.
for i in 1 2 3; do
    expect 0 "$teg" sweep $chain $axes -f json --shard $i/3 -o "$work/p$i.json"
done
expect 0 "$teg" merge "$work/p3.json" "$work/p1.json" "$work/p2.json" -f json
check 'parts are merged into the same bytes' cmp -s "$work/out" "$work/one.json"
printf '{"teg_sweep":1,"sweep":"0b01","points":42949672962}\n' >"$work/many.json"
expect 1 "$teg" merge "$work/many.json"
err 'many.json: line 1: expected a row of'
expect 1 "$teg" merge "$work/p3.json" "$work/p1.json" -f json
err '5 of 16 points are in no file: 1, 4, 7, 10, 13$'
check 'what there is is written' rows "$work/out" 11
expect 1 "$teg" merge "$work/p3.json" "$work/all.json"
err 'found those of another'
expect 0 "$teg" merge "$work/one.json" --rank-by cycles
expect 1 "$teg" merge "$work/junk"
expect 1 "$teg" merge "$work/missing"

# A part of a long kernel, asked for; short ones are simulated in full.
compute=tests/kernels/sm70/compute.sketch
expect 0 "$teg" sweep $compute -g v100 -p BLOCKS=80,13000 -p ITER=1 --sample \
    -f json
check 'the short one is exact' \
    [ "$(head -1 "$work/out" | grep -c '"sampled":null')" = 1 ]
check 'the long one says how far off it may be' \
    [ "$(tail -1 "$work/out" | grep -c '"error_bound_percent":[0-9]')" = 1 ]
check 'and how much it stands for' \
    [ "$(tail -1 "$work/out" | grep -c '"represented_blocks":13000,')" = 1 ]
expect 0 "$teg" sweep $compute -g v100 -p BLOCKS=13000 -p ITER=1 --sample
out 'sampled.error_bound_percent'
expect 0 "$teg" sweep $reduction -g v100 -p BLOCKS=80 -f json
out '"sampled":null'
expect 2 "$teg" sweep $chain -g v100 --sample --exact
err 'exclude each other'

# A picture of a sweep: the data always, the picture where gnuplot is.
expect 0 "$teg" sweep $chain -g v100,a100 -p N=64,128 --active-warps 1 -f csv \
    -o "$work/plot.csv"
plot() {
    sh tools/plot_sweep.sh "$work/plot.csv" -o "$work/plot.svg" -g gpu.name "$@"
}
if command -v gnuplot >/dev/null 2>&1; then
    expect 0 plot -s
    check 'a line for each GPU, speed-ups from 1 on' [ "$(sed -n '2p;3p;7p;8p' \
        "$work/plot.dat" | tr '\n' ' ')" = '"v100" 64 1 "a100" 64 1 ' ]
    check 'a picture' grep -q '<svg' "$work/plot.svg"
else
    echo 'skipped: no gnuplot for pictures of a sweep'
fi
expect 1 plot -y cycle
err 'expected a column "cycle", found none'
expect 2 sh tools/plot_sweep.sh "$work/plot.csv" -o "$work/plot.gif"

# A list and several traces: a row per kernel.
small_trace "$work/saxpy.traceg"
mkdir "$work/list"
cp "$work/saxpy.traceg" "$work/list/kernel-1.traceg"
sed 's/= saxpy/= other/' "$work/saxpy.traceg" >"$work/list/kernel-2.traceg"
printf 'kernel-1.traceg\nkernel-2.traceg\n' >"$work/list/kernelslist.g"
expect 0 "$teg" sweep "$work/saxpy.traceg" "$work/list/kernelslist.g" \
    --vary dram.latency=300,900 -f json
err 'sm_70: simulating v100'
check 'three kernels, two values' rows "$work/out" 6
printf '{"kernels": [{"trace": "kernel-1.traceg", "launches": 7},
    {"trace": "kernel-2.traceg"}]}' >"$work/list/kernels.json"
expect 0 "$teg" sweep "$work/list/kernels.json" -g v100 -f json
check 'a row says how often it was launched' \
    [ "$(grep -c '"number":1,"launches":7,' "$work/out")" = 1 ]
cp "$work/out" "$work/part.json"
# What a list names is part of the sweep.
sed 's/= other/= changed/' "$work/list/kernel-2.traceg" >"$work/x"
mv "$work/x" "$work/list/kernel-2.traceg"
expect 1 "$teg" sweep "$work/list/kernels.json" -g v100 -f json \
    --journal "$work/part.json"
err 'expected rows of sweep .*found those of another'

finish
