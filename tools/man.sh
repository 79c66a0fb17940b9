#!/bin/sh
# Writes the manual pages from what teg says of itself: tools/man.sh TEG DIR
#   DIR/teg.1        commands and options, from their --help
#   DIR/teg-terms.7  what every word of a report means, from `teg explain --all`
set -eu
teg=$1
mkdir -p "$2"
version=$("$teg" --version | sed 's/^teg //')

# Plain text for roff: backslashes, and lines that would begin a request.
roff='s/\\/\\e/g; s/-/\\-/g; s/^\([.'\'']\)/\\\&\1/'

# The page of a command: usage, text and examples as --help has them, options
# from the table behind it.
command_page() {
    {
        "$teg" "$1" --_options
        echo
        "$teg" "$1" --help
    } | sed "$roff" | awk -F '\t' '
        !help && /^$/ { help = 1; next }
        !help {
            head[++count] = ($2 == "\\-" ? "" : $2 ", ") $1
            if ($3 != "\\-")
                head[count] = head[count] "=" $3
            text[count] = $6
            next
        }
        /^Usage: / { sub(/^Usage: /, ""); print ".B " $0; print ".PP"; next }
        /^Options:$/ {
            for (i = 2; i <= count; i++) # behind the operands
                print ".TP\n.B " head[i] "\n" text[i]
            options = 1
            next
        }
        options && /^$/ { options = 0 }
        options { next }
        /^Examples:$/ { print ".PP"; print "Examples:"; print ".nf"
            examples = 1; next }
        /^$/ && !examples { print ".PP"; next }
        { print }
        END { if (examples) print ".fi" }'
}

{
    printf '.TH TEG 1 "" "teg %s" "User commands"\n' "$version"
    cat <<'END'
.SH NAME
teg \- estimates how many cycles a GPU kernel takes, and why, without a GPU
.SH SYNOPSIS
.B teg
.I COMMAND
[\fIOPTION\fR]... [\fIARGUMENT\fR]...
.SH DESCRIPTION
.B teg
replays a kernel's warp instruction trace through a cycle\-approximate model of
the chip, shows the load of every functional unit and what the warps waited for,
answers what would happen if a bottleneck were gone, and puts the analytical
models' estimates beside the simulated one.
.PP
.I TRACE
is a .tegt container, an NVBit trace (.traceg, .trace, .tracez, plain or
compressed, or a list of them) or a kernel sketch, recognised by content.
Results go to standard output, remarks, errors and progress to standard error.
Text is colored on a terminal only.
.SH COMMANDS
END
    "$teg" --help | sed -n '/^Commands:$/,/^$/{/^  /p;}' | while read -r name _; do
        printf '.SS %s\n' "$name"
        command_page "$name"
    done
    cat <<'END'
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
input or simulation error, or the result could not be written
.TP
.B 2
usage: unknown command, option, GPU or what\-if
.TP
.B 130
interrupted; what was simulated so far is reported and marked incomplete
.SH ENVIRONMENT
.TP
.B TEG_CONFIG_PATH
directories with GPU descriptions, separated by colons
.TP
.B NO_COLOR
if set and not empty, no colors
.TP
.B TMPDIR
where traces that do not fit in memory are spilled
.SH SEE ALSO
.BR teg\-terms (7)
END
} >"$2/teg.1"

{
    printf '.TH TEG\\-TERMS 7 "" "teg %s" "Words of teg"\n' "$version"
    printf ".ad l\n"
    cat <<'END'
.SH NAME
teg\-terms \- what the words of teg's reports mean
.SH DESCRIPTION
The same as
.BR "teg explain" :
units, stall reasons, operation classes, what\-ifs, the analytical models with
their inputs and terms, keys of a GPU description, names in JSON.
END
    "$teg" explain --all | sed "$roff" | awk '
        /^    / {
            sub(/^    /, "")
            if (lines++)
                print ".br"
            sub(/^\./, "\\\\\\&.")
            print
            next
        }
        / \(.*\)$/ {
            lines = 0
            kind = $0
            sub(/^.* \(/, "(", kind)
            name = substr($0, 1, length($0) - length(kind) - 1)
            print ".TP"
            print "\\fB" name "\\fR " kind
            next
        }
        { print ".SH " toupper($0) }'
    printf '.SH SEE ALSO\n.BR teg (1)\n'
} >"$2/teg-terms.7"
