# The options of the commands as a shell's functions: rows of
# tools/teg/cli/option_table.h in, with the command before each.

function quoted(text)
{
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}

# ---- bash: _teg_options COMMAND, _teg_values COMMAND OPTION ----

function bash_row(    names)
{
    if ($2 != "operands")
        options[$1] = options[$1] " " $2 ($4 == "-" ? "" : "=")
    if ($2 != "operands" && $4 == "-")
        return
    names = $1 ":" $2
    if ($3 != "-")
        names = $1 ":" $3 " | " names
    cases = cases "    " names ") REPLY=" quoted($5 == "-" ? "" : $5) " ;;\n"
}

function bash_end(    i)
{
    print "_teg_options() # COMMAND\n{\n    case $1 in"
    for (i = 1; i <= count; i++)
        print "    " order[i] ") REPLY='" substr(options[order[i]], 2) "' ;;"
    print "    *) REPLY= ;;\n    esac\n}"
    print "_teg_values() # COMMAND OPTION; fails if it takes no value"
    printf "{\n    case $1:$2 in\n%s    *) return 1 ;;\n    esac\n}\n", cases
}

# ---- zsh: _teg_COMMAND, specifications of _arguments ----

# Up to the first clause, with what _arguments reads itself escaped.
function zsh_help(text)
{
    sub(/[;:].*/, "", text)
    gsub(/[][\\]/, "\\\\&", text)
    return text
}

function zsh_action(values)
{
    if (values == "-")
        return " "
    if (values ~ /^@[a-z-]*[,=]?$/) {
        sub(/^@/, "_teg_", values)
        sub(/,$/, "_list", values)
        sub(/=$/, "", values)
        gsub(/-/, "_", values)
        return values
    }
    # Words, files beside them or models.
    if (sub(/ @file$/, "", values))
        return "_teg_words_or_files " values
    sub(/@model/, "$_teg_models", values)
    return "_teg_words " values
}

function zsh_row(    what, spec, excludes)
{
    what = $4
    gsub(/:/, "\\:", what)
    if ($2 == "operands") {
        operands[$1] = quoted("*:" what ":" zsh_action($5))
        return
    }
    spec = "[" zsh_help($7) "]" ($4 == "-" ? "" : ":" what ":" zsh_action($5))
    excludes = $6 == "many" ? "*" : "(" ($3 == "-" ? "" : $3 " ") $2 ")"
    if ($3 == "-")
        options[$1] = options[$1] " \\\n        " \
            quoted(excludes $2 ($4 == "-" ? "" : "=") spec)
    else
        options[$1] = options[$1] " \\\n        " quoted(excludes) "{" $3 \
            ($4 == "-" ? "" : "+") "," $2 ($4 == "-" ? "" : "=") "}" \
            quoted(spec)
}

function zsh_end(    i)
{
    for (i = 1; i <= count; i++)
        print "_teg_command_" order[i] "()\n{\n    _arguments -s" \
            options[order[i]] " \\\n        " operands[order[i]] "\n}"
}

!($1 in seen) { seen[$1] = 1; order[++count] = $1 }
shell == "bash" { bash_row() }
shell == "zsh" { zsh_row() }

END {
    if (shell == "bash")
        bash_end()
    else
        zsh_end()
}
