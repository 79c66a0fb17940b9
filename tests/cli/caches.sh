# --caches: what a launch finds in L2 and TLBs.
. tests/cli/lib.sh

# value KEY: the numbers of that key in the JSON just printed, in a row
value() { sed -n "s/.*\"$1\": *\([0-9.]*\),*$/\1/p" "$work/out" | tr '\n' ' '; }

# One warp reads 32 lines, each after the last: what it takes less when they
# are in L2 is the difference of latencies, 32 times, where no translation has
# to be fetched.
chain() {
    printf 'sketch 1\nisa sm_70\ngrid 1\nblock 32\nlet a = %s\n' "$1"
    printf 'loop k 32\n  LDG.E R2, [R2 : a + 128*k]\nend\nEXIT\n'
}
chain 0x7f0000000000 >"$work/a.sketch"
chain 0x7f0000000800 >"$work/half.sketch" # half of these are a's
chain 0x7f0000100000 >"$work/b.sketch"
gpu='-g v100 --set tlb.walk_latency=0 --set tlb.miss_latency=0'
gpu="$gpu --set l2.latency=200 --set dram.latency=500 --set dram.delay_ns=0"
less=$((32 * 300))

expect 0 "$teg" run "$work/a.sketch" $gpu -f json
cold=$(value cycles | cut -d' ' -f1)
out '"caches": "cold"'
expect 0 "$teg" run "$work/a.sketch" $gpu --caches warm -f json
check 'L2 answers when warm' [ "$(value cycles | cut -d' ' -f1)" = $((cold - less)) ]
out '"caches": "warm"'
out 'as this kernel itself left them'
expect 0 "$teg" run "$work/a.sketch" $gpu --what-if warm-caches -f json
check 'and as a what-if' [ "$(value cycles | cut -d' ' -f1)" = $((cold - less)) ]
# translations stay as well: the walk, and the SM's own of the page
expect 0 "$teg" run "$work/a.sketch" $gpu --set tlb.walk_latency=1000 \
    --set tlb.miss_latency=40 -f json
check 'a walk and a miss when cold' [ "$(value cycles | cut -d' ' -f1)" = $((cold + 1040)) ]
expect 0 "$teg" run "$work/a.sketch" $gpu --set tlb.walk_latency=1000 \
    --set tlb.miss_latency=40 -f json --caches warm
check 'neither when warm' [ "$(value cycles | cut -d' ' -f1)" = $((cold - less)) ]
# At half the clock DRAM is half as many cycles behind L2.
expect 0 "$teg" run "$work/a.sketch" -g v100 --set tlb.walk_latency=0 \
    --set tlb.miss_latency=0 --set dram.delay_ns=0 -f json --clock 690
slow=$(value cycles | cut -d' ' -f1)
out '"clock_mhz": 690'
expect 0 "$teg" run "$work/a.sketch" -g v100 --set tlb.walk_latency=0 \
    --set tlb.miss_latency=0 --set dram.delay_ns=0 -f json
check 'a clock leaves DRAM its time' \
    [ $(($(value cycles | cut -d' ' -f1) - slow)) = $((32 * (425 - 319))) ]
expect 2 "$teg" run "$work/a.sketch" $gpu --clock fast
err "^teg: --clock: expected 1 to 10000 MHz, found 'fast'$"
expect 2 "$teg" run "$work/a.sketch" $gpu --clock 0
# alone, nothing has run before
expect 0 "$teg" run "$work/a.sketch" $gpu --caches carry -f json
check 'carry alone is cold' [ "$(value cycles | cut -d' ' -f1)" = "$cold" ]

# cycles LIST...: of the kernels of that list, in order
cycles() {
    expect 0 "$teg" run "$@" $gpu -f csv
    cut -d, -f"$(head -1 "$work/out" | tr ',' '\n' | grep -nx cycles | cut -d: -f1)" \
        "$work/out" | tail -n +2 | tr '\n' ' '
}
printf 'a.sketch\nhalf.sketch\nb.sketch\na.sketch\n' >"$work/list"
half=$((cold - less / 2))
warm=$((cold - less))
check 'a list is cold by default' [ "$(cycles "$work/list")" = "$cold $cold $cold $cold " ]
check 'or carries' \
    [ "$(cycles "$work/list" --caches carry)" = "$cold $half $cold $warm " ]
check 'whatever the threads' \
    [ "$(cycles "$work/list" --caches carry -j 4)" = "$cold $half $cold $warm " ]
check 'each after itself' \
    [ "$(cycles "$work/list" --caches warm)" = "$warm $warm $warm $warm " ]
check 'a chosen one after those before' \
    [ "$(cycles "$work/list" --caches carry -k 4)" = "$warm " ]
