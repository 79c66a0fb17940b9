# teg program: what teg exec has noted of a program, and lists by hand, in time.
. tests/cli/lib.sh

expect 0 "$teg" exec -g a100 -o "$work/c" -- "$build/tests/cli/streams" capture
expect 0 "$teg" program "$work/c/kernels.json" -g a100 --timeline "$work/line.json"
out '^[0-9.]* us from the first call to the last end (simulated; caches carry'
out '^     2  .*>.*a.*<'
out '^ .*copies and sets  *[0-9.]*$'
out '^no-launch-gaps '
check 'a time line' grep -q '"traceEvents"' "$work/line.json"
expect 0 "$teg" program "$work/c/kernels.json" -g a100 -f json --no-ranking
check 'nodes of a graph' grep -q '"node": 3' "$work/out"
expect 0 "$teg" program "$work/c/kernels.json" -g a100 -f csv
check 'a row each: three times three nodes, a set, a copy' \
    [ "$(wc -l <"$work/out")" = 15 ]

# A kernel of one block in two streams: beside each other, or one after the
# other.  The clock is such that it takes 100 us and more.
cat >"$work/k.sketch" <<'END'
sketch 1
kernel "k"
isa sm_80
grid 1
block 32
registers 16

loop k 2000
    FFMA R1, R1, R1, R1
end
EXIT
END
two='{"teg": {"schema": 3}, "kernels": [{"trace": "k.sketch"}], "order": ['
play() { # NAME ENTRIES: total time
    echo "$two$2]}" >"$work/$1.json"
    "$teg" program "$work/$1.json" -g a100 -f json --no-ranking --caches cold \
        --set launch.gap_us=0 --set launch.host_us=0 --set launch.latency_us=0 |
        sed -n 's/^  "time_us": \([0-9.]*\),*/\1/p' | head -1
}
one=$(play one '{"kernel": 0}')
same=$(play same '{"kernel": 0, "launches": 2}')
beside=$(play beside '{"kernel": 0, "stream": 1}, {"kernel": 0, "stream": 2}')
check 'a stream is in order' \
    [ "$(awk -v a="$same" -v b="$one" "BEGIN {print a / b}")" = 2 ]
# (the second's block gets its place a little later)
check "two overlap ($one, $beside)" awk -v a="$one" -v b="$beside" \
    'BEGIN {exit !(b >= a && b / a < 1.01)}'
default=$(play default '{"kernel": 0, "stream": 1}, {"kernel": 0}')
check 'the default stream waits' [ "$default" = "$same" ]
expect 0 "$teg" program "$work/beside.json" -g a100 --serial
out '[-]-serial)'
# a trace that says nothing of order, and what-ifs by name
expect 0 "$teg" program "$work/k.sketch" -g a100 --fused k,k
out '^fused:k,k '
expect 2 "$teg" program "$work/k.sketch" -g a100 --fused k,none
err "expected A,B, two kernels of the program, found 'k,none'"

# Two beside each other against the engine, which has both as one launch whose
# blocks do what the one or the other does (docs/accuracy.md): as that where they
# are simulated together, within a fifth where they are estimated.
beside() { # NAME BLOCKS LINE...: a kernel
    printf 'sketch 1\nkernel "%s"\nisa sm_80\ngrid %s\nblock 256\n' "$1" "$2"
    shift 2
    printf 'registers 32\nlet a = 0x7f0000000000\n'
    printf '%s\n' "$@" EXIT
}
load='LDG.E.128 R8, [R2 : a + 16*tid + 4096*b + 0x4000000*k]'
add='FADD R16, R8, R8'
beside first 216 'let b = ctaid' 'loop k 8' "$load" "$add" 'end' \
    >"$work/first.sketch"
beside second 108 'let b = ctaid + 10000' 'loop k 8' "$load" "$add" 'end' \
    >"$work/second.sketch"
beside both 324 'let b = ctaid + (ctaid >= 216) * (10000 - 216)' 'loop k 8' \
    "$load" "$add" 'end' >"$work/both.sketch"
