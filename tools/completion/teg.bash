
# Adds to COMPREPLY what of the words $1 can follow $head, which `cur` begins
# with.  Bash has cut `cur` at the last of "=" and ":" and puts what is given
# here behind that.
_teg_add()
{
    local tail=${cur#"$head"} cut=${cur##*[$breaks]} word
    cut=${cur%"$cut"}
    while IFS= read -r word; do
        word=$head$word
        COMPREPLY+=("${word#"$cut"}")
    done < <(compgen -W "$1" -- "$tail")
}

_teg_add_files() # FLAG of compgen: -f, or -d for directories
{
    local word
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(compgen "$1" -- "${cur#"$head"}")
}

# What is written KEY=VALUE: keys, then the names a key may have.
_teg_add_keys()
{
    local tail=${cur#"$head"} REPLY
    if [[ $tail == *=* ]]; then
        head=$head${tail%%=*}=
        _teg_key_values "${tail%%=*}"
        _teg_add "$REPLY"
    else
        _teg_add "${_teg_keys// /= }"
    fi
}

_teg_add_value() # a word of a row of values
{
    case $1 in
    *,) local tail=${cur#"$head"} head=$head
        head=$head${tail%"${tail##*,}"} ;;
    esac
    case $1 in
    @gpu | @gpu,)
        if [[ ${cur#"$head"} == */* ]]; then
            _teg_add_files -f
        else
            _teg_add "$("$program" gpus -f csv 2>/dev/null |
                sed '1d; s/,.*//')"
        fi ;;
    @term)
        _teg_add "$("$program" explain 2>/dev/null | sed -n 's/^  //p')" ;;
    @what-if,) _teg_add "$_teg_what_ifs" ;;
    @model) _teg_add "$_teg_models" ;;
    @key=) _teg_add_keys ;;
    @file | @program) _teg_add_files -f ;;
    @directory) _teg_add_files -d ;;
    *) _teg_add "$1" ;;
    esac
}

_teg()
{
    local line=${COMP_LINE:0:COMP_POINT} program=${COMP_WORDS[0]}
    local cur command REPLY= head= breaks= word
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    # A bracket expression of those that are in force, never an empty one.
    for word in = :; do
        [[ $COMP_WORDBREAKS != *"$word"* ]] || breaks+=$word
    done
    breaks=${breaks:-$'\n'}
    COMPREPLY=()
    cur=${words[${#words[@]} - 1]} command=${words[1]}
    if ((${#words[@]} == 2)); then
        REPLY="$_teg_commands help --help --version"
    elif [[ $command == help ]]; then
        REPLY=$_teg_commands
    elif [[ " ${words[*]:2:${#words[@]}-3} " == *' -- '* ]]; then
        REPLY=@file
    elif [[ $cur == --*=* ]] && _teg_values "$command" "${cur%%=*}"; then
        head=${cur%%=*}=
    elif _teg_values "$command" "${words[${#words[@]} - 2]}"; then
        :
    elif [[ $cur == -* ]]; then
        _teg_options "$command"
    else
        _teg_values "$command" operands
    fi
    for word in $REPLY; do
        _teg_add_value "$word"
    done
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

complete -F _teg teg
