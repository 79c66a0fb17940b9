# The manual pages: every command, every term, no complaint of roff.
. tests/cli/lib.sh

expect 0 sh tools/man.sh "$teg" "$work/man"
no_out
no_err
for command in $("$teg" --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    check "teg(1) has $command" grep -qx "\.SS $command" "$work/man/teg.1"
    check "and its usage" grep -q "^\.B teg $command \[OPTION\]" "$work/man/teg.1"
done
check 'an option is the head of a paragraph, its whole help below' \
    [ "$(grep -B1 -A1 '^\.B .-o, .-.-output=FILE$' "$work/man/teg.1" | sed -n 1,3p |
        tr '\n' ' ')" = '.TP .B \-o, \-\-output=FILE write the result there instead, complete or not at all ' ]
# As many terms as there are names.
check 'teg-terms(7) has every term' [ "$(grep -c '^\.TP$' "$work/man/teg-terms.7")" = \
    "$("$teg" explain | grep -c '^  ')" ]
check 'with equations' grep -q '^= min(MWP_Without_BW, MWP_peak_BW, Npw)$' "$work/man/teg-terms.7"
if command -v groff >/dev/null 2>&1; then
    for page in teg.1 teg-terms.7; do
        groff -man -Tutf8 -ww "$work/man/$page" >"$work/page" 2>"$work/complaints"
        check "$page is clean" [ ! -s "$work/complaints" ]
        check "$page is a page" [ "$(wc -l <"$work/page")" -gt 500 ]
    done
else
    echo 'skipped: manual pages as roff sees them (needs groff)'
fi

finish
