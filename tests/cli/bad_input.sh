# Input that is no trace: one line that says what is wrong, exit status 1,
# no result.
. tests/cli/lib.sh

refused() {
    for command in run info check whatif; do
        gpu='-g v100'
        [ $command != info ] || gpu=
        expect 1 "$teg" $command "$1" $gpu
        err "^teg: .*$(basename "$1").*: "
        check "one line only: $last" [ "$(wc -l <"$work/err")" = 1 ]
    done
    expect 1 "$teg" convert "$1" "$work/never.tegt"
    check "no file after a failed convert of $1" [ ! -e "$work/never.tegt" ]
}

refused "$work/missing.traceg"
: >"$work/empty.traceg"
refused "$work/empty.traceg"
mkdir "$work/directory"
refused "$work/directory"
head -c 4096 /dev/urandom >"$work/random.traceg"
refused "$work/random.traceg"
printf '\177ELF\002\001\001' >"$work/foreign.elf"
refused "$work/foreign.elf"
echo 'hello, this is prose' >"$work/prose.txt"
refused "$work/prose.txt"

small_trace "$work/saxpy.traceg"
expect 0 "$teg" convert "$work/saxpy.traceg" "$work/saxpy.tegt"
size=$(wc -c <"$work/saxpy.tegt")
for cut in 1 4 16 $((size / 2)) $((size - 1)); do
    head -c "$cut" "$work/saxpy.tegt" >"$work/cut-$cut.tegt"
    refused "$work/cut-$cut.tegt"
done
{ cat "$work/saxpy.tegt"; echo garbage; } >"$work/trailing.tegt"
refused "$work/trailing.tegt"

# A result that cannot be written is an error, not a short file.
expect 1 sh -c "'$teg' info '$work/saxpy.tegt' >/dev/full"
err 'standard output: cannot write: No space left on device'
expect 1 sh -c "'$teg' run '$work/saxpy.tegt' -g v100 -o /dev/full"
err '/dev/full: cannot write: No space left on device'
expect 1 "$teg" run "$work/saxpy.tegt" -g v100 -o "$work/nosuch/dir/file"
err 'nosuch/dir/file.*: cannot write: No such file or directory'
expect 1 "$teg" convert "$work/saxpy.traceg" "$work/nosuch/dir/file.tegt"
err 'nosuch/dir/file'
expect 1 sh -c "'$teg' explain >&-"
err 'standard output: cannot write: '
# The reader has gone before the first byte is written.
broken_pipe() {
    {
        until [ -e "$work/gone" ]; do sleep 0.1; done
        "$teg" explain
        echo $? >"$work/status"
    } | {
        exec <&-
        : >"$work/gone"
    }
    return "$(cat "$work/status")"
}
expect 141 broken_pipe
no_err

finish
