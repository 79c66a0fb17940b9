#!/bin/sh
# Runs the pairs of flaws.list, held.list, later.list and fresh.list: whether a known flaw is the first
# of a kernel's findings, and whether without it it gains what was said.
#
#   tests/kernels/flaws/run.sh [NAME]...    these pairs only (default: all)
#
# A row a pair; status 1 if one of flaws.list is not as it has to be.  Those of
# held.list are what was expected before anybody had seen them run: they are
# counted.
cd "$(dirname "$0")/../../.." || exit 2
teg=${BUILD:-build/release}/teg
here=tests/kernels/flaws
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
gpu=${GPU:-a100}

# record KERNEL OPTIONS: its trace
record() {
    # shellcheck disable=SC2086
    "$teg" trace $here/$list.fatbin --kernel "$1" $2 -o "$work/$1.tegt" \
        >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

# Cycles of a text report.
cycles() {
    sed -n 's/^  cycles  *\([0-9,]*\).*/\1/p' "$1" | tr -d ,
}

# The rows of all lists, each with its list before it.
pairs() {
    for list in flaws held later fresh; do
        sed "/^#/d; /^$/d; s/^/$list;/" $here/$list.list
    done
}

status=0 all=0 found=0 near=0 other=0
pairs >"$work/pairs"
printf '%-12s %-22s %9s %9s %8s  %s\n' \
    pair 'first finding' said gained off '' 
while IFS=';' read -r list name want most sms launch fixed; do
    want=${want# } most=${most# } sms=${sms# }
    reason=${most#-} most=${most%% *}
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    record "${name}_flaw" "$launch"
    record "${name}_fixed" "${fixed:-$launch}"
    "$teg" run "$work/${name}_flaw.tegt" -g "$gpu" --set chip.sms="$sms" --why >"$work/flaw" &&
        "$teg" run "$work/${name}_fixed.tegt" -g "$gpu" \
            --set chip.sms="$sms" >"$work/fixed" ||
        exit 1
    [ -z "$KEEP" ] || cp "$work/flaw" "$KEEP/$name.txt"
    first=$(sed -n 's/^  1 \(.*[^ ]\)   *[^ ]*$/\1/p' "$work/flaw" |
        sed 's/   .*//')
    said=$(sed -n 's/^  1 .* ~*\([0-9.]*\)x$/\1/p' "$work/flaw")
    row=$(awk -v a="$(cycles "$work/flaw")" -v b="$(cycles "$work/fixed")" \
        -v said="$said" -v first="$first" -v want="$want" -v most="$most" '
        BEGIN {
            gained = a / b
            off = said > 0 ? 100 * (said / gained - 1) : 0
            wrong = most != "-" && (said == 0 || off > most || off < -most)
            why = first != want ? "WRONG, expected " want : wrong ? "WRONG" : "ok"
            printf("%s %.2fx %s %s", said == "" ? "-" : said "x", gained,
                   said == "" ? "-" : sprintf("%+.0f%%", off), why)
        }')
    printf '%-12s %-22s' "$name" "$first"
    echo "$row" | { read -r said gained off rest
        printf ' %9s %9s %8s  %s\n' "$said" "$gained" "$off" "$rest"; }
    case $list,$row in flaws,*WRONG*) status=1 ;; esac
    all=$((all + 1))
    [ "$first" != "$want" ] || found=$((found + 1))
    case ${row% ok} in
    *' '[-+][0-9]%* | *' '[-+]1[0-5]%*) near=$((near + 1)) ;;
    *) [ "$most" != - ] || { other=$((other + 1)) && echo "   $reason"; } ;;
    esac
done <"$work/pairs"
echo "$found of $all first findings as expected, $near gains to 15 %, $other of fixes that do something else"
exit $status
