#!/bin/sh
# The table of docs/emulator.md from what tests/traces/emulate/test_reference*
# and test_tensor_copies print: how many values of each operation were compared,
# by generation; of what was not, why (docs/emulator.md explains the words).
awk '
BEGIN {
    say("flow", "BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL.ABS CALL.REL " \
        "ENDCOLLECTIVE EXIT LEPC NANOSLEEP RET.ABS RET.REL WARPSYNC YIELD")
    say("warps", "ARRIVES B2R BAR UCGABAR_ARV UCGABAR_WAIT " \
        "UGETNEXTWORKID")
    say("nothing", "ACQBULK CCTL CGAERRBAR DEPBAR ERRBAR FENCE.VIEW.ASYNC " \
        "LDGDEPBAR MEMBAR NOP PREEXIT UBLKPF USETMAXREG UTMACCTL " \
        "UTMACMDFLUSH UTMAPF UVIRTCOUNT WARPGROUP")
    say("pictures", "SULD SUST TEX TLD TLD4 TXD TXQ")
    say("columns", "LDTM STTM UTCATOMSWS UTCBAR UTCCP UTCHMMA UTCIMMA " \
        "UTCOMMA UTCQMMA")
    say("bytes", "F2IP")
    say("zeros", "UMEMSETS")
    say("halves", "RPCMOV")
    say("choice", "FCHK")
    say("sm_90", "UTMALDG UTMAREDG UTMASTG")
}
function say(word, names,    name, n, i) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++) why[name[i]] = word
}
function cell(values, without, text) {
    text = values >= 1000000 ? sprintf("%.1fM", values / 1000000) \
         : values >= 1000 ? sprintf("%dk", values / 1000) : values
    return text (without > 0 ? "*" : "")
}
/^sm_[0-9]+ [A-Z0-9._a-z]+ (runs|refused)$/ {
    other[$2, $1] = $3 == "runs" && $2 in why ? why[$2] : $3
    seen[$2] = 1
}
/^sm_[0-9]+ .* values, / {
    values[$2, $1] += $3; without[$2, $1] += $7; forms[$2, $1] += $5 + $9
    seen[$2] = 1
}
function entry(name, sm) {
    if (values[name, sm] > 0)
        return cell(values[name, sm], without[name, sm])
    if ((name, sm) in other && other[name, sm] != "runs")
        return other[name, sm]
    if (forms[name, sm] > 0)
        return "refused"
    return (name, sm) in other ? other[name, sm] : "–"
}
END {
    n = split("70 72 75 80 86 87 89 90 100 120", sm, " ")
    line = "| operation |"; rule = "| --- |"
    for (i = 1; i <= n; i++) { line = line " sm_" sm[i] " |"; rule = rule " --- |" }
    print line; print rule
    for (name in seen) {
        line = "| " name " |"
        for (i = 1; i <= n; i++)
            line = line " " entry(name, "sm_" sm[i]) " |"
        print line | "LC_ALL=C sort"
    }
}'
