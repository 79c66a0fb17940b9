# teg timeline: letters for warps, digits for units, rows for instructions.
. tests/cli/lib.sh

# A chain of float adds on GT200: 24 cycles each (Lai 2013, Table 3.1), and
# the warp has nothing else to do.
chain=tests/kernels/gt200/fadd_chain.sketch
expect 0 "$teg" timeline $chain -g gtx280 --cycles 100:148
out '^fadd_chain on gtx280, SM 0, cycles 100 to 148: a column is 1$'
out '^  0  *|[sw#]*$'
out '^ w wait '
out '^ 0 0[0-9a-f]* FADD32 .*|.*#=======================E'
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
check 'two issues in 48 cycles' \
    [ "$(sed -n 's/^  0  *|//p' "$work/out" | tr -cd '#' | wc -c)" = 2 ]
no_err
expect 0 "$teg" timeline $chain -g gtx280
check 'without --cycles there are no instructions' \
    [ "$(grep -c FADD32 "$work/out")" = 0 ]
expect 0 "$teg" timeline $chain -g gtx280 --sm 1
check 'an SM without work shows none' \
    [ "$(grep -c '^  0  *|$' "$work/out")" = 1 ]

expect 0 "$teg" timeline tests/kernels/sm70/matmul.sketch -p BLOCKS=20 -g v100 \
    -f csv
out '^cycle,sm_issued,sm_dispatch,.*,chip_issued,'
check 'at most 512 bins' [ "$(wc -l <"$work/out")" -le 513 ]
expect 0 "$teg" timeline $chain -g gtx280 --cycles 100:148 -f json
out '"bin_cycles": 1,'
out '"text": "FADD32 '

# The closing clock read of the chain issues 516 cycles after the first (Lai
# 2013, 3.2.2.1), nearly all of it adds that wait for each other.
expect 0 "$teg" timeline $chain -g gtx280 --critical
out '^warp 0 of block 0 on SM 0 is done last, in cycle '
out '^0x0[0-9a-f]* FADD32 R4, R4, R2 :15  *1  *24  *[0-9.]* % wait$'
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
expect 0 "$teg" timeline tests/kernels/sm70/matmul.sketch -p BLOCKS=4 -g v100 \
    --critical -f json
out '"reason": "barrier"'
# Sub-cores: the four schedulers of an SM of v100 share the work of the SM.
mm='tests/kernels/sm70/matmul.sketch -p BLOCKS=4 -g v100'
expect 0 "$teg" timeline $mm
out '^   sub-core 3  *|'
out "^tenths of the SM's warps"
expect 0 "$teg" timeline $mm --sub-core 2
out "^tenths of the sub-core's warps"
expect 0 "$teg" timeline $mm -f csv
check 'the issues of the sub-cores are those of the SM' awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { sum = $at["sub0_issued"] + $at["sub1_issued"] + $at["sub2_issued"] + \
            $at["sub3_issued"]
      off = sum - $at["sm_issued"]
      if (off > 0.001 || off < -0.001) bad = 1
      any += sum }
    END { exit bad || !(any > 0) }' "$work/out"
expect 2 "$teg" timeline $mm --sub-core 4
err '^teg: --sub-core: expected a sub-core from 0 to 3, found .4'
expect 0 "$teg" timeline $mm --critical -f csv
out '^pc,text,line,file,times,cycles,reason'
expect 2 "$teg" timeline $chain -g gtx280 --cycles 20:10
err '^teg: --cycles: expected A:B, two cycles with A before B, found .20:10'
expect 2 "$teg" timeline $chain -g gtx280 --sm 30
err '^teg: --sm: expected an SM from 0 to 29, found .30'
expect 2 "$teg" timeline $chain -g gtx280 --warp x
err '^teg: --warp: expected warp slots'
expect 1 "$teg" timeline $chain -g gtx280 --cycles 1000000:1000100
err 'the kernel ends in '

finish