echo '{"teg": {"schema": 3}, "kernels": [{"trace": "first.sketch"},
    {"trace": "second.sketch"}], "order": [{"kernel": 0, "stream": 1},
    {"kernel": 1, "stream": 2}]}' >"$work/pair.json"
of() { sed -n 's/^  "time_us": \([0-9.]*\),*/\1/p' | head -1; }
engine=$("$teg" run "$work/both.sketch" -g a100 -f json --caches cold | of)
pair() { # OPTION...: total time
    "$teg" program "$work/pair.json" -g a100 -f json --caches cold \
        --no-ranking --set launch.gap_us=0 --set launch.host_us=0 \
        --set launch.latency_us=0 "$@" | of
}
together=$(pair)
check "as the engine ($engine, $together)" awk -v a="$engine" -v b="$together" \
    'BEGIN {exit !(a > 0 && b / a > 0.999 && b / a < 1.001)}'
estimate=$(pair --estimate)
check "nearly so ($engine, $estimate)" awk -v a="$engine" -v b="$estimate" \
    'BEGIN {exit !(a > 0 && b / a > 0.8 && b / a < 1.25)}'
check 'two ways' [ "$estimate" != "$together" ]
check 'asked for, too' [ "$(pair --exact)" = "$together" ]
check 'threads change nothing' [ "$(pair -j 3)" = "$together" ]
expect 0 "$teg" program "$work/pair.json" -g a100 --set launch.host_us=0 \
    --timeline "$work/line.json"
out 'beside each other together): 2'
expect 0 "$teg" program "$work/pair.json" -g a100 --html "$work/page.html"
check 'a page with the streams' grep -q '>stream 2<' "$work/page.html"
check 'with the SMs' grep -q '>SM 96<' "$work/page.html"
check 'with what-ifs' grep -q '<td>no-launch-gaps' "$work/page.html"
check 'the path' grep -q '<td>launch latency' "$work/page.html"
check 'nothing is loaded from elsewhere' [ "$(grep -c -E \
    'src=|@import|url\([^#]|href="[^d]|https?://' "$work/page.html")" = 0 ]
expect 1 "$teg" program "$work/pair.json" -g a100 --html "$work/none/page.html"
check 'SMs on the time line' grep -q '"name": "SM 107"' "$work/line.json"

# Pages of managed memory that a launch touches first come as part of it: where
# it would have begun, at link.fault_gbs behind link.fault_us; a prefetch is a copy.
echo "$two"'{"kernel": 0}, {"what": "pages-to-device", "address": "0x30000",
    "bytes": 65536}, {"kernel": 0}, {"what": "prefetch-to-host",
    "address": "0x30000", "bytes": 65536, "async": true}]}' >"$work/pages.json"
expect 0 "$teg" program "$work/pages.json" -g a100 -f csv --no-ranking \
    --caches cold --set launch.latency_us=5 --set launch.gap_us=2 \
    --set link.fault_gbs=1 --set link.fault_us=10 \
    --set link.from_device_gbs=2 --set link.latency_us=0
check 'pages, and the launch behind them' awk -F, '
    NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
    NR > 1 {start[NR] = $at["start_us"]; end[NR] = $at["end_us"]; what[NR] = $at["what"]}
    function near(a, b) {return a - b < 1e-3 && b - a < 1e-3}
    END {exit !(NR == 5 && what[3] == "pages-to-device" &&
        near(start[3], end[2] + 2) && near(end[3], start[3] + 10 + 65.536) &&
        near(start[4], end[3]) && near(end[5], start[5] + 32.768))}' "$work/out"

