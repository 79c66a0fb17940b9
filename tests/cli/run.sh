# teg run, whatif, info and convert on a small trace.
. tests/cli/lib.sh

small_trace "$work/saxpy.traceg"
expect 0 "$teg" run "$work/saxpy.traceg" -g v100
out '^saxpy on v100$'
out 'grid 2x1x1, block 64x1x1, 16 registers, 0 bytes shared, sm_70'
out '2 blocks, 4 warps, 24 warp instructions'
out '^  cycles  *[0-9]'
out '^  bound by  *[a-z]'
out '^  long_scoreboard '
check 'the report is at most 80 columns wide' \
    [ "$(wc -L <"$work/out")" -le 80 ]
check 'the report fits a screen' [ "$(wc -l <"$work/out")" -le 50 ]
no_err

# Without -g the description that stands for the trace's architecture.
expect 0 "$teg" run "$work/saxpy.traceg"
err 'sm_70: simulating v100'
expect 2 "$teg" run "$work/saxpy.traceg" --isa sm_52
err 'no GPU stands for sm_52'
err 'known: '
# The nearest older one of its generation stands for what has none.
expect 0 "$teg" run "$work/saxpy.traceg" --isa sm_72
err 'sm_72: simulating v100'

# The directory that is searched first wins; two claims in one are a fault.
mkdir "$work/mine"
sed 's/^name *=.*/name = "mine";/' config/v100.cfg >"$work/mine/mine.cfg"
cp -r config/family "$work/mine/"
expect 0 "$teg" run "$work/saxpy.traceg" --config-dir "$work/mine"
err 'sm_70: simulating mine'
cp "$work/mine/mine.cfg" "$work/mine/twin.cfg"
expect 1 "$teg" run "$work/saxpy.traceg" --config-dir "$work/mine"
err 'twin.cfg: default_for: sm_70 has .*mine/mine.cfg already'
expect 0 "$teg" run "$work/saxpy.traceg" --config-dir "$work/mine" -g v100

# The same kernel from its container, word for word.
expect 0 "$teg" convert "$work/saxpy.traceg" "$work/saxpy.tegt"
no_out
expect 0 "$teg" run "$work/saxpy.traceg" -g v100 -f json
cp "$work/out" "$work/text.json"
expect 0 "$teg" run "$work/saxpy.tegt" -g v100 -f json
check 'the container gives the same result' cmp -s "$work/out" "$work/text.json"
expect 0 "$teg" convert "$work/saxpy.tegt" "$work/again.traceg"
expect 0 "$teg" run "$work/again.traceg" -g v100 -f json
check 'so does the text written from it' cmp -s "$work/out" "$work/text.json"

