# teg compare: what profilers export, joined with what teg says.
. tests/cli/lib.sh

kernel=tests/kernels/sm70/vecadd_demo.sketch
expect 0 "$teg" run $kernel -g v100 -f json -o "$work/result.json"
value() {
    sed -n "s/^ *\"$1\": \([0-9.]*\).*/\1/p" "$work/result.json" | head -1
}
name=$(sed -n 's/^    "name": "\(.*\)",$/\1/p' "$work/result.json" | sed -n 2p)
warps=$(value warp_instructions)
dram=$(value dram_bytes)
us=$(value time_us)

# Nsight Compute's raw page: a row a launch, units below the head; the values
# are the result's, in other units.
{
    echo '==PROF== Connected to process 7, "quoted"'
    echo '"ID","Process ID","Kernel Name","Grid Size","gpu__time_duration.sum","dram__bytes.sum","smsp__inst_executed.sum","foo__bar.sum"'
    echo '"","","","","msecond","Kbyte","inst",""'
    awk "BEGIN {printf \"\\\"0\\\",\\\"7\\\",\\\"$name(float *, int)\\\",\\\"(1, 1, 1)\\\",\\\"%.9f\\\",\\\"%.4f\\\",\\\"$warps\\\",\\\"3\\\"\\n\", $us / 1000, $dram / 1000}"
} >"$work/raw.csv"
expect 0 "$teg" compare "$work/result.json" "$work/raw.csv"
out "^$name(float \*, int), launch 1 on v100\$"
out '^  Duration  *us  .* 1\.00$'
out '^  dram__bytes.sum  *byte .* 1\.00$'
out '^  Executed Instructions  *inst .* 1\.00$'
out '^0 of 3 numbers differ'
out 'not compared.*foo__bar.sum'
no_err

# The trace itself gives what its result does; ncu's own start is added.
expect 0 "$teg" compare $kernel "$work/raw.csv" -g v100
out '^  Executed Instructions .* 1\.00$'

# A list of a program's traces is a trace, not a result.
cp $kernel "$work/k.sketch"
echo '{"kernels": [{"trace": "k.sketch"}]}' >"$work/kernels.json"
expect 0 "$teg" compare "$work/kernels.json" "$work/raw.csv" -g v100
out '^  Executed Instructions .* 1\.00$'
expect 0 "$teg" diff "$work/kernels.json" "$work/result.json" -g v100
out '^cycles '

# A row a metric; a label that two sections have is told apart by its unit.
cat >"$work/long.csv" <<END
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"4","7","$name","Speed","Memory Throughput","%","1.5"
"4","7","$name","Memory","Memory Throughput","Gbyte/second","1,500.5"
"4","7","$name","Launch","Executed Instructions","inst","$warps"
"4","7","$name","","","",""
"9","7","$name","Launch","Executed Instructions","inst","1"
END
expect 0 "$teg" compare "$work/result.json" "$work/long.csv"
out '^  Memory Throughput  *Gbyte/s  *1,50[01] .* \*$'
out '^1 measured launch has no counterpart$'
out '^1 of 2 numbers differ'
expect 0 "$teg" compare "$work/result.json" "$work/long.csv" --tolerance 100
out '^0 of 2 numbers differ'

# nsys: copies are no kernels; a summary is a mean.
cat >"$work/trace.csv" <<END
Processing [x.sqlite] with [cuda_gpu_trace.py]...
Start (ns),Duration (ns),CorrId,GrdX,Reg/Trd,Device,Name
1,661398,123,,,"GPU, 0",[CUDA memcpy Host-to-Device]
2,17072,128,96,32,"GPU, 0","$name(float *, int)"
END
expect 0 "$teg" compare "$work/result.json" "$work/trace.csv"
out '^  Duration  *us  *17\.07 '
cat >"$work/sum.csv" <<END
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Name
100.0,28918,5,16783.6,1,"void $name<float>(float *)"
END
expect 0 "$teg" compare "$work/result.json" "$work/sum.csv"
out 'mean of its launches on v100$'
out '^  Duration  *us  *16\.78 '

