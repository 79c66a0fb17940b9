# What the texts say that commands print, but for the numbers, is what they print;
# and what they point to is there.
. tests/cli/lib.sh

if command -v python3 >/dev/null 2>&1; then
    # What is slow, marked so, is left to `make docs-check`.
    # shellcheck disable=SC2046 # names of files
    expect 0 tools/docs_check.py --digits any --quick README.md \
        $(grep -l '^<!-- docs-check' docs/*.md)
    no_out
    # A wrong word and a wrong exit status are seen, a wrong number is not.
    {
        echo '<!-- docs-check -->'
        echo '```'
        echo '$ echo three 4'
        echo 'three 5'
        echo '```'
    } >"$work/a.md"
    expect 0 tools/docs_check.py --digits any "$work/a.md"
    expect 1 tools/docs_check.py "$work/a.md"
    out 'printed is not what is said: . echo three 4'
    sed 's/three 5/four 5/' "$work/a.md" >"$work/b.md"
    expect 1 tools/docs_check.py --digits any "$work/b.md"
    expect 1 tools/docs_check.py --update "$work/b.md"
    expect 0 tools/docs_check.py "$work/b.md"
else
    echo 'skipped: outputs in the texts (needs python3)'
fi

# Links between the texts, README's too.
for page in README.md docs/*.md; do
    sed 's/`[^`]*`//g' "$page" | grep -o '](\([^)#:]*\)[#)]' |
        sed 's/^](//; s/[#)]$//' | grep . | sort -u >"$work/links"
    while read -r link; do
        check "$page: $link" [ -e "$(dirname "$page")/$link" ]
    done <"$work/links"
done

finish
