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
out '^kernel,pc,line,file,class,instruction,issued,lanes,stalled,dispatch,'
out '^1,0x30,,,fmad,"FFMA R5, R4, R6, R5",4,128,'
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
    awk -F, 'NR > 1 {n += $7} END {print n}')
expect 0 "$teg" run tests/kernels/sm70/matmul.sketch -p BLOCKS=4 -p K=16 \
    -g v100 -f json
out "\"warp_instructions\": $issued,"

# Code with source lines: a file's name once, or with each line where several.
expect 0 "$teg" trace tests/fixtures/lines.sm_80.cubin --kernel sums \
    --grid 2 --block 64 -a buf:i32:256:iota -a buf:i32:64:zeros -a i32:256 \
    -o "$work/sums.tegt"
expect 0 "$teg" run "$work/sums.tegt" -g a100 --kernel 'sums(int const*,int*,int)' --by-pc
out '^sums on a100$'
out '^  instruction lines.cu:line  *issued'
out '^  0x0c0 LDG.E R2, .*:26 '
expect 0 "$teg" run "$work/sums.tegt" -g a100 --by-pc -f csv
out '^1,0xc0,26,/tmp/teg-fixtures/lines.cu,ldg,'
expect 0 "$teg" run "$work/sums.tegt" -g a100 --by-pc --what-if coalesced -f csv
out '^1,0xc0,26,/tmp/teg-fixtures/lines.cu,ldg,'
expect 0 "$teg" trace tests/fixtures/lines.sm_90.cubin --grid 2 --block 64 \
    --kernel 'shape::lengths<float>' -a buf:f32:128:iota \
    -a buf:f32:128:iota -a buf:f32:128:zeros -a i32:128 -o "$work/lengths.tegt"
expect 0 "$teg" convert "$work/lengths.tegt" "$work/again.tegt"
expect 0 "$teg" run "$work/again.tegt" -g h100 --by-pc
out '^  0x[0-9a-f]* FMUL.* lines.h:4 '
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
expect 0 "$teg" timeline "$work/again.tegt" -g h100 --critical
out '^0x[0-9a-f]* .* lines.cu:12 '
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
expect 0 "$teg" report "$work/again.tegt" -g h100 --critical -o "$work/r.html"
# Lines of Python, as Triton has them, and of PTX that has no others.
expect 0 "$teg" trace tests/fixtures/softmax_triton.sm_80.cubin --grid 8 --block 128 \
    --shared 64 -a buf:f32:8192:random -a buf:f32:8192:zeros -a i32:1000 -a u64:0 \
    -a u64:0 -o "$work/softmax.tegt"
expect 0 "$teg" run "$work/softmax.tegt" -g a100 --why --by-pc
out 'memory latency: .*LDG.E R[0-9]*, .* at *$\|at softmax_triton.py:17'
out '^  0x[0-9a-f]* FMNMX standard.py:196 '
expect 0 "$teg" whatif "$work/softmax.tegt" -g a100 --at softmax_triton.py:17
out '^coalesced@softmax_triton.py:17 '
expect 0 "$teg" trace tests/fixtures/plain.sm_80.cubin --grid 8 --block 128 \
    -a buf:f32:1024:iota -a buf:f32:1024:zeros -o "$work/plain.tegt"
expect 0 "$teg" run "$work/plain.tegt" -g a100 --by-pc
out "ptx:line "
line=$(sed -n '/ld.global/=' tests/fixtures/plain.ptx)
out "^  0x[0-9a-f]* LDG.E R2, .*:$line "

# What does not fit beside the numbers goes on below, whole.
expect 0 "$teg" run "$work/sums.tegt" -g a100 --by-pc
check 'no instruction is cut' sh -c "tr -s ' \n' '  ' <'$work/out' |
    grep -q '0x000 IMAD.MOV.U32 R1, :[0-9]* [^:]* RZ, RZ, c\[0x0\]\[0x28\]'"
check 'the page names files' grep -q \
    '<span title="/tmp/teg-fixtures/lines.h">lines.h:9</span>' "$work/r.html"

finish
