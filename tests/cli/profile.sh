# From a program to what takes its time: tests/cli/program.c run, replayed and
# explained in one step; and traces of other programs.
. tests/cli/lib.sh
program=${BUILD:-build/release}/tests/cli/program

expect 0 "$teg" profile -g a100 -o "$work/p" -- "$program" scale
out ' scale on a100$'
out '^3 launches of 1 kernel: .* caches carry'
out '^100.0 % .* scale, 3 launches$'
out 'grid 4x1x1, block 256x1x1: bound by '
out 'most waiting: before [A-Z]'
out 'would help most:'
out '^        [a-z0-9 -]*: '
# the first launch finds other caches than those after it
check 'two steps' [ "$(grep -c '^scale  *[12] ' "$work/out")" = 2 ]
for file in kernels.json index.html kernel-1.html; do
    check "$file is there" [ -s "$work/p/$file" ]
done
check 'the page leads to the kernel' \
    grep -q '<a href="kernel-1.html">scale</a>' "$work/p/index.html"
check 'which has what would help' \
    grep -q 'Would help most' "$work/p/kernel-1.html"

# The same numbers as teg run and teg whatif have, step by step.
expect 0 "$teg" run "$work/p/kernels.json" -g a100 --caches carry -f csv
mv "$work/out" "$work/run"
total=$("$teg" run "$work/p/kernels.json" -g a100 --caches carry |
    sed -n 's/^total .*: \([0-9,]*\) cycles = \([0-9.]*\) us.*/\2/p')
expect 0 "$teg" profile "$work/p" -g a100 -f json
cp "$work/out" "$work/by-folder"
expect 0 "$teg" profile "$work/p/kernels.json" -g a100 -f json
check "a folder is its list" test "$(diff "$work/by-folder" "$work/out" |
    grep -c "^[<>]")" -le 4
expect 0 "$teg" profile "$work/p/kernels.json" -g a100
out "^3 launches of 1 kernel: $total us"
check 'pages beside the list' [ "$work/p/index.html" -nt "$work/run" ]

# a launch may stand for later ones that differ in where their buffers are
expect 0 "$teg" exec -g a100 -o "$work/l" -- "$program" layers
expect 0 "$teg" profile "$work/l" -g a100 --top 1 -f json
cp "$work/out" "$work/recalled"
expect 0 "$teg" profile "$work/l" -g a100 --top 1 --exact -f json
check 'none, exactly' grep -q '"recalled": 0' "$work/out"
check 'to 2 %' awk '/^ *"time_us"/ {gsub(/[^0-9.]/, "", $2); us[++n] = $2; nextfile}
    END {d = us[1] / us[2] - 1; exit !(n == 2 && us[2] > 0 && d * d < 4e-4)}' \
    "$work/recalled" "$work/out"
expect 0 "$teg" profile "$work/l" -g a100
out '^[4-6] of 8 launches differ from earlier ones in nothing but where their buffers'

# cold: one step, and what-ifs of one launch, as teg run has them
expect 0 "$teg" run "$work/p/kernels.json" -g a100 --caches cold --ranking
best=$(sed -n 's/^  1 \([a-z0-9 ]*[a-z0-9]\)  .*/\1: /p' "$work/out")
expect 0 "$teg" profile "$work/p/kernels.json" -g a100 --caches cold
grep -A1 'would help most' "$work/out" >"$work/first"
check 'something comes first' [ -n "$best" ]
check 'the same comes first' grep -qF "$best" "$work/first"
check 'one step' [ "$(grep -c '^scale  *3 ' "$work/out")" = 1 ]

# several kernels, most time first; those beyond --top have no page
for n in 1 2 3; do
    cat >"$work/$n.sketch" <<EOF
sketch 1
kernel "k$n"
isa sm_80
grid 2
block 64
loop k 00$n
    FFMA R1, R1, R1, R1
end
EXIT
EOF
done
sed -i 's/k 001/k 100/; s/k 002/k 900/; s/k 003/k 300/' "$work"/?.sketch
echo '{"kernels": [{"trace": "1.sketch"}, {"trace": "2.sketch"},
  {"trace": "3.sketch", "launches": 2}]}' >"$work/list.json"
