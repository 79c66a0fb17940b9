# teg bound: the published SGEMM bounds, and a trace's.
. tests/cli/lib.sh

# Lai 2013, 4.3.5 and 4.4.2
expect 0 "$teg" bound sgemm -g gtx580
out '^  bound  *1304 Gflop/s = 82.5 % of 1581, limited by the SMs'
out '^  blocking  *B_R 6, T_B 256, L 16, LDS.64'
out '^  registers  *63 of 63 a thread: 36 C, 12 prefetch, 8 A and B, 7 indices'
no_err
expect 0 "$teg" bound sgemm -g gtx580 --set mix_lds64=30.4
out '= 81.4 % of 1581'
expect 0 "$teg" bound sgemm -g gtx680
out '= 57.6 % of 3090'
out '^  LDS.64 .* 54.6 %$'
expect 0 "$teg" bound sgemm -g gtx680 -f json
out '"load": "LDS.128"'
out '"R_T": 59.0'
expect 0 "$teg" bound sgemm -g v100
out 'no throughput of a mix is measured'
expect 0 "$teg" bound sgemm -g v100 --set sm.registers_per_thread_max=64
out ' of 64 a thread'

expect 2 "$teg" bound sgemm
expect 2 "$teg" bound sgemm -g gtx680 --set mix_lds65=3
err "did you mean 'mix_lds64'"
expect 2 "$teg" bound sgemm -g gtx680 --set sp_tp=0
err 'sp_tp: expected a number above 0'
no_out
expect 1 "$teg" bound "$work/missing.tegt" -g gtx280
no_out

# 4,280 instructions, of which 3,712 take the one SP 4 cycles each
expect 0 "$teg" bound tests/kernels/gt200/matmul_abt.sketch -g gtx280
out '% of what this instruction mix allows'
out '^  unit sp  *15008 '
# 21 additions and 4 others of 4 cycles each, all in one warp
expect 0 "$teg" bound tests/kernels/gt200/fadd_chain.sketch -g gtx280 -f json
out '"limiter": "unit sp"'
out '"cycles": 100.0'
out '"arithmetic_cycles": 84.0'

# Lai 2013, 2.4: 35.2 Gflop/s on Cell, 75.99 (75.6 of the rounded ratio) and,
# over PCI Express, 44 on GTX 280
expect 0 "$teg" bound lattice-qcd -g cell
out '^  P2 P3 P4 P5  *960 *1.375 *35.2 *34.4 %  main memory$'
out '^  P5  *n/a *n/a *n/a *n/a  parameter unknown$'
expect 0 "$teg" bound lattice-qcd -g cell --set beta=0.1
out '^  at most 35.2 Gflop/s, by main memory, with P2 P3 P4 P5'
expect 0 "$teg" bound lattice-qcd -g gtx280
out '^  at most 75.99 Gflop/s, by main memory, with P1;'
out '^  P1  *2432 *0.5428 *75.99 *97.7 %  main memory$'
out '^  P2 P3 P4 P5 .*; not here$'
expect 0 "$teg" bound lattice-qcd -g gtx280 --set io_gbs=8
out '^  P1  *192 *6.875 *44 *56.6 %  I/O$'
expect 0 "$teg" bound lattice-qcd -g v100 --set beta=0.1 -f json
out '"patterns": "P1 P2 P3"'
expect 2 "$teg" bound lattice-qcd
expect 2 "$teg" bound lattice-qcd -g cell --set gamma=1
err "did you mean 'alpha'\|did you mean"

# every term of a model is explained
expect 0 "$teg" explain MWP_App_InfiN
out 'term of throughput'
out '= max(EffMem / EffComp, 1)'
out 'unit: warps'
expect 0 "$teg" explain mix_lds64
out 'input of bound sgemm'
# An algorithm in a file: the Lattice QCD instance gives what is built in.
flow=docs/examples/lattice-qcd.flow
for machine in 'cell:' 'v100:-g v100' 'h100:-g h100'; do
    option=${machine#*:}
    for beta in '' '--set beta=0.1'; do
        expect 0 "$teg" bound lattice-qcd -g ${machine%%:*} $beta -f csv
        # What follows, what cores exchange, only the built-in one knows.
        tr -d '\r' <"$work/out" | cut -d, -f1-4,7-10 |
            sed 's/main memory/dram/g' >"$work/built-in"
        expect 0 "$teg" bound $flow $option $beta -f csv
        tr -d '\r' <"$work/out" | cut -d, -f1-4,7-10 >"$work/file"
        check "$flow on ${machine%%:*} $beta" cmp -s "$work/built-in" "$work/file"
    done
done
expect 0 "$teg" bound $flow --set io_gbs=8
out '^  dram 25.6 GB/s, io 6.4 GB/s$'
# 1320 / (1536 x 0.125) operations a byte, 80 % of 8 GB/s (Lai 2013, 2.4.2)
out '  *192 *6.875 *44 .*  io; not here$'
for f in docs/examples/*.flow; do
    expect 0 "$teg" bound "$f" -g v100
    out '^  at most [0-9.e+]* Gflop/s, by '
    check "$f: at most 80 columns wide" [ "$(wc -L <"$work/out")" -le 80 ]
done
# 8 operations of 64 bytes at 900 GB/s, of 4.25 bytes with all patterns.
expect 0 "$teg" bound docs/examples/stencil.flow -g v100
out '^  none  *64 *0.125 *112.5 *1.6 %  dram$'
out '^  tile march time  *4.25 *1.882 *1694 '
expect 0 "$teg" bound docs/examples/stencil.flow -g v100 --set tile=16,steps=1
out '^  tile march  *18 *0.4444 *400 '
expect 2 "$teg" bound docs/examples/stencil.flow -g v100 --set stepz=1
err "unknown parameter 'stepz'; did you mean 'steps'"
expect 2 "$teg" bound docs/examples/stencil.flow
err 'stencil.flow: expected --gpu, found nothing'
sed 's/uses = 5/uses = "5*edge"/' docs/examples/stencil.flow >"$work/bad.flow"
expect 1 "$teg" bound "$work/bad.flow" -g v100
err 'bad.flow:16: uses: expected an expression, found a name that is no parameter in "5\*edge": edge'
expect 1 "$teg" bound "$work/none.flow" -g v100
err 'none.flow'

finish