# Host threads, and what is told instruction by instruction (--pc-trace), for
# which SMs cannot run ahead of each other, change no number.
for gpu in v100 gtx1080ti a100; do
    for kernel in stream:1600 matmul:60 uncoalesced:60 reduction:900; do
        blocks=${kernel#*:} kernel=${kernel%:*}
        sketch="tests/kernels/sm70/$kernel.sketch -p BLOCKS=$blocks"
        expect 0 "$teg" run $sketch -g $gpu -f json -j 1
        cp "$work/out" "$work/one.json"
        expect 0 "$teg" run $sketch -g $gpu -f json -j 3
        check "$kernel on $gpu is the same on three threads" \
            cmp -s "$work/out" "$work/one.json"
        expect 0 "$teg" run $sketch -g $gpu -f json --pc-trace "$work/pc.csv"
        check "$kernel on $gpu is the same in order" \
            cmp -s "$work/out" "$work/one.json"
        expect 0 "$teg" run $sketch -g $gpu -f json --by-pc -j 3
        cp "$work/out" "$work/by_pc.json"
        expect 0 "$teg" run $sketch -g $gpu -f json --by-pc \
            --pc-trace "$work/pc.csv"
        check "and so are its instructions" \
            cmp -s "$work/out" "$work/by_pc.json"
    done
done

# -o replaces, and only with a complete result.
echo old >"$work/result.json"
expect 0 "$teg" run "$work/saxpy.tegt" -g v100 -f json -o "$work/result.json"
no_out
check '-o writes what stdout would show' cmp -s "$work/result.json" "$work/text.json"
expect 1 "$teg" run "$work/missing.tegt" -g v100 -o "$work/result.json"
check 'a failed run leaves the old file' cmp -s "$work/result.json" "$work/text.json"
check 'and no temporary one' [ -z "$(ls "$work" | grep 'result.json\.')" ]

expect 0 "$teg" run "$work/saxpy.tegt" -g v100 -f csv
check 'CSV is a header and a row' [ "$(wc -l <"$work/out")" = 2 ]
out '^saxpy,\|,saxpy,'
out '^.*cycles,time_us,ipc'

expect 0 "$teg" run "$work/saxpy.tegt" -g v100 --timing
err '^timing: [0-9.]* s, 24 warp instructions'
expect 0 "$teg" run "$work/saxpy.tegt" -g v100 --sms 1
out '^  SMs  *1  of 80'
expect 0 "$teg" run "$work/saxpy.tegt" -g v100 --what-if coalesced,no-memory-latency
out '^  what if  *coalesced,no-memory-latency$'
expect 0 "$teg" run "$work/saxpy.tegt" -g v100 --kernel 'sax.*'
expect 0 "$teg" run "$work/saxpy.tegt" -g v100 --kernel saxpy
expect 0 "$teg" run "$work/saxpy.tegt" -g v100 --set dram.latency=2000
out '^  cycles  *[2-9],[0-9]* '

# An unknown opcode is estimated, said, and an error only if asked for.
sed 's/ FFMA / FROBNICATE /' "$work/saxpy.traceg" >"$work/unknown.traceg"
expect 0 "$teg" run "$work/unknown.traceg" -g v100
out '1 unknown opcode (FROBNICATE), 17 % of warp instructions, timed as '
expect 1 "$teg" run "$work/unknown.traceg" -g v100 --strict
err 'saxpy: 1 unknown opcode (FROBNICATE)'
no_out

# A list: one object per kernel and a total.
mkdir "$work/list"
cp "$work/saxpy.traceg" "$work/list/kernel-1.traceg"
sed 's/= saxpy/= other/' "$work/saxpy.traceg" >"$work/list/kernel-2.traceg"
printf 'MemcpyHtoD,0x10000000,1024\nkernel-1.traceg\nkernel-2.traceg\n' \
    >"$work/list/kernelslist.g"
expect 0 "$teg" run "$work/list/kernelslist.g" -g v100
out '^saxpy on v100'
out '^other on v100'
out '^total of 2 kernels: '
expect 0 "$teg" run "$work/list/kernelslist.g" -g v100 -f json
out '"kernels": \['
out '"total": {'
expect 0 "$teg" run "$work/list/kernelslist.g" -g v100 -f json --kernel 2
out '"name": "other"'
check 'one chosen kernel is one object' \
    [ "$(grep -c '"kernels"' "$work/out")" = 0 ]
expect 0 "$teg" run "$work/list/kernelslist.g" -g v100 -f csv
check 'CSV of a list is a row for each' [ "$(wc -l <"$work/out")" = 3 ]
expect 2 "$teg" convert "$work/list/kernelslist.g" "$work/two.traceg"
err 'holds 2 kernels and a .traceg only one'
expect 0 "$teg" convert "$work/list/kernelslist.g" "$work/two.tegt"
expect 0 "$teg" info "$work/two.tegt"
out '2 kernels'
out '^2  other'

# A list in JSON says how often each kernel was launched.
cat >"$work/list/kernels.json" <<'END'
{"teg": {"schema": 1}, "kernels": [
 {"trace": "kernel-1.traceg", "name": "saxpy", "launch": 0, "launches": 1000},
 {"trace": "kernel-2.traceg"}]}
END
expect 0 "$teg" run "$work/list/kernelslist.g" -g v100 -f json
one=$(sed -n 's/^      "cycles": \([0-9]*\),$/\1/p' "$work/out" | head -1)
check 'a kernel has cycles' [ "${one:-0}" -gt 0 ]
expect 0 "$teg" run "$work/list/kernels.json" -g v100 -f json
out '"launches": 1001,'
out "^    \"cycles\": $((1001 * one)),"
expect 0 "$teg" run "$work/list/kernels.json" -g v100
out 'launched 1,000 times; what follows is of one'
out '^total of 2 kernels, launched 1,001 times: '
base=$("$teg" whatif "$work/list/kernelslist.g" -g v100 -f json |
    sed -n 's/^ *"baseline_cycles": \([0-9]*\),$/\1/p')
expect 0 "$teg" whatif "$work/list/kernels.json" -g v100 -f json
out "\"baseline_cycles\": $((base / 2 * 1001)),"
expect 0 "$teg" model "$work/list/kernels.json" -g v100 -f json
out '"launches": 1000,'
expect 0 "$teg" info "$work/list/kernels.json"
out 'kernels.json, .* 2 kernels'
rm "$work/list/kernel-2.traceg"
expect 1 "$teg" run "$work/list/kernels.json" -g v100
err "kernels.json: kernels\[1\]: expected the file 'kernel-2.traceg'"
no_out
sed 's/= saxpy/= other/' "$work/saxpy.traceg" >"$work/list/kernel-2.traceg"

# Of many waves a part is simulated if asked for, and what it says is within the
# bound it states.
long="tests/kernels/sm70/compute.sketch -g v100 -p BLOCKS=13000 -p ITER=1"
expect 0 "$teg" run $long --sample -f json
sampled=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$work/out")
bound=$(sed -n 's/^ *"error_bound_percent": \([0-9.]*\),$/\1/p' "$work/out")
out '"represented_blocks": 13000,'
expect 0 "$teg" run $long --exact -f json
out '"sampled": null,'
full=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$work/out")
check 'sampled cycles are within their bound' \
    awk -v s="$sampled" -v f="$full" -v b="$bound" 'BEGIN {
        e = 100 * (s / f - 1); exit !(s > 0 && b > 0 && e <= b && -e <= b)}'
