#!/bin/sh
# The committed containers once more by a second reader, if Python is there:
# tests/golden/read_tegt.py, which knows docs/trace-format.md only.  The golden
# vectors once more by the equations as tests/golden/make_vectors.py has them.
. tests/cli/lib.sh
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    finish
fi
expect 0 tests/golden/make_vectors.py --check
check 'every value of six files' \
    test "$(grep -c ': [1-9][0-9]* values, 0 differ$' "$work/out")" = 6
sed 's/^P03,\(.*\),40,77,/P03,\1,41,77,/' tests/golden/power-vectors.csv >"$work/power-vectors.csv"
expect 1 tests/golden/make_vectors.py --check "$work/power-vectors.csv"
out '^power-vectors.csv: P03 ar_FP: 0.3277.*, 0.3359.* by the equations$'
for name in paces histogram ring2; do
    expect 0 tests/golden/read_tegt.py tests/golden/$name.tegt
    check "$name.txt is what $name.tegt holds" cmp -s "$work/out" tests/golden/$name.txt
done
expect 0 "$teg" convert tests/golden/paces.sketch "$work/paces.tegt"
expect 0 tests/golden/read_tegt.py "$work/paces.tegt"
check 'what teg writes reads the same' cmp -s "$work/out" tests/golden/paces.txt
finish
