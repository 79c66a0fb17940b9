#!/bin/sh
# The committed containers once more by a second reader, if Python is there:
# tests/golden/read_tegt.py, which knows docs/trace-format.md only.
. tests/cli/lib.sh
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    finish
fi
for name in paces histogram ring2; do
    expect 0 tests/golden/read_tegt.py tests/golden/$name.tegt
    check "$name.txt is what $name.tegt holds" cmp -s "$work/out" tests/golden/$name.txt
done
expect 0 "$teg" convert tests/golden/paces.sketch "$work/paces.tegt"
expect 0 tests/golden/read_tegt.py "$work/paces.tegt"
check 'what teg writes reads the same' cmp -s "$work/out" tests/golden/paces.txt
finish
