# teg run --by-pc: text, JSON and CSV of the same table.
. tests/cli/lib.sh

small_trace "$work/saxpy.traceg"
expect 0 "$teg" run "$work/saxpy.traceg" -g v100 --set tlb.walk_latency=0 --by-pc
out '^  instruction  *issued  *stalled  *of time  *most of it *for$'
# The multiply-add waits for the second load, 4 warps each.
out '^  0x030 FFMA R5, R4, R6, R5  *4  *[0-9]*  *[0-9.]* %  *long_scoreboard  *0x020$'
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
no_err
expect 0 "$teg" run "$work/saxpy.traceg" -g v100 --by-pc -f csv
out '^kernel,pc,line,class,instruction,issued,lanes,stalled,dispatch,'
out '^1,0x30,,fmad,"FFMA R5, R4, R6, R5",4,128,'
check 'a header and a row for each of 6 instructions' \
    [ "$(wc -l <"$work/out")" = 7 ]
expect 0 "$teg" run "$work/saxpy.traceg" -g v100 --by-pc -f json
out '"instructions": \['
out '"transactions_per_request": '
expect 0 "$teg" run tests/kernels/sm70/matmul.sketch -p BLOCKS=4 -p K=16 \
    -g v100 --by-pc
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
expect 0 "$teg" run tests/kernels/sm70/uncoalesced.sketch -p BLOCKS=8 \
    -g v100 --by-pc
out '[0-9.]* transactions a request$'

# Lost in no format: issued sums up to the kernel's warp instructions.
expect 0 "$teg" run tests/kernels/sm70/matmul.sketch -p BLOCKS=4 -p K=16 \
    -g v100 --by-pc -f csv
issued=$(tr -d '\r' <"$work/out" | sed 's/"[^"]*"/text/' |
    awk -F, 'NR > 1 {n += $6} END {print n}')
expect 0 "$teg" run tests/kernels/sm70/matmul.sketch -p BLOCKS=4 -p K=16 \
    -g v100 -f json
out "\"warp_instructions\": $issued,"

finish
