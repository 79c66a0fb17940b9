# teg disasm and teg info of a cubin.
. tests/cli/lib.sh

cubin=tests/fixtures/vector.sm_86.cubin
expect 0 "$teg" disasm "$cubin"
out '^axpy (sm_86, [0-9]* registers)$'
out '^    0000  IMAD.MOV.U32 R1, RZ, RZ, c\[0x0\]\[0x28\] ;$'
out 'EXIT ;$'
no_err
expect 0 "$teg" disasm "$cubin" --kernel axpy --control
out '^    0000  B------ R- W- [-Y] S[0-9][0-9]  [A-Z]'
check '--kernel shows one kernel' [ "$(grep -c 'registers)$' "$work/out")" = 1 ]
expect 0 "$teg" disasm "$cubin" --words
out '^    0000  [0-9a-f]\{32\}  IMAD'
expect 2 "$teg" disasm "$cubin" --kernel apxy
err "no kernel 'apxy'; did you mean 'axpy'?"

expect 0 "$teg" info "$cubin" -g a100 --threads 128
out 'cubin for sm_86 (CUDA 13), .* bytes, 2 kernels$'
out '^   29 registers, 0 bytes shared, 32 bytes local'
out 'parameters (49 bytes at c\[0x0\]\[0x160\]): 0: 32 bytes at 0x0, 1: 8'
out 'blocks of 128 threads on a100: [0-9]* blocks, [0-9]* warps per SM'
no_err
expect 0 "$teg" info "$cubin" -f json
out '"parameter_bytes": 49'
out '"occupancy": null'

# A fatbin: two cubins and a PTX text, compressed.
fatbin=tests/fixtures/block.fatbin
expect 0 "$teg" info "$fatbin"
out 'device code in 3 pieces$'
out '^cubin for sm_90, .* bytes, zstd$'
out '^PTX for sm_75'
expect 0 "$teg" info "$fatbin" -f json
out '"format": "ptx"'
expect 0 "$teg" disasm "$fatbin" --arch sm_75
cp "$work/out" "$work/listing"
expect 0 "$teg" disasm tests/fixtures/block.sm_75.cubin
check 'code in a fatbin reads as by itself' cmp -s "$work/out" "$work/listing"
expect 1 "$teg" disasm "$fatbin" --arch sm_80
err 'no cubin for sm_80'
expect 2 "$teg" disasm "$fatbin" --arch volta

# Damaged files: one line, status 1.
head -c 3000 "$cubin" >"$work/cut.cubin"
expect 1 "$teg" disasm "$work/cut.cubin"
no_out
check 'one line' [ "$(wc -l <"$work/err")" = 1 ]
expect 1 "$teg" info "$work/cut.cubin"
check 'one line' [ "$(wc -l <"$work/err")" = 1 ]
expect 1 "$teg" disasm "$work/missing.cubin"
err 'missing.cubin'
expect 1 "$teg" disasm README.md
err 'README.md'
expect 2 "$teg" disasm
finish
