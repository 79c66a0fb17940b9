# Where NVIDIA's tools are: their listings of fixture cubins, with and
# without encodings, read as the cubins do.
. tests/cli/lib.sh

code() {
    "$teg" disasm "$1" | sed 's/ (sm_.*//'
}

compare() {
    code "$work/list" >"$work/read" 2>"$work/err"
    check "$1 of $cubin" cmp -s "$work/cubin" "$work/read"
}

if ! command -v cuobjdump >/dev/null || ! command -v nvdisasm >/dev/null; then
    echo 'skipped: no cuobjdump and nvdisasm'
    finish
fi
for cubin in tests/fixtures/flow.*.cubin tests/fixtures/lines*.cubin; do
    code "$cubin" >"$work/cubin"
    cuobjdump -sass "$cubin" >"$work/list"
    compare 'cuobjdump -sass'
    nvdisasm "$cubin" >"$work/list"
    compare nvdisasm
    nvdisasm -hex "$cubin" >"$work/list"
    compare 'nvdisasm -hex'
done
finish