expect 0 "$teg" report "$work/list" $gpu --caches carry -k 4 -o "$work/page.html"
check 'the page says so' grep -q 'launches and copies before left them' "$work/page.html"

# a copy to the device leaves its lines in L2
printf 'MemcpyHtoD,0x00007f0000000000,2048\na.sketch\n' >"$work/copied"
check 'what is copied is there' \
    [ "$(cycles "$work/copied" --caches carry)" = "$half " ]
printf 'MemcpyDtoH,0x00007f0000000000,2048\na.sketch\n' >"$work/back"
check 'what is copied back is not' \
    [ "$(cycles "$work/back" --caches carry)" = "$cold " ]

# dirty lines stay dirty: who drives them out writes them
printf 'sketch 1\nisa sm_70\ngrid 1\nblock 32\nlet a = 0x7f0000200000\n%s' \
    'loop k 256
  STG.E.128 [R2 : a + 512*k + 16*tid], R4
end
EXIT
' >"$work/store.sketch"
printf 'store.sketch\nstore.sketch\n' >"$work/stores"
small='--set l2.bytes=65536 --set l2.ways=2 --set l2.slices=4 --set l2.dirty_share=1'
expect 0 "$teg" run "$work/stores" -g v100 $small -f csv
bytes() {
    cut -d, -f"$(head -1 "$work/out" | tr ',' '\n' | grep -nx memory.dram_bytes |
        cut -d: -f1)" "$work/out" | tail -n +2 | tr '\n' ' '
}
# 128 KB through 64 KB: the second half drives out the first
check 'cold' [ "$(bytes)" = '65536 65536 ' ]
expect 0 "$teg" run "$work/stores" -g v100 $small --caches carry -f csv
check 'what the first left dirty the second writes' [ "$(bytes)" = '65536 131072 ' ]

# unless the host waits in between, on a chip that writes them meanwhile
for what in '"what": "synchronize"' '"what": "free", "address": "0x7f0000200000", "bytes": 8'; do
    printf '{"teg": {"schema": 2}, "kernels": [{"trace": "store.sketch"},
        {"trace": "store.sketch"}], "order": [{"kernel": 0, "launches": 1}, {%s},
        {"kernel": 1, "launches": 1}]}' "$what" >"$work/waits.json"
    expect 0 "$teg" run "$work/waits.json" -g v100 $small --set l2.writes_resting=1 -f csv
    echo "$(bytes)"
done >"$work/waits"
check 'what has been written while nothing ran is not' \
    [ "$(paste -sd, "$work/waits")" = '65536 65536 ,65536 131072 ' ]

# an entry that stands for many launches: the first, and the others
printf '{"teg": {"schema": 1}, "kernels": [{"trace": "a.sketch", "launches": 5}]}' \
    >"$work/kernels.json"
check 'first and later launches' \
    [ "$(cycles "$work/kernels.json" --caches carry)" = "$cold $warm " ]
expect 0 "$teg" run "$work/kernels.json" $gpu --caches carry -f json
out '"launches": 4'
check 'their sum' grep -q "\"cycles\": $((cold + 4 * warm))" "$work/out"
expect 0 "$teg" report "$work/kernels.json" $gpu --caches carry -o "$work/page.html"
check 'a page is of the later ones' grep -q 'of a later launch' "$work/page.html"

# launches in the order of the list; the third of a is the second's
printf '{"teg": {"schema": 2}, "kernels": [{"trace": "a.sketch", "launches": 3},
    {"trace": "b.sketch", "launches": 2}], "order": [
    {"what": "host-to-device", "address": "0x7f0000000000", "bytes": 2048},
    {"kernel": 0, "launches": 1}, {"kernel": 1, "launches": 1},
    {"kernel": 0, "launches": 2}, {"kernel": 1, "launches": 1}]}' >"$work/ordered.json"
check 'copies and launches in their order' \
    [ "$(cycles "$work/ordered.json" --caches carry)" = "$half $cold $warm $warm " ]
expect 0 "$teg" run "$work/ordered.json" $gpu --caches carry -f json
check 'as often as launched' \
    grep -q "\"cycles\": $((half + cold + 3 * warm))" "$work/out"

# a third launch, which the second stands for, leaves its traces all the same: what
# comes behind it finds none of what came before
printf '{"teg": {"schema": 2}, "kernels": [{"trace": "store.sketch", "launches": 4},
    {"trace": "a.sketch"}, {"trace": "a.sketch"}], "order": [
    {"kernel": 0, "launches": 2}, {"kernel": 1, "launches": 1},
    {"kernel": 0, "launches": 2}, {"kernel": 2, "launches": 1}]}' >"$work/third.json"
expect 0 "$teg" run "$work/third.json" -g v100 $small -f csv
check 'a launch that is not simulated drives lines out' \
    [ "$(bytes)" = '65536 131072 6144 6144 ' ]

