# Files made to do harm: names that move a terminal, that are no UTF-8 or that
# a spreadsheet would run; outputs that are inputs, links and closed pipes.
. tests/cli/lib.sh

esc=$(printf '\033') bell=$(printf '\007')

# plain: nothing of what the last command printed is a control character but
# for ends of lines, or no UTF-8
plain() {
    check "plain text from: $last" sh -c '
        ! LC_ALL=C grep -q "[$(printf "\001-\010\013\014\016-\037\177")]" \
            "$0/out" "$0/err" &&
        iconv -f UTF-8 -t UTF-8 "$0/out" >"$0/iconv" &&
        iconv -f UTF-8 -t UTF-8 "$0/err" >"$0/iconv"' "$work"
}

# A kernel, an opcode, a header and a file whose names set the terminal's title
# and are no UTF-8.
small_trace "$work/small.traceg"
evil="$work/k$(printf '\033]0;file\007\377').traceg"
sed "s/^-kernel name = .*/-kernel name = @$esc]0;title${bell}k$(printf '\377')/
    s/^-nregs = .*/-nregs = $esc[2J/
    s/ MOV / M$esc[2JV$(printf '\377') /" "$work/small.traceg" >"$evil"
check 'the trace is what it should be' grep -q "$esc" "$evil"

for format in text json csv markdown; do
    for command in run 'run --by-pc' whatif timeline bound model; do
        # shellcheck disable=SC2086 # words
        expect 0 "$teg" $command "$evil" -g v100 -f $format
        plain
        [ $format != json ] ||
            check "JSON from: $last" python3 -m json.tool "$work/out" /dev/null
    done
    expect 0 "$teg" info "$evil" -f $format
    plain
    expect 0 "$teg" check "$evil" -f $format
    plain
    [ $format = text ] || expect 0 "$teg" features "$evil" -f $format
    plain
done
expect 0 "$teg" run "$evil" -g v100 -f json
out '"name": "@\\\\x1b\]0;title\\\\x07k\\\\xff"'
expect 0 "$teg" run "$evil" -g v100 -f csv
out ",'@" # a formula of a spreadsheet may begin so
expect 0 "$teg" sweep "$evil" -g v100 --set l2.latency=200 -j 1 -f json
plain
expect 0 "$teg" report "$evil" -g v100 -o "$work/page.html"
plain
check 'a page without control characters' \
    sh -c '! grep -q "$1" "$0/page.html"' "$work" "$esc"
# A file whose name is no UTF-8 does not stand in the page as it is.
latin=$work/$(printf 'm\374ll.trace')
cp "$evil" "$latin"
expect 0 "$teg" report "$latin" -g v100 -o "$work/page.html"
check 'a page with the file of that name as an escape' \
    grep -qF 'm\xfcll.trace, ' "$work/page.html"
expect 0 "$teg" convert "$evil" "$work/evil.tegt"
expect 0 "$teg" info "$work/evil.tegt"
plain
expect 1 "$teg" run "$work/no$esc[2J"
plain
err 'no\\x1b\[2J: cannot open'
expect 2 "$teg" run --no$esc[2J
plain
printf 'name = "\\x1b]0;title\\x07";\n' >"$work/title.cfg"
expect 1 "$teg" gpus "$work/title.cfg"
err 'title.cfg:1: name: expected text, found a control character'
printf 'na\033me = 1;\n' >"$work/title.cfg"
expect 1 "$teg" gpus "$work/title.cfg"
plain
printf '{"teg": 1, "kernels": [{"\033": "\377"}]}' >"$work/evil.json"
expect 1 "$teg" info "$work/evil.json"
plain

# A block that is there twice, as `check` has it.
awk '/^#BEGIN_TB/ { keep = ++blocks == 1 } { print } keep { once = once $0 "\n" }
    END { printf "%s", once }' "$work/small.traceg" >"$work/twice.traceg"
expect 1 "$teg" check "$work/twice.traceg"
out 'block (0,0,0).*expected each block once, found it again'
expect 0 "$teg" run "$work/twice.traceg" -g v100
out 'note: block (0,0,0): expected each block once, found it again'
expect 0 "$teg" convert "$work/twice.traceg" "$work/twice.tegt"
expect 0 "$teg" run "$work/twice.tegt" -g v100
out 'note: block (0,0,0): expected each block once, found it again'
expect 0 "$teg" run "$work/small.traceg" -g v100
check 'once is not twice' sh -c '! grep -q "found it again" "$0/out"' "$work"

# No command writes over what it reads, by whatever name.
expect 0 "$teg" convert "$work/small.traceg" "$work/k.tegt"
expect 0 "$teg" run "$work/k.tegt" -g v100 -f json -o "$work/k.json"
cp config/v100.cfg "$work/own.cfg"
cp -r config/family "$work/"
ln "$work/k.tegt" "$work/hard"
ln -s k.tegt "$work/soft"
cp "$work/k.tegt" "$work/before"
refused() {
    expect 2 "$teg" "$@"
    err "$refused: this command reads it and would write its result over it"
    check "one line from: $last" [ "$(wc -l <"$work/err")" = 1 ]
}
for refused in k.tegt hard soft; do
    to="$work/$refused"
    refused run "$work/k.tegt" -g v100 -o "$to"
    refused run "$work/k.tegt" -g v100 --timeline "$to"
    refused run "$work/k.tegt" -g v100 --pc-trace "$to"
    refused report "$work/k.tegt" -g v100 -o "$to"
    refused report "$work/k.tegt" -g v100 --konata "$to"
    refused report "$work/k.tegt" -g v100 --perfetto "$to"
    refused convert "$work/k.tegt" "$to"
    refused whatif "$work/k.tegt" -g v100 -o "$to"
    refused sweep "$work/k.tegt" -g v100 -o "$to"
    refused sweep "$work/k.tegt" -g v100 --journal "$to"
    for command in model timeline bound features; do
        refused $command "$work/k.tegt" -o "$to"
    done
done
refused=own.cfg
refused run "$work/k.tegt" -g "$work/own.cfg" -o "$work/own.cfg"
refused=k.json
refused diff "$work/k.json" "$work/k.json" -o "$work/k.json"
refused=small.traceg # which only the list names
printf 'small.traceg\n' >"$work/kernelslist.g"
expect 2 "$teg" run "$work/kernelslist.g" -g v100 -o "$work/small.traceg"
err "$refused: this command reads it"
cp "$work/kernelslist.g" "$work/list.before"
expect 2 "$teg" run "$work" -g v100 -o "$work/kernelslist.g"
err 'kernelslist.g: this command reads it'
check 'the list is what it was' cmp "$work/list.before" "$work/kernelslist.g"
expect 2 "$teg" convert "$work/kernelslist.g" "$work/small.traceg" --to tegt
err "$refused: this command reads it"
check 'the trace is what it was' cmp "$work/before" "$work/k.tegt"

# Two results at one place would leave one of them, by whatever name.
ln -s both "$work/same"
twice() {
    expect 2 "$teg" "$@"
    err 'this command would write two results there'
    check "one line from: $last" [ "$(wc -l <"$work/err")" = 1 ]
    check "nothing from: $last" [ ! -e "$work/both" ]
}
twice run "$work/k.tegt" -g v100 -o "$work/both" --timeline "$work/./both"
twice report "$work/k.tegt" -g v100 -o "$work/both" --konata "$work/both"
twice sweep "$work/k.tegt" -g v100 -o "$work/both" --journal "$work/both"
dump="$teg trace tests/fixtures/async.sm_80.cubin -k stages2 --grid 2 --block 64
    -a buf:f32:4096:iota -a buf:f32:4096:zeros -a i32:1 --dump 0=$work/both"
# shellcheck disable=SC2086 # words
twice ${dump#* } --dump "1=$work/both"
# shellcheck disable=SC2086 # words
expect 0 $dump --dump "1=$work/other"
expect 0 "$teg" run "$work/k.tegt" -g v100 -o "$work/both"
expect 2 "$teg" run "$work/k.tegt" -g v100 -o "$work/both" --timeline "$work/same"
err "this command would write two results there"
expect 0 "$teg" run "$work/k.tegt" -g v100 -o /dev/null --timeline /dev/null

# The next file that is opened does not get the place of a stream that was
# closed, nor would a program's.
closed() {
    # shellcheck disable=SC2016 # of the program
    "$teg" exec -g v100 -o "$work/closed" -- \
        sh -c 'readlink /proc/$$/fd/2 >"$0"; :' "$work/streams" >&- 2>&-
}
expect 0 closed
check 'a closed stream is held' [ "$(cat "$work/streams")" = /dev/null ]

# A list shows nothing of a file that is no trace.
printf 'kernel-1.traceg\n' >"$work/kernelslist.g"
printf 'secret\n' >"$work/kernel-1.traceg"
expect 1 "$teg" run "$work/kernelslist.g" -g v100
err 'kernel-1.traceg: expected a kernel.s trace, as the list has it, found a'

# A link is written through.
ln -s behind "$work/link"
expect 0 "$teg" info "$work/k.tegt" -f json
expect 0 "$teg" run "$work/k.tegt" -g v100 -o "$work/link"
check 'the link is still one' [ -L "$work/link" ]
check 'its file is there' [ -s "$work/behind" ]

# A reader that has seen enough is no fault.
head_of() {
    { "$teg" "$@" || echo $? >"$work/status"; } | head -1 >"$work/line"
    return "$(cat "$work/status")"
}
yes small.traceg | head -2000 >"$work/kernelslist.g"
expect 141 head_of run "$work/kernelslist.g" -g v100 -f csv --similar 0
no_err

# Killed in the middle: no half file, and no other.
mkdir "$work/killed"
yes small.traceg | head -20000 >"$work/kernelslist.g"
"$teg" convert "$work/kernelslist.g" "$work/killed/k.tegt" 2>"$work/err" &
sleep 0.1
kill -9 $!
wait $! 2>"$work/within"
check 'nothing is left of a kill' [ -z "$(ls "$work/killed")" ]

finish
