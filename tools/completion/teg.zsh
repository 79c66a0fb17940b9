
_teg_gpu()
{
    local -a names
    names=(${(f)"$($_teg_program gpus -f csv 2>/dev/null)"})
    compadd -- ${${names[2,-1]}%%,*}
    [[ $PREFIX != */* ]] || _files
}

_teg_gpu_list()
{
    compset -P '*,'
    compset -S ',*'
    _teg_gpu
}

_teg_term()
{
    local -a names
    names=(${(f)"$($_teg_program explain 2>/dev/null)"})
    compadd -- ${${(M)names:#  *}#  }
}

_teg_what_if_list()
{
    compset -P '*,'
    compset -S ',*'
    compadd -- $_teg_what_ifs
}

_teg_model()
{
    compadd -- $_teg_models
}

# KEY=VALUE: keys, then the names a key may have.
_teg_key()
{
    local key=${PREFIX%%=*}
    if compset -P '*='; then
        compadd -- ${=_teg_keys[$key]}
    else
        compadd -S = -- ${(k)_teg_keys}
    fi
}

_teg_words()
{
    compadd -- $*
}

_teg_words_or_files()
{
    compadd -- $*
    _files
}

_teg_file()
{
    _files
}

_teg_directory()
{
    _files -/
}

_teg_program()
{
    _normal
}

_teg()
{
    local _teg_program=$words[1]
    if ((CURRENT == 2)); then
        compadd -- $_teg_commands help --help --version
        return
    fi
    shift words
    ((CURRENT--))
    if [[ $words[1] == help ]]; then
        compadd -- $_teg_commands
    elif (($+functions[_teg_command_$words[1]])); then
        _teg_command_$words[1]
    fi
}

_teg "$@"