expect 0 "$teg" run $long --sample
out 'SAMPLED.*of 13,000 blocks'
expect 2 "$teg" run $long --sample --exact
err 'excludes --exact'
expect 2 "$teg" run $long --similar 5 --by-pc
err 'excludes --exact, --by-pc'

# Series over time. The clock pair of the GT200 chain is 516 cycles apart
# (Lai 2013, 3.2.2.1).
expect 0 "$teg" run tests/kernels/gt200/fadd_chain.sketch -g gtx280 \
    --pc-trace "$work/pc.csv" --timeline "$work/load.csv"
check 'the closing clock read issues in cycle 516' \
    grep -q '^516,0,0,0,0xb8,"S2R R4, SR1"' "$work/pc.csv"
check 'the load has a column per unit and number' \
    grep -q '^cycle,sp_active_percent,sp_load,' "$work/load.csv"
expect 2 "$teg" run tests/kernels/gt200/fadd_chain.sketch -g gtx280 \
    --pc-warps 0:x
err 'expected WARP or BLOCK:WARP'
expect 2 "$teg" run "$work/list/kernelslist.g" -g v100 --timeline "$work/l.csv"
err 'expected one kernel'

expect 0 "$teg" whatif "$work/saxpy.tegt" -g v100
out '^(as it is) '
out '^all  *[0-9,]*  *[0-9.]*x'
out '^no-memory-latency  *[0-9,]*  *[0-9.]*x'
out '^no-bank-conflicts  *[0-9,]*  *no change'
out '^double:'
expect 0 "$teg" info "$work/saxpy.tegt"
out '24 warp instructions, 32.0 lanes active'
out 'ldg  *33.3 %'
out 'bytes per warp instruction'
expect 0 "$teg" check "$work/saxpy.tegt"
expect 0 "$teg" gpus
out '^v100 '
out '^gtx280 '
expect 0 "$teg" gpus gtx280
out 'sm.warps_max  *32 '
expect 0 "$teg" gpus --keys
out '^sm.warps_max: resident warps'
out '^    1..64 warps; required'
out '^    lrr, strict.*; default lrr'

# Code of another generation is replayed, and what was assumed is said.
other=tests/kernels/sm70/ffma_chain.sketch
expect 0 "$teg" run $other -g a100
out 'note: code for sm_70 on a chip of sm_80: instructions take the time'
expect 0 "$teg" run $other -g a100 -f json
out '"kind": "generation"'
expect 0 "$teg" run $other -g t4 # the same major generation, newer: its own
check 'no word of it where the chip runs the code' \
    [ "$(grep -c 'chip of sm' "$work/out")" = 0 ]

# What the user says of a kernel outweighs what a container does.
small_trace "$work/said.traceg"
expect 0 "$teg" convert "$work/said.traceg" "$work/said.tegt"
for file in said.traceg said.tegt; do
    expect 0 "$teg" run "$work/$file" --isa sm_103 --registers 200
    err 'sm_103: simulating b200'
    out ' 200 registers, .*, sm_103$'
done
finish