# what nsys measured: as it was, gaps of the host and all
cat >"$work/trace.csv" <<'END'
Processing [report1.sqlite] with [cuda_gpu_trace.py]...
Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
1000000,100000,1,,,,,,,,,,1.000,10000,Pinned,Device,A100 (0),1,,14,[CUDA memcpy Host-to-Device]
1101000,50000,2,108,1,1,256,1,1,32,0.000,0.000,,,,,A100 (0),1,,14,"add(float *, int)"
1101600,30000,3,10,1,1,256,1,1,32,0.000,0.000,,,,,A100 (0),1,,15,spin
1400000,20000,4,10,1,1,256,1,1,32,0.000,0.000,,,,,A100 (0),1,,15,spin
1420800,2000,5,,,,,,,,,,0.001,10000,Device,Pinned,A100 (0),1,,15,[CUDA memcpy Device-to-Host]
END
expect 0 "$teg" program "$work/trace.csv" -g a100 --set launch.latency_us=5 \
    --set launch.gap_us=1
out 'each as measured): 3'
out '^         5        100     14  host-to-device  *host$'
out '^       106         50     14  add(float \*, int)  *stream$'
out '^     106.6         30     15  spin  *host$'
out '^       405         20     15  spin  *host$'
out '^       425          2     15  device-to-host  *stream$'
sed 's/,108,1,1,/,108,0,1,/' "$work/trace.csv" >"$work/none.csv"
expect 1 "$teg" program "$work/none.csv" -g a100
err "none.csv:4: expected a whole number from 1 to 65535 for 'GrdY', found '0'"
sed 's/,15,spin/,1.5,spin/' "$work/trace.csv" >"$work/half.csv"
expect 1 "$teg" program "$work/half.csv" -g a100
err "half.csv:5: expected a whole number .* for 'Strm', found '1.5'"

# the whole that nsys exports: with the host's calls, what waits for what, a graph
if command -v python3 >/dev/null; then
    python3 tests/cli/nsys_whole.py "$work/whole.sqlite"
    expect 0 "$teg" program "$work/whole.sqlite" -g a100
    out '^662.5 us .* (each as measured): 6 launches,$'
    out '^the run itself took 676 us$'
    err 'launches and copies of other devices than 0 (1) are left out'
    err 'copies of pages of managed memory (1) are left out'
    # latency, gap and the host's wait are the run's medians: 4.5, 1 and 4 us
    out '^     105.5         50      0  add(float \*, int)  *stream$'
    out '^     156.5         20     14  spin  *stream$' # by the event
    out '^     557.5         50     14  add(float \*, int)  *stream$'
    out '^     557.5         30     14  spin  *stream$' # beside each other
    out '^     608.5         50     14  add(float \*, int)  *stream$'
    out '^ *332.5 .* the host'
    expect 0 "$teg" program "$work/whole.sqlite" -g a100 --set launch.gap_us=3
    out '^     107.5         50      0  add(float \*, int)  *stream$'
    change() { # SQL MESSAGE
        python3 -c 'import sqlite3, sys, shutil
shutil.copy(sys.argv[1], sys.argv[2])
db = sqlite3.connect(sys.argv[2])
db.execute(sys.argv[3])
db.commit()' "$work/whole.sqlite" "$work/bad.sqlite" "$1"
        expect 1 "$teg" program "$work/bad.sqlite" -g a100
        err "bad.sqlite: $2"
    }
    change 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridY = 0' \
        "expected a whole number from 1 to 65535 for 'gridY'"
    change 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET blockX = 1024, blockY = 8' \
        'the block of a launch fits no SM'
    change 'UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET end = start - 1' \
        "expected a whole number from .* for 'end'"
    change 'DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME' "expected the host's calls"
    python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId = 1")
db.commit()' "$work/whole.sqlite"
    expect 0 "$teg" program "$work/whole.sqlite" -g a100
    err 'launches and copies whose calls are not in the file (1) are left out'
    change 'DROP TABLE StringIds' 'expected what .* writes, found no table StringIds'
    change 'UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 1000' \
        'expected calls of the host with the correlations'
fi
echo "no base" >"$work/none.sqlite"
expect 1 "$teg" program "$work/none.sqlite" -g a100
err 'none.sqlite: .*nsys export --type sqlite\|none.sqlite: SQLite'
expect 2 "$teg" program "$work/none.sqlite"
err 'choose the GPU it was measured on with -g'

