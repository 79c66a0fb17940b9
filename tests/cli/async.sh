# Compiled loops over asynchronous copies (tests/fixtures/async.cu): with one
# tile on its way they are no faster than plain loads, and every further tile
# makes them faster until memory's bandwidth is reached.
. tests/cli/lib.sh
kernels='plain stages1 stages2 stages3 stages4 stages8'

# The cycles of `teg run FILE OPTION...`
cycles_of() {
    expect 0 "$teg" run "$@" -g a100
    cycles=$(sed -n 's/^  cycles  *\([0-9,]*\) .*/\1/p' "$work/out" | tr -d ,)
}

trace() { # KERNEL BLOCKS THREADS
    expect 0 "$teg" trace tests/fixtures/async.sm_80.cubin -k "$1" --grid "$2" \
        --block "$3" -a buf:f32:1769472:iota -a buf:f32:65536:zeros -a i32:16 \
        --dump "1=$work/$1.out" -o "$work/$1.tegt"
}

# One warp per SM: latency.
for kernel in $kernels; do
    trace "$kernel" 108 32
    cmp -s "$work/plain.out" "$work/$kernel.out" ||
        fail "$kernel does not compute what plain loads do"
done
for mode in control scoreboard; do
    before=
    for kernel in $kernels; do
        cycles_of "$work/$kernel.tegt" --dependences $mode
        case $kernel in
        plain) plain=$cycles ;;
        stages1)
            check "one stage takes $cycles cycles, plain loads $plain" \
                [ "$cycles" -ge "$plain" ]
            check "one stage takes $cycles cycles, plain loads $plain" \
                [ "$cycles" -le $((plain * 21 / 20)) ]
            ;;
        *)
            check "$kernel takes $cycles cycles, fewer stages $before" \
                [ "$cycles" -lt "$before" ]
            ;;
        esac
        before=$cycles
    done
    check "eight stages take $cycles cycles, one more than $((plain / 3))" \
        [ "$cycles" -lt $((plain / 3)) ]
done

# SMs that run ahead, on one thread and on three.
cycles_of "$work/stages3.tegt" --jobs 1
cp "$work/out" "$work/one"
cycles_of "$work/stages3.tegt" --jobs 3
check 'three threads say what one says' cmp -s "$work/one" "$work/out"

# NVBit text: the number of groups is in it, or is worked out.
expect 0 "$teg" convert "$work/stages3.tegt" "$work/stages3.traceg"
cycles_of "$work/stages3.traceg"
said=$cycles
sed 's/\(DEPBAR.LE 0 0\) [0-9]*$/\1/' "$work/stages3.traceg" >"$work/unsaid.traceg"
cycles_of "$work/unsaid.traceg"
check "$cycles cycles without the numbers, $said with them" [ "$cycles" = "$said" ]
out 'note: .*DEPBAR is written without the number of groups that may stay open'

# Every scheduler busy: bandwidth, whatever the stages.
trace stages2 216 128
cycles_of "$work/stages2.tegt"
few=$cycles
trace stages8 216 128
cycles_of "$work/stages8.tegt"
check "eight stages take $cycles cycles, two $few, bound by DRAM" \
    [ $((cycles * 10)) -gt $((few * 8)) ]
finish
