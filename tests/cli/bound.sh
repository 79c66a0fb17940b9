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
out '^  unit sp  *14848 '
# 21 additions and 4 others of 4 cycles each, all in one warp
expect 0 "$teg" bound tests/kernels/gt200/fadd_chain.sketch -g gtx280 -f json
out '"limiter": "unit sp"'
out '"cycles": 100.0'
out '"arithmetic_cycles": 84.0'

# Lai 2013, 2.4: 35.2 Gflop/s on Cell, 75.99 (75.6 of the rounded ratio) and,
# over PCI Express, 44 on GTX 280
expect 0 "$teg" bound lattice-qcd -g cell
out '^  P2 P3 P4 P5  *960 *1.3750 *35.2  main memory$'
out '^  P5  *n/a *n/a *n/a  needs beta'
expect 0 "$teg" bound lattice-qcd -g gtx280
out '^  P1  *2432 *0.5428 *75.99  main memory$'
out '^  P2 P3 P4 P5 .*not on this machine$'
expect 0 "$teg" bound lattice-qcd -g gtx280 --set io_gbs=8
out '^  P1  *2432 *0.5428 *44  I/O$'
expect 0 "$teg" bound lattice-qcd -g v100 --set beta=0.1 -f json
out '"patterns": "P1 P2"'
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
finish