expect 0 "$teg" profile "$work/list.json" -g a100 --top 2 -o "$work/q" -f csv
check 'the index has all time, one launch after the other' [ "$(
    sed -n '/id="time"/,/<.svg>/p' "$work/q/index.html" | tr '>' '\n' |
    sed -n 's/.*<rect x="\([0-9.]*\)" .*width="\([0-9.]*\)".*/\1 \2/p' |
    awk '{bad += $1 - at > 0.02 || at - $1 > 0.02; at = $1 + $2; n++}
        END {print (!bad && n >= 3 && at > 799.9 && at < 800.1)}')" = 1 ]
check 'a row for each step' [ "$(wc -l <"$work/out")" -ge 4 ]
expect 0 "$teg" profile "$work/list.json" -g a100 --top 2 -o "$work/q"
check 'most time first' \
    [ "$(sed -n 's/^ *[0-9.]* %.* us  \(k[0-9]\), .*/\1/p' "$work/out" | tr -d '\n')" = k2k3k1 ]
check 'shares of all time' sh -c \
    "sed -n 's/^ *\([0-9.]*\) % .* us  k.*/\1/p' '$work/out' |
        awk '{s += \$1} END {exit s < 99.7 || s > 100.3}'"
check 'two pages' [ "$(ls "$work/q" | grep -c kernel-)" = 2 ]
expect 0 "$teg" profile "$work/list.json" -g a100 -o "$work/q/in/q" --dygraphs "$work/none"
check 'folders are made' [ -s "$work/q/in/q/index.html" ]
check 'what all pages lack is said once' [ "$(grep -c "page's own script" "$work/err")" = 1 ]
expect 0 "$teg" explain waiting

# the what-if that gains most, and whose conflicts those are
cat >"$work/conflicts.sketch" <<EOF
sketch 1
kernel "conflicts"
isa sm_80
grid 2
block 256
shared 8192
loop k 50
    LDS R2, [4*lane]
    LDS R1, [128*lane]
end
FADD R1, R1, R2
EXIT
EOF
expect 0 "$teg" profile "$work/conflicts.sketch" -g a100 -o "$work/c"
out '^        bank conflicts: LDS R1, .*, 32-way'
check 'on its page as well' grep -q '<b>bank conflicts</b>: LDS R1, .*, 32-way' \
    "$work/c/kernel-1.html"
expect 0 "$teg" profile "$work/conflicts.sketch" -g a100 -o "$work/c" -f json
out '"where": "LDS R1, .*, 32-way bank conflicts"'

# Launches stand in the rows of their streams.
mkdir "$work/s"
cat >"$work/s/kernels.json" <<EOF2
{"teg": {"schema": 3},
 "kernels": [{"trace": "../1.sketch", "launches": 1},
             {"trace": "../2.sketch", "launches": 1},
             {"trace": "../1.sketch", "launches": 2}],
 "order": [{"kernel": 0, "launches": 1, "stream": 7},
           {"kernel": 1, "launches": 1},
           {"kernel": 2, "launches": 1, "stream": 7},
           {"kernel": 2, "launches": 1}]}
EOF2
expect 0 "$teg" profile "$work/s/kernels.json" -g a100 --top 1 -f json
check 'of one stream, of the default one, of two' \
    [ "$(sed -n 's/.*"stream": \([a-z0-9]*\).*/\1/p' "$work/out" |
        tr '\n' ' ')" = '1 0 null null ' ]
for text in 'stream 7' 'default stream' 'of a graph, or of several'; do
    check "a row: $text" grep -q "<text [^>]*>$text, [0-9.]* %" \
        "$work/s/index.html"
    check "a line: $text" grep -q "<tr><td>$text</td>" "$work/s/index.html"
done

# where lanes idle is not a branch, whose lanes are those that take it
expect 0 "$teg" trace tests/fixtures/kernels/k24_control.fatbin --arch sm_80 --kernel divergent \
    --grid 64 --block 256 -a buf:i32:65536:random -a buf:i32:65536:zeros -a i32:65536 \
    -o "$work/divergent.tegt"
expect 0 "$teg" profile "$work/divergent.tegt" -g a100 -o "$work/divergent"
out 'divergence: SHF.R.S32.HI R2, RZ, R3, R4, 9.36 of 32 lanes active'

# a program that fails, or launches nothing, or is none
expect 99 "$teg" profile -g a100 -o "$work/r" -- "$program" no-such-test
err 'no kernel launch was traced'
check 'which is all that is said' [ "$(wc -l <"$work/err")" = 1 ]
expect 1 "$teg" profile -g a100 -o "$work/r" -- true
for limit in 1 600s,1; do
    expect 1 "$teg" profile -g a100 -o "$work/r" --limit=$limit -- "$program" forever
    err 'kernel ballots .* more than 1000000 instructions in one warp'
done
expect 2 "$teg" profile -g a100 -o "$work/r" --limit=none -- "$program" forever
err 'limit: expected millions of instructions'
expect 1 "$teg" profile "$work/nothing.tegt" -o "$work/r"
err 'nothing.tegt'
expect 2 "$teg" profile
expect 2 "$teg" profile --caches hot x
for option in '-k k1' '--launches 0:2' --loose --strict-memory \
    '--interleave steps' '--limit 3'; do
    # shellcheck disable=SC2086
    expect 2 "$teg" profile $option "$work/1.sketch" -g a100 -o "$work/r"
    err 'is of a program that is run; .*1.sketch is a trace'
done
: >"$work/file"
expect 1 "$teg" profile "$work/1.sketch" -g a100 -o "$work/file"
err 'cannot write'
finish
