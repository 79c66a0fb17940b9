#!/bin/sh
# Real traces, when they are there: every one replays on the GPU that stands
# for it, conserves warp-cycles, and takes exactly as many cycles from a .tegt.
. tests/cli/lib.sh
traces=../shared/traces
if [ ! -d $traces ]; then
    echo "skipped: $traces is not there"
    finish
fi

number() { # KEY FILE: the first value of a JSON key
    sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$2" | head -1
}

# issued + stalls = resident warp-cycles
conserves() {
    stalled=$(sed -n 's/^ *"warp_cycles": \([0-9]*\),*$/\1/p' "$1" |
        awk '{s += $1} END {print s + 0}')
    [ $((stalled + $(number warp_instructions "$1"))) = \
        "$(number resident_warp_cycles "$1")" ]
}

for t in $(find $traces -name '*.traceg*' -o -name '*.trace' -o -name '*.trace.xz' | sort); do
    case $t in
    *cut-mid-line* | *pre-v3-excerpt*)
        expect 1 "$teg" run "$t"
        err 'expected .* more instructions'
        continue
        ;;
    esac
    expect 0 "$teg" run "$t" -f json
    cp "$work/out" "$work/direct.json"
    check "conservation: $t" conserves "$work/direct.json"
    expect 0 "$teg" convert "$t" "$work/x.tegt"
    expect 0 "$teg" run "$work/x.tegt" -f json
    check "the same cycles from .tegt: $t" \
        [ "$(number cycles "$work/direct.json")" = "$(number cycles "$work/out")" ]
    check "cycles: $t" [ "$(number cycles "$work/out")" -gt 0 ]
done
for list in $(find $traces -name kernelslist.g | sort); do
    expect 0 "$teg" run "$list" -f json
    out '"total": {'
done
finish