# Any table: names of the result, units in parentheses, a pipe.
printf 'kernel,kernel.warp_instructions,Duration (ms)\n%s,%s,1\n' "$name" "$warps" |
    tee "$work/plain.csv" >"$work/fed.csv"
expect 0 "$teg" compare "$work/result.json" "$work/plain.csv" -f csv
out "^$name,1,kernel.warp_instructions,,,$warps,$warps,1,0,"
out "^$name,1,gpu__time_duration.sum,Duration,us,1000,"
expect 0 sh -c "$teg compare - '$work/plain.csv' <'$work/result.json'"
out '^  kernel.warp_instructions '

# What is no table says so in a line.
expect 1 "$teg" compare "$work/result.json" "$work/result.json"
err 'result.json: expected a table in CSV with a column of kernels'
expect 1 "$teg" compare "$work/result.json" "$teg"
err 'found a zero byte'
: >"$work/empty.csv"
expect 1 "$teg" compare "$work/result.json" "$work/empty.csv"
err 'empty.csv: expected a table'
printf 'kernel,cycles\n"other,3\n' >"$work/quote.csv"
expect 1 "$teg" compare "$work/result.json" "$work/quote.csv"
err 'quote.csv: line 2: a quote is not closed'
printf 'kernel,cycles\nother,3\n' >"$work/other.csv"
expect 1 "$teg" compare "$work/result.json" "$work/other.csv"
err "other.csv: no launch of it is in the result: it has other, the result $name"
printf 'kernel,cycles\n' >"$work/none.csv"
expect 1 "$teg" compare "$work/result.json" "$work/none.csv"
err 'none.csv: line 1: a table of measurements begins here'
printf 'kernel,foo,bar\n%s,3,4\n' "$name" >"$work/unknown.csv"
expect 1 "$teg" compare "$work/result.json" "$work/unknown.csv"
err 'none of its metrics is one that teg has: foo, \.\.\.'
expect 1 "$teg" compare "$work/result.json" "$work/none-such.csv"
err 'none-such.csv: cannot open'
for n in 1 20 80 160 240; do
    head -c $n "$work/raw.csv" >"$work/cut.csv"
    expect 1 "$teg" compare "$work/result.json" "$work/cut.csv"
    check 'one line' [ "$(wc -l <"$work/err")" = 1 ]
done

# A quote that the file ends in, results of nothing, a sign that stays.
for text in '"' '"a""'; do
    printf 'kernel,cycles\n%s,%s' "$name" "$text" >"$work/quote.csv"
    expect 1 "$teg" compare "$work/result.json" "$work/quote.csv"
    err 'quote.csv: line 2: a quote is not closed'
done
for text in '{"kernels": []}' '{"kernels": [{"cycles": 1}]}'; do
    echo "$text" >"$work/no.json"
    for other in "compare $work/no.json $work/raw.csv" \
        "diff $work/no.json $work/no.json"; do
        # shellcheck disable=SC2086 # words
        expect 1 "$teg" $other
        err 'no.json: expected a result of `teg run -f json`, found other JSON'
    done
done
printf 'kernel,cycles\n%s,-5000\n' "$name" >"$work/less.csv"
expect 0 "$teg" compare "$work/result.json" "$work/less.csv"
out '^  cycles  *-5000\.00 '

# The way back: what a word is called by the vendor.
expect 0 "$teg" explain 'Long Scoreboard'
out 'Nsight Compute: smsp__average_warps_issue_stalled_long_scoreboard_per_issue'
expect 0 "$teg" explain lts__t_sector_hit_rate.pct
out 'in a result: memory.l2_hit_percent'
expect 0 "$teg" explain dram_bytes
out 'Nsight Compute: dram__bytes.sum$'

finish
