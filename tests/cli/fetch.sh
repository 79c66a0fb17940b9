# Instruction caches: code that fits costs nothing, longer code comes at the
# rate that six lines under way allow, and cold caches charge the first pass.
. tests/cli/lib.sh

micro=tests/kernels/micro
cycles() { # SKETCH OPTION...
    sketch=$1
    shift
    "$teg" run "$micro/$sketch.sketch" "$@" |
        awk '$1 == "cycles" { gsub(",", "", $2); print $2; exit }'
}
rounds() { # LINES OPTION...: cycles of the second round and the third
    lines=$1
    shift
    echo $(($(cycles icache -g rtx3070 -p LINES="$lines" -p ROUNDS=3 "$@") - \
        $(cycles icache -g rtx3070 -p LINES="$lines" -p ROUNDS=1 "$@")))
}

# 8 FFMA a line and one a cycle, but 12 cycles behind the branch instead of 1
check "480 lines fit" [ "$(rounds 480)" = $((2 * (480 * 8 + 11))) ]
# (latency + 7) / 6 cycles a line, for a line is asked for when the warp comes
# to the sixth before it, whose last instruction issues 7 cycles after it is
# there; and once a round the line behind the branch, which nobody asked for.
check "of 720 none fit the first" \
    [ "$(rounds 720)" -ge $((2 * 720 * 100 / 6)) ]
check "and they come six at a time" \
    [ "$(rounds 720)" -le $((2 * (720 * 100 / 6 + 93 + 12))) ]
check "of 1536 none fit the second" \
    [ "$(rounds 1536)" -ge $((2 * 1536 * 214 / 6)) ]
check "and they come six at a time from L2" \
    [ "$(rounds 1536)" -le $((2 * (1536 * 214 / 6 + 207 + 12))) ]

# More code never takes less, nor does less cache or a slower one.
last=0
for lines in 500 512 528 560 640 1000 1040 1100; do
    now=$(rounds $lines)
    check "$lines lines take longer" [ "$now" -gt "$last" ]
    last=$now
done
check "half of the cache" \
    [ "$(rounds 480 --set fetch.l0_bytes=32768)" -gt "$(rounds 480)" ]
check "a slower one" \
    [ "$(rounds 720 --set fetch.l1_latency=120)" -gt "$(rounds 720)" ]
check "fewer lines ahead" \
    [ "$(rounds 720 --set fetch.lines_ahead=3)" -gt "$(rounds 720)" ]

# Who waits is told so, and the what-if takes it away.
expect 0 "$teg" run $micro/icache.sketch -g rtx3070 -p LINES=720
out '^ *no_instruction '
expect 0 "$teg" run $micro/icache.sketch -g rtx3070 -p LINES=720 \
    --what-if no-instruction-misses
no_stall() {
    ! grep -q '^ *no_instruction ' "$work/out"
}
check "nobody waits for instructions" no_stall
expect 0 "$teg" run $micro/icache.sketch -g rtx3070 -p LINES=480
check "nor where the code fits" no_stall

# Cold caches: the first pass of 17 lines, but not the empty kernel's line.
loop="ffma_loop -g h100pcie -p BLOCKS=2"
# shellcheck disable=SC2086
check "a first pass" \
    [ "$(cycles $loop --set fetch.cold=1)" -gt "$(cycles $loop)" ]
check "the start has the first line" [ "$(cycles empty -g h100pcie)" = \
    "$(cycles empty -g h100pcie --set fetch.cold=1)" ]

# Threads and windows change nothing.
for jobs in 1 3; do
    expect 0 "$teg" run $micro/icache.sketch -g rtx3070 -p LINES=1100 \
        -p BLOCKS=60 -p THREADS=128 -j $jobs -f json
    cp "$work/out" "$work/jobs$jobs"
done
check "one thread and three" cmp -s "$work/jobs1" "$work/jobs3"
finish
