#!/bin/sh
# tools/mutate/mutate.py on a tree of one file: a change that a test notices,
# one that none does, faults of the list, and an interrupt.
. tests/cli/lib.sh
for tool in python3 git make; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: no $tool for mutations"
        finish
    fi
done

tree=$work/tree
mkdir -p "$tree/tools/mutate" "$tree/tests" "$tree/src"
cp tools/mutate/mutate.py "$tree/tools/mutate/"
git init -q "$tree"
echo /build >"$tree/.gitignore"
printf 'all:\n\tmkdir -p build/release\n\tcp src/sum.c build/release/sum\n' \
    >"$tree/Makefile"
printf 'one = 1\ntwo = 2\n' >"$tree/src/sum.c"
# What is built says so, not only the source.
printf 'grep -q "one = 1" build/release/sum\n' >"$tree/tests/one.sh"

list() {
    cat >"$work/list"
}

mutate() {
    python3 "$tree/tools/mutate/mutate.py" --list "$work/list" "$@"
}

list <<'END'
# a comment
name: one is three
in: src/sum.c
old: one = 1
new: one = 3
tests: tests/one.sh

name: two is three
in: src
old: = 2
new: = 3
tests: tests/one.sh
END
expect 1 mutate
out '^killed   one is three: tests/one.sh '
out '^SURVIVED two is three: nobody noticed '
check 'the last line counts' test "$(tail -1 "$work/out")" = \
    '1 of 2 mutations killed, 50 %'
expect 0 mutate --aim 50 --jobs 1
expect 0 mutate --only 'one is three'
out '^1 of 1 mutations killed, 100 %'
expect 2 mutate --only 'none such'
err "no mutation is called 'none such'"
check 'the tree is as it was' test "$(cat "$tree/src/sum.c")" = 'one = 1
two = 2'
check 'copies are gone' test ! -e "$tree/build/mutate/copy0"

# ---- faults of the list -----------------------------------------------------

block='name: a\nin: src/sum.c\nold: one = 1\nnew: b\n'
printf "${block}test: tests/one.sh\n" | list
expect 2 mutate
err ':5: expected one of'
printf "$block" | list
expect 2 mutate
err 'no tests'
printf "${block}tests: tests/one.sh\n\n${block}tests: tests/one.sh\n" | list
expect 2 mutate
err 'two mutations are called a'
printf 'name: a\nin: src\nold: =\nnew: b\ntests: tests/one.sh\n' | list
expect 2 mutate
err "expected '=' once in src, found sum.c 2 times"
printf "${block}tests: tests/none.sh\n" | list
expect 2 mutate
err 'tests/none.sh fails before anything is changed'

printf 'name: a\nin: src\nold: =\nnew: b\ntests: tests/one.sh\n' | list
expect 2 mutate --check
err "expected '=' once in src, found sum.c 2 times"
printf "${block}tests: tests/none.sh\n" | list
expect 2 mutate --check
err 'a: there is no tests/none.sh'
# the list there is fits the tree there is
expect 0 python3 tools/mutate/mutate.py --check

# ---- an interrupt -----------------------------------------------------------

printf "${block}tests: tests/slow.sh\n" | list
cat >"$tree/tests/slow.sh" <<EOF
grep -q "one = 1" build/release/sum && exit
kill -INT \$(cat "$work/pid")
sleep 20
EOF
# shellcheck disable=SC2016
expect 130 sh -c 'echo $$ >"$1/pid"; exec python3 "$2" --list "$1/list"' - \
    "$work" "$tree/tools/mutate/mutate.py"
check 'an interrupt leaves no copy' test ! -e "$tree/build/mutate/copy0"
finish