# later launches are behind what most of them are behind: not as hot as the second ...
some() { # ORDER: of a, so many times, and of S, a launch of store
    printf '{"teg": {"schema": 3}, "kernels": [{"trace": "a.sketch"},
        {"trace": "store.sketch"}], "order": [%s]}' \
        "$(echo "$1" | sed 's/A\([0-9]\)/{"kernel": 0, "launches": \1}/g
            s/S/{"kernel": 1, "launches": 1}/g; s/} {/}, {/g')" >"$work/some.json"
    expect 0 "$teg" run "$work/some.json" -g v100 $small -f csv
    bytes
}
check 'most of them hot' [ "$(some 'A3 S A1 S')" = '2048 0 65536 126976 ' ]
check 'most of them behind one that fills L2' \
    [ "$(some 'A3 S A1 S A1 S A1')" = '2048 65536 6144 126976 ' ]
# ... nor as cold, where most come in a row
check 'most of them in a row' [ "$(some 'S A1 S A5')" = '65536 6144 126976 0 ' ]

# what teg exec writes says all that a program did: it carries unless told, and
# but for ncu, which flushes
check 'by default where the order is known' \
    [ "$(cycles "$work/ordered.json")" = "$half $cold $warm $warm " ]
check 'or cold' [ "$(cycles "$work/ordered.json" --caches cold)" = "$cold $cold " ]
check 'as ncu sees it' \
    [ "$(cycles "$work/ordered.json" --as-measured ncu)" = "$cold $cold " ]
check 'as events see it' [ "$(cycles "$work/ordered.json" --as-measured events \
    --set start.events_us=3.5)" = "$half $cold $warm $warm " ]
check 'as kernels that stand for others' \
    [ "$(cycles "$work/ordered.json" --similar 0)" = "$cold $cold " ]
check 'not where it is not known' [ "$(cycles "$work/kernels.json")" = "$cold " ]
expect 0 "$teg" report "$work/ordered.json" $gpu -k 2 -o "$work/page.html"
check 'a page likewise' grep -q 'launches and copies before left them' "$work/page.html"

# what-ifs, each from the start of the list
expect 0 "$teg" whatif "$work/list" $gpu --caches carry -f json
out "\"baseline_cycles\": $((2 * cold + half + warm))"
expect 2 "$teg" whatif "$work/list" $gpu --caches carry -k 4
err 'need all kernels up to the last one'
expect 0 "$teg" whatif "$work/a.sketch" $gpu
out 'warm-caches'

# sweeps
expect 0 "$teg" sweep "$work/a.sketch" $gpu --caches warm --vary dram.latency=400,500 -f csv
out '"*warm"*'
expect 2 "$teg" sweep "$work/list" $gpu --caches carry
err "'carry'"
expect 2 "$teg" run "$work/list" $gpu --caches carry --similar 5
expect 2 "$teg" run "$work/list" $gpu --caches hot
err "'hot'"

# a sample of a long launch hands on what it has touched
printf 'sketch 1\nisa sm_70\ngrid 4096\nblock 256\nlet a = 0x7f0000000000\n%s' \
    'loop k 4
  LDG.E R2, [R4 : a + 1024*ctaid % 65536 + 4*tid + 65536*k]
  FADD R3, R2, R2
end
EXIT
' >"$work/long.sketch"
printf 'long.sketch\nlong.sketch\n' >"$work/longs"
check 'samples carry' [ "$(cycles "$work/longs" --caches carry --sample |
    awk '{ print ($2 < $1) }')" = 1 ]

# what tools measure besides: of four launches one is the process's first
start='--set start.events_first_us=12 --set start.events_us=3.5'
expect 0 "$teg" run "$work/kernels.json" $gpu $start --as-measured events -f json
check 'as measured, in the mean' [ "$(value as_measured_us | awk -v c=$cold '
    { d = $1 - c / 1380 - (12 + 4 * 3.5) / 5; print (d < 1e-6 && d > -1e-6) }')" = 1 ]
expect 0 "$teg" run "$work/list" $gpu $start --as-measured events
out 'as measured  .* 12 of it the start'
out 'as measured  .* 3.5 of it the start'
expect 0 "$teg" run "$work/a.sketch" -g v100 --as-measured ncu -f json
check 'cycles are the same' [ "$(value cycles)" = "$("$teg" run "$work/a.sketch" \
    -g v100 -f json | sed -n 's/.*"cycles": *\([0-9.]*\),*$/\1/p' | tr '\n' ' ')" ]
expect 2 "$teg" run "$work/a.sketch" -g v100 --as-measured nsys
err 'v100 does not say what nsys adds to a launch'

finish
