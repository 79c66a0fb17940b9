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

# Before Volta: control codes are read, the instructions are words.  Made of plain.ptx
# by ptxas 11.8 and 12.9, the last ones that compile for these generations.
old=tests/fixtures/plain.sm_52.cubin
expect 0 "$teg" disasm "$old" --control
out '^    0008  B------ R- W- - S06 - ----  0x4c98078000870001 ;$'
out '^    0030  B-1---- R- W- - S06 - 1---  0x4e00010000270002 ;$'
out '^    0070  B------ R- W5 - S01 - ----  0xeed4200000070202 ;$'
check 'control words are not listed' [ "$(grep -c ' 0x' "$work/out")" = 18 ]
err 'of sm_52 control codes are read and instructions shown as words'
expect 0 "$teg" disasm "$old" --words
out '^    0000  0x001cfc00e22007f6  // control$'
expect 0 "$teg" info "$old"
out '^   18 instructions, 18 unknown$'
expect 0 "$teg" disasm tests/fixtures/plain.sm_35.cubin --control
out '^    0008  30 S16 - --  0x64c03c00089c0006 ;$'
out '^    0048  04 S00 D --  0xc4800000001c0808 ;$'
expect 0 "$teg" info tests/fixtures/plain.sm_35.cubin
out '^   14 instructions, 14 unknown$'
expect 1 "$teg" trace "$old" --grid 1 --block 32 -a buf:f32:32:iota \
    -a buf:f32:32:zeros
err 'code for sm_52 is not emulated; that for sm_70, 72, 75, 80, .* and 121 is'

# A generation that nobody knows: its number is byte 48 of the file.
cp "$old" "$work/later.cubin"
printf '\372' | dd of="$work/later.cubin" bs=1 seek=48 conv=notrunc 2>"$work/dd"
expect 1 "$teg" disasm "$work/later.cubin"
err 'sm_250 cannot be decoded; sm_70, 72, 75, 80, .* 120 and 121 can'
expect 0 "$teg" info "$work/later.cubin"
out 'cubin for sm_250'
expect 1 "$teg" trace "$work/later.cubin" --grid 1 --block 32 \
    -a buf:f32:32:iota -a buf:f32:32:zeros
err 'code for sm_250 is not emulated; that for sm_70, 72, 75, 80, .* and 121 is'

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

# Listings read as the cubins they were made of, but for registers of the head.
code() {
    "$teg" disasm "$@" | sed 's/ (sm_.*//'
}
for name in lines.sm_75.nvdisasm lines.sm_80.cuobjdump lines.sm_90.nvdisasm; do
    code "tests/fixtures/${name%.*}.cubin" >"$work/cubin"
    code "tests/fixtures/$name.sass" >"$work/listing"
    check "$name reads as its cubin" cmp -s "$work/cubin" "$work/listing"
done
listing=tests/fixtures/lines.sm_75.nvdisasm.sass
expect 0 "$teg" disasm tests/fixtures/lines.sm_80.cuobjdump.sass --control
out '^    0000  B------ R- W- [-Y] S[0-9][0-9]  [A-Z]'
expect 1 "$teg" disasm "$listing" --control
err 'a listing without encodings tells no control codes'
expect 1 "$teg" disasm "$listing" --arch sm_80
err 'no cubin for sm_80'
expect 0 "$teg" info "$listing" -g a100
out 'listing without encodings, .* bytes$'
out '^   [0-9]* registers$'
out 'n/a, a listing does not tell shared memory$'
expect 0 "$teg" info tests/fixtures/lines.sm_80.cuobjdump.sass -f json
out '"encodings": true'
out '"registers": null'
expect 1 "$teg" trace "$listing" --grid 1 --block 32
err 'expected a cubin, found a listing'
sed 's/EXIT/FROB/' "$listing" >"$work/frob.sass"
expect 0 "$teg" disasm "$work/frob.sass"
out '^    [0-9a-f]*  @P0 FROB ;$'
err "frob.sass:[0-9]*: '@P0 FROB ' is no instruction that is known"
err '[0-9]* of [0-9]* instructions are unknown'
grep -v '/\*0010\*/' "$listing" >"$work/gap.sass"
expect 1 "$teg" disasm "$work/gap.sass"
err 'gap.sass:[0-9]*: expected the instruction at 0x0010 of .*0x0020$'
no_out

# Source lines, with the calls that were inlined.
at=/tmp/teg-fixtures
expect 0 "$teg" disasm tests/fixtures/lines.sm_80.cubin --lines
out "^    // $at/lines.h:4, inlined at $at/lines.h:9, inlined at $at/lines.cu:12\$"
no_err
cp "$work/out" "$work/lines"
expect 0 "$teg" disasm tests/fixtures/lines_debug.sm_86.nvdisasm.sass --lines
out "^    // $at/lines.h:4\$"
expect 0 "$teg" disasm "$cubin" --lines
err 'there are no source lines for sm_86: compile with -lineinfo'

# C++ names for people, symbols for programs; either chooses a kernel.
expect 0 "$teg" info tests/fixtures/lines.sm_80.cubin
out '^1  shape::lengths<float>(float const\*, float const\*, float\*, int)$'
out '^   _ZN5shape7lengthsIfEEvPKT_S3_PS1_i$'
expect 0 "$teg" info tests/fixtures/lines.sm_80.cubin -f json
out '"name": "_Z4sumsPKiPii"'
out '"demangled": "sums(int const\*, int\*, int)"'
for name in _Z4sumsPKiPii sums 'sums(int const*, int*, int)'; do
    expect 0 "$teg" disasm tests/fixtures/lines.sm_80.cubin -k "$name"
    out '^sums(int const\*, int\*, int) (sm_80, 10 registers)$'
    check "one kernel is called $name" \
        [ "$(grep -c 'registers)$' "$work/out")" = 1 ]
done
expect 2 "$teg" disasm tests/fixtures/lines.sm_80.cubin -k lenghts
err "no kernel 'lenghts'; did you mean 'lengths'?"

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
