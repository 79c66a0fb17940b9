#!/bin/sh
# Writes what shells complete behind `teg`, from the tables that parse its
# options: tools/completion.sh TEG DIR
#   DIR/teg    bash
#   DIR/_teg   zsh
# Each is a table, made here, and the code of tools/completion, which reads it.
# Names of GPUs and terms are asked of teg when they are wanted: users have
# descriptions of their own.
set -eu
teg=$1
here=$(dirname "$0")/completion
mkdir -p "$2"
commands=$("$teg" --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p')

# The names that `teg explain` knows of a kind.
names() {
    "$teg" explain --all | sed -n "s/ ($1)\$//p" | grep -v '<'
}

what_ifs=$(echo $(names what-if) $(names unit | sort -u | sed 's/^/double:/'))
models=$(echo $(names 'analytical model'))
# "KEY" or, where the values are names, "KEY lrr gto".
keys=$("$teg" gpus --keys | sed -n 'N
    s/, / /g
    s/^\([^ :]*\): .*\n    \([a-z][^;]*\);.*/\1 \2/p
    s/^\([^ :]*\): .*\n.*/\1/p')

# All rows of all commands' tables (tools/teg/cli/option_table.h), the command
# before each.
rows() {
    for command in $commands; do
        "$teg" "$command" --_options | sed "s/^/$command	/"
    done
}

{
    echo '# bash completion for teg, made from its option tables'
    echo "_teg_commands='$(echo $commands)'"
    echo "_teg_what_ifs='$what_ifs'"
    echo "_teg_models='$models'"
    echo "_teg_keys='$(echo "$keys" | sed 's/ .*//' | tr '\n' ' ')'"
    rows | awk -F '\t' -f "$here/table.awk" -v shell=bash
    echo "$keys" | awk -f "$here/keys.awk" -v shell=bash
    cat "$here/teg.bash"
} >"$2/teg"

{
    echo '#compdef teg'
    echo '# zsh completion for teg, made from its option tables'
    echo "_teg_commands=($(echo $commands))"
    echo "_teg_what_ifs=($what_ifs)"
    echo "_teg_models=($models)"
    echo "$keys" | awk -f "$here/keys.awk" -v shell=zsh
    rows | awk -F '\t' -f "$here/table.awk" -v shell=zsh
    cat "$here/teg.zsh"
} >"$2/_teg"
