#!/bin/sh
# The table of docs/emulator.md from what tests/traces/emulate/test_reference
# prints: how many values of each operation were compared, by generation.
awk '
function cell(values, without, text) {
    text = values >= 1000000 ? sprintf("%.1fM", values / 1000000) \
         : values >= 1000 ? sprintf("%dk", values / 1000) : values
    return text (without > 0 ? "*" : "")
}
/^sm_[0-9]+ [A-Z0-9.a-z]+ (runs|refused)$/ { at[$2, $1] = $3; seen[$2] = 1 }
/^sm_[0-9]+ .* values, / {
    at[$2, $1] = $3 == 0 ? "refused" : cell($3, $7)
    seen[$2] = 1
}
END {
    n = split("70 72 75 80 86 87 89 90 120", sm, " ")
    line = "| operation |"; rule = "| --- |"
    for (i = 1; i <= n; i++) { line = line " sm_" sm[i] " |"; rule = rule " --- |" }
    print line; print rule
    for (name in seen) {
        line = "| " name " |"
        for (i = 1; i <= n; i++)
            line = line " " (((name, "sm_" sm[i]) in at) ? at[name, "sm_" sm[i]] : "–") " |"
        print line | "LC_ALL=C sort"
    }
}'
