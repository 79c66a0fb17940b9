# Code of several sections (tests/fixtures/linked.cu, nvcc -rdc=true -dlink):
# functions called by name, by pointers that lanes do not share, as virtual ones
# on objects of malloc's, recursively, with a jump table.
. tests/cli/lib.sh

# The first results of a kernel on 0, 1, 2 ...
first() { # SM KERNEL EXPECTED...
    sm=$1 kernel=$2
    shift 2
    expect 0 "$teg" trace "tests/fixtures/linked.sm_$sm.cubin" -k "$kernel" \
        --grid 1 --block 32 -a buf:f32:32:iota --dump "0=$work/$kernel.raw" \
        -o "$work/$kernel.tegt"
    found=$(od -An -v -f -N $((4 * $#)) "$work/$kernel.raw" | tr -s ' \n' ' ')
    check "sm_$sm $kernel gives$found, expected $*" [ "$found" = " $* " ]
    expect 0 "$teg" run "$work/$kernel.tegt" -g v100
}

for sm in 80 90; do
    first $sm by_name 1 2 3 4 5 6 7 8 9 10 11 22 24
    first $sm by_pointer 1 -6 3 -4 5 -2 7 0 9 2 11 4 24
    first $sm virtually 0 1 2 9 4 25 6 49 8 81
    first $sm recursive 1 1 2 6 24 120 720 5040 1
    first $sm chosen 1 -6 8 -3 -2 0.2 5 8 1 729 -10
    # A stack that nobody knows is a GPU's, of 1 KB, if it is deep enough.
    expect 0 "$teg" trace tests/fixtures/deep.sm_$sm.cubin -k deep \
        --grid 1 --block 32 -a buf:i32:32:zeros -a i32:20 \
        --dump "0=$work/deep.raw"
    check 'sums of 20 and 51' [ "$(od -An -v -td4 "$work/deep.raw" |
        awk '{if (NR == 1) first = $1; last = $NF} END {print first, last}')" \
        = '210 1326' ]
    expect 1 "$teg" trace tests/fixtures/deep.sm_$sm.cubin -k deep \
        --grid 1 --block 32 -a buf:i32:32:zeros -a i32:100
    err 'pc .*: STL .* of local memory are out of bounds'
    # A pointer to nothing is not the kernel's first instruction.
    expect 1 "$teg" trace tests/fixtures/linked.sm_$sm.cubin -k nowhere \
        --grid 1 --block 32 -a buf:f32:32:iota -a u64:0
    err 'lane 0 pc 0x[0-9a-f]*: CALL.ABS.NOINC R2 ;: a call to address 0'
    # A buffer of two bytes lies in a word; what is behind that is not its own.
    expect 0 "$teg" trace tests/fixtures/linked.sm_$sm.cubin -k half_alone \
        --grid 8 --block 32 -j 3 -a buf:f16:1:zeros --dump "0=$work/half.raw"
    check 'a half counts to 256' \
        [ "$(od -An -v -tx2 "$work/half.raw" | tr -d ' ')" = 5c00 ]
    expect 1 "$teg" trace tests/fixtures/linked.sm_$sm.cubin -k half_alone \
        --grid 8 --block 32 -a buf:f16:1:zeros --strict-memory
    err 'lane 0 pc .* 4 bytes at 0x[0-9a-f]* of global memory are out of'
    expect 1 "$teg" trace tests/fixtures/linked.sm_$sm.cubin -k by_name \
        --grid 1 --block 32 -a buf:f32:31:iota
    err 'lane 31 pc .* 4 bytes at 0x[0-9a-f]* of global memory are out of'
done
finish