echo "$two{\"what\": \"host\", \"us\": 77777777777.3, \"stream\": 2},
    {\"what\": \"device-to-host\", \"address\": \"0x10\", \"bytes\": 64,
    \"stream\": 2}, {\"kernel\": 0}]}" >"$work/day.json"
# After a day a moment is wider than what is left of a copy: it ends.
check 'a long program ends' [ -n "$(timeout 20 "$teg" program -g a100 -f json \
    --no-ranking "$work/day.json" | sed -n '/"time_us"/p')" ]

# A score that cannot be: rows of nothing, or of what comes behind them; more
# launches than anyone would wait for; a number of them below none.
copy='"what": "set", "address": "0x10", "bytes": 4'
refused() { # ENTRIES GRAPHS MESSAGE
    echo "$two$1], \"graphs\": [{\"nodes\": [$2]}]}" >"$work/bad.json"
    expect 1 "$teg" program "$work/bad.json" -g a100
    err "bad.json: $3"
}
graph='{"kernel": 0}, {"what": "graph", "graph": 0}'
refused "$graph" "{$copy, \"after\": [1]}, {$copy, \"part\": true}" \
    'graphs\[0\].nodes\[1\]: the node comes after itself'
refused "$graph" "{$copy, \"part\": true}" \
    'graphs\[0\].nodes\[0\]: expected "part" right behind the copy or set'
refused "$graph" '{"kernel": 0}, {"kernel": 0, "part": true}' \
    'graphs\[0\].nodes\[1\]: expected "part" of a copy or a set only'
refused '{"kernel": 0}, {"what": "graph", "graph": 0, "launches": 4294967295}' \
    '{"what": "host"}' 'expected at most 16777216 launches and copies'
refused '{"kernel": 0}, {"what": "wait", "event": 1}' \
    '{"what": "record", "event": 1}' \
    'order\[1\]: waits for event 1, which nothing records'
refused '{"kernel": 0}, {"untraced": -5}' '{"what": "host"}' \
    'order\[1\]: expected "untraced" from 0 to 4294967295'

expect 2 "$teg" program "$work/trace.csv"
err 'choose the GPU it was measured on with -g'
sed 's/,50000,/,five,/' "$work/trace.csv" >"$work/bad.csv"
expect 1 "$teg" program "$work/bad.csv" -g a100
err "bad.csv:4: expected a number for 'Duration', found 'five'"
sed 's/,108,1,1,256,1,/,108,1,1,256,8,/' "$work/trace.csv" >"$work/bad.csv"
expect 1 "$teg" program "$work/bad.csv" -g a100
err 'bad.csv:4: the block of this launch fits no SM'
sed 2d "$work/trace.csv" >"$work/bad.csv"
expect 1 "$teg" program "$work/bad.csv" -g a100
err 'under a head with Start, Duration'

# what cannot be played, by its entry
bad() { # MESSAGE ENTRIES
    echo "$two$2]}" >"$work/bad.json"
    expect 1 "$teg" program "$work/bad.json" -g a100
    err "$1"
}
bad 'bad.json: order\[1\]: waits for event 3, which nothing records' \
    '{"kernel": 0}, {"what": "wait", "event": 3, "stream": 1}'
bad 'order\[0\] (wait, stream 1) waits for order\[4\] (record, stream 2); order\[4\]' \
    '{"what": "wait", "event": 2, "stream": 1},
     {"what": "record", "event": 1, "stream": 1},
     {"kernel": 0},
     {"what": "wait", "event": 1, "stream": 2},
     {"what": "record", "event": 2, "stream": 2}'
bad 'order\[1\]: expected a range within the buffer of 64 bytes of order\[0\], found 64 bytes from its byte 32' \
    '{"what": "allocate", "address": "0x100", "bytes": 64},
     {"what": "host-to-device", "address": "0x120", "bytes": 64},
     {"kernel": 0}'
# nothing is wrong with the buffer's own bytes, nor behind its end
echo "$two"'{"what": "allocate", "address": "0x100", "bytes": 64},
    {"what": "host-to-device", "address": "0x100", "bytes": 64},
    {"what": "host-to-device", "address": "0x140", "bytes": 64},
    {"kernel": 0}]}' >"$work/fits.json"
