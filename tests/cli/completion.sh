# What bash completes behind teg, from the option tables; zsh's is read only.
. tests/cli/lib.sh

expect 0 sh tools/completion.sh "$teg" "$work/made"
no_out
no_err

# Completes the line as bash does when Tab is pressed at its end; what it offers
# goes to standard output, a word a line.  Bash breaks words at "=" and ":".
complete_line() {
    (cd "$work/here" && bash -c '
        . ../made/teg
        COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=$3
        read -ra COMP_WORDS <<<"$1"
        COMP_WORDS[0]=$2
        COMP_CWORD=${#COMP_WORDS[@]}
        _teg && printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$1" "$teg_path" "${2-$breaks}")
}

# Completing $1 offers the line $2 and, if $3 is given, not the line $3.
offers() {
    expect 0 complete_line "$1"
    no_err
    out "^$2\$"
    [ $# -lt 3 ] || check "'$1' does not offer '$3'" sh -c '! grep -qx -e "$@"' \
        sh "$3" "$work/out"
}

# Completing $1 offers exactly the words $2.
offers_only() {
    expect 0 complete_line "$1"
    no_err
    check "'$1' offers '$2' and nothing else" \
        [ "$(echo $(cat "$work/out"))" = "$2" ]
}

if command -v bash >/dev/null 2>&1; then
    breaks=" =:
"
    case $teg in
    /*) teg_path=$teg ;;
    *) teg_path=$PWD/$teg ;;
    esac
    mkdir -p "$work/here/folder"
    touch "$work/here/kernel.tegt" "$work/here/folder/other.cfg"

    offers_only 'teg expl' 'explain'
    offers 'teg ' 'whatif'
    offers_only 'teg help swe' 'sweep'
    offers 'teg run --' '--what-if=' '--vary='
    offers_only 'teg run --pc-w' '--pc-warps='
    offers_only 'teg run --stri' '--strict'
    offers_only 'teg run -f ' 'text json markdown csv'
    offers_only 'teg run k.tegt --format=j' 'json'
    offers_only 'teg run k.tegt --format j' 'json'
    offers_only 'teg run -g gtx28' 'gtx280'
    offers_only 'teg sweep -g v100,gtx28' 'v100,gtx280'
    offers_only 'teg run -g folder/o' 'folder/other.cfg'
    offers_only 'teg gpus gtx28' 'gtx280'
    offers_only 'teg run --what-if=coal' 'coalesced'
    offers_only 'teg run --what-if coalesced,no-bank' 'coalesced,no-bank-conflicts'
    # Bash has cut "double:" off and keeps it.
    offers 'teg run --what-if double:fp' 'fp64'
    offers_only 'teg model -m mwp-cwp-' 'mwp-cwp-extended'
    offers_only 'teg power --cycles sim' 'simulated'
    offers 'teg run --set sm.w' 'sm.warps_max='
    offers_only 'teg run --set sm.policy=g' 'gto gty glri gblri'
    offers_only 'teg run --set=sm.policy=st' 'strict'
    offers_only 'teg run ke' 'kernel.tegt'
    offers_only 'teg predict --model ke' 'kernel.tegt'
    offers_only 'teg run -o kernel' 'kernel.tegt'
    offers_only 'teg run --config-dir=' 'folder'
    offers_only 'teg explain long_sc' 'long_scoreboard'
    offers_only 'teg bound sg' 'sgemm'
    offers_only 'teg exec -- ke' 'kernel.tegt'
    offers_only 'teg exec -- ./program --vers' ''
    offers_only 'teg nosuch --' ''
    # Every command has a row, and its operands.
    for command in $("$teg" --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        offers "teg $command --h" '--help'
    done
    # Users who took ":" and "=" out of bash's word breaks get the whole word.
    expect 0 complete_line 'teg run --what-if=double:tens' ' '
    out '^--what-if=double:tensor$'
else
    echo 'skipped: completion in bash: it is not installed'
fi

if command -v zsh >/dev/null 2>&1; then
    expect 0 sh -c 'zsh -n "$1"' sh "$work/made/_teg"
    no_err
    check 'what may be given often is offered again' \
        grep -q "'\*--set=\[" "$work/made/_teg"
    # Every specification is one that _arguments takes.
    cat >"$work/zsh" <<'END'
autoload -Uz compinit && compinit -u -d "$2/dump"
functions[_teg_under_test]="$(sed '$d' "$1/_teg")"
_teg_under_test
_arguments() { # the letters, then specs of options and of operands
    shift
    for spec; do
        [[ $spec == ('('|'*'|'-')* ]] || { print "$spec"; return 1; }
    done
}
for command in $_teg_commands; do _teg_command_$command || exit 1; done
END
    expect 0 sh -c 'zsh -f "$@"' sh "$work/zsh" "$work/made" "$work"
    no_out
    no_err
else
    echo 'skipped: completion in zsh: it is not installed'
fi

finish
