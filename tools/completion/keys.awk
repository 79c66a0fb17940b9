# Keys of a GPU description whose values are names, as a function or an array of
# the shell: lines "KEY VALUE VALUE ..." in.
BEGIN {
    if (shell == "bash")
        print "_teg_key_values() # KEY\n{\n    case $1 in"
    else
        print "typeset -gA _teg_keys\n_teg_keys=("
}
{
    values = substr($0, length($1) + 2)
    if (shell == "zsh")
        print "    " $1 " '" values "'"
    else if (values != "")
        print "    " $1 ") REPLY='" values "' ;;"
}
END {
    if (shell == "bash")
        print "    *) REPLY= ;;\n    esac\n}"
    else
        print ")"
}