expect 0 "$teg" program "$work/fits.json" -g a100 --no-ranking

# Programmatic dependent launches: the second comes half a microsecond after all
# blocks of the first let it, and goes on behind its end where it says so.
grid() { # NAME LINE...: a kernel of sixteen blocks
    printf 'sketch 1\nkernel "%s"\nisa sm_90\ngrid 16\nblock 128\n' "$1"
    shift
    printf 'registers 16\n'
    printf '%s\n' "$@" EXIT
}
add='FFMA R4, R4, R4, R4'
grid lets 'loop k 200' "$add" end PREEXIT 'loop k 1800' "$add" end \
    >"$work/lets.sketch"
grid keeps 'loop k 2000' "$add" end >"$work/keeps.sketch"
grid waits 'loop k 1000' "$add" end ACQBULK 'loop k 200' "$add" end \
    >"$work/waits.sketch"
grid goes 'loop k 1000' "$add" end >"$work/goes.sketch"
follow() { # FIRST SECOND OPTION...: start and end of the second, and the total
    echo '{"teg": {"schema": 3}, "kernels": [{"trace": "'"$1"'.sketch"},
        {"trace": "'"$2"'.sketch"}], "order": [{"kernel": 0, "stream": 1},
        {"kernel": 1, "stream": 1, "dependent": true}]}' >"$work/follow.json"
    shift 2
    "$teg" program "$work/follow.json" -g h100 --caches cold --no-ranking -f csv \
        --set launch.host_us=0 --set launch.latency_us=0 --set launch.gap_us=0 \
        --set launch.dependent_gap_us=0.5 "$@" >"$work/follow.csv" &&
        awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
            NR == 2 {first = $at["end_us"]}
            NR == 3 {print $at["start_us"], $at["end_us"], first}' \
            "$work/follow.csv"
}
follows() { # DESCRIPTION AWK-CONDITION FIRST SECOND OPTION...
    what=$1
    condition=$2
    shift 2
    times=$(follow "$@")
    check "$what ($times)" awk -v t="$times" "BEGIN {n = split(t, a, \" \")
        start = a[1]; end = a[2]; first = a[3]; exit !(n == 3 && $condition)}"
}
# 2,000 additions take 4.3 us, their latency each
follows 'it comes when it is let' 'first > 4 && start > 0.9 && start < 1.3' \
    lets waits
follows 'and waits' 'end > first + 0.4 && end < first + 0.6' lets waits
follows 'who does not wait ends no sooner' 'start < 1.3 && end == first' \
    lets goes
follows 'who never lets' 'start >= first + 0.5 && start < first + 0.6' \
    keeps waits
follows 'an estimate knows of none' 'start >= first + 0.5' lets waits --estimate
follows 'one after the other' 'start >= first + 0.5' lets waits --serial

# The same as an edge of a graph: of "after", those of "dependent_on" let it come.
order() { # FIRST SECOND NODE-MEMBER...: as follow, of a graph
    printf '%s' '{"teg": {"schema": 3}, "kernels": [{"trace": "'"$1"'.sketch"},
        {"trace": "'"$2"'.sketch"}], "graphs": [{"nodes": [{"kernel": 0},
        {"kernel": 1, "after": [0]'"$3"'}]}],
        "order": [{"what": "graph", "graph": 0, "stream": 1}]}' >"$work/follow.json"
}
graph_follows() { # DESCRIPTION AWK-CONDITION FIRST SECOND NODE-MEMBER OPTION...
    what=$1
    condition=$2
    order "$3" "$4" "$5"
    shift 5
    "$teg" program "$work/follow.json" -g h100 --caches cold --no-ranking -f csv \
        --set launch.graph_gap_us=0 --set launch.dependent_gap_us=0.5 "$@" >"$work/follow.csv"
    check "$what" awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
        NR == 2 {begun = $at["start_us"]; first = $at["end_us"] - begun}
        NR == 3 {start = $at["start_us"] - begun; end = $at["end_us"] - begun}
        END {exit !(NR == 3 && '"$condition"')}' "$work/follow.csv"
}
early=', "dependent_on": [0]'
graph_follows 'a node comes when it is let' 'start > 0.9 && start < 1.3 &&
    end > first + 0.4' lets waits "$early"
graph_follows 'one that is not let' 'start >= first + 0.5' keeps waits "$early"
graph_follows 'one that depends on its end' 'start >= first && start < first + 0.2' \
    lets waits ''
graph_follows 'a node as estimated' 'start >= first + 0.5' lets waits "$early" --estimate
refused "$graph" '{"kernel": 0}, {"kernel": 0, "dependent_on": [0]}' \
    'graphs\[0\].nodes\[1\]: expected nodes of "after" in "dependent_on"'
refused "$graph" "{\"kernel\": 0}, {$copy, \"after\": [0], \"dependent_on\": [0]}" \
    'graphs\[0\].nodes\[1\]: expected an array of nodes for "dependent_on", of a launch'

# L1 is divided anew whenever the chip is idle: a launch that reads 100 KB again and
# again is as quick as alone before one whose shared memory leaves little to L1,
# not beside it.
grid again 'let a = 0x7f0000000000' 'loop k 300' \
    'LDG.E.128 R8, [R2 : a + 16*tid + 2048*(k - 50*(k/50))]' \
    'FADD R4, R8, R4' end >"$work/again.sketch"
grid large 'loop k 2000' "$add" end | sed 's/^grid .*/grid 16\nshared 200000/' \
    >"$work/large.sketch"
divided() { # KERNELS ENTRIES: what the first launch takes
    echo '{"teg": {"schema": 3}, "kernels": ['"$1"'], "order": ['"$2"']}' >"$work/l1.json"
    "$teg" program "$work/l1.json" -g h100 --exact --no-ranking -f csv --caches cold |
        awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
            NR == 2 {printf "%.3f", $at["end_us"] - $at["start_us"]}'
}
one='{"trace": "again.sketch"}'
pairs="$one"', {"trace": "large.sketch"}'
alone=$(divided "$one" '{"kernel": 0, "stream": 1}')
pair='{"kernel": 1, "stream": 2}, {"kernel": 1, "stream": 3}'
before=$(divided "$pairs" '{"kernel": 0, "stream": 1}, {"what": "synchronize"}, '"$pair")
with=$(divided "$pairs" '{"kernel": 0, "stream": 1}, '"$pair")
check "as alone ($alone, $before)" [ "$before" = "$alone" ]
check "not beside ($with)" awk -v a="$alone" -v b="$with" 'BEGIN {exit !(b > 1.2 * a)}'

# Blocks of the stream whose priority is higher (a lower number) go first: of two
# launches of three waves each the one that came later ends sooner.
grid waves 'loop k 200' "$add" end | sed 's/^grid .*/grid 396\nshared 200000/' \
    >"$work/waves.sketch"
rank() { # FIRST'S SECOND'S OPTION...: which launch ends first, from 0
    echo '{"teg": {"schema": 3}, "kernels": [{"trace": "waves.sketch"}],
        "streams": [{"stream": 1, "priority": '"$1"'},
        {"stream": 2, "priority": '"$2"'}],
        "order": [{"kernel": 0, "stream": 1},
        {"kernel": 0, "stream": 2, "host_us": 0.2}]}' >"$work/rank.json"
    shift 2
    "$teg" program "$work/rank.json" -g h100 --no-ranking -f csv \
        --set launch.host_us=0 --exact "$@" |
        awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
            NR > 1 {end[NR - 2] = $at["end_us"]}
            END {if (NR == 3) print (end[0] > end[1])}'
}
check 'the older goes first' [ "$(rank 0 0)" = 0 ]
check 'but a higher priority' [ "$(rank 0 -1)" = 1 ]
check 'not a lower one' [ "$(rank -1 0)" = 0 ]
check 'as estimated' [ "$(rank 0 -1 --estimate)" = 1 ]
finish
