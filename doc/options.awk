# options.awk - puts the table of lib/base/options.def into a man page.
# SPDX-License-Identifier: MIT
#
# usage: awk -v docdir=FOLDER -f options.awk options.def page.in > page
#
# The line @OPTIONS@ of the page is replaced by one .TP paragraph an option, and
# @docdir@ by the folder of the installed documents.

# The next argument of the macro in `rest`: adjacent strings joined, or a word.
function argument(    text, quoted) {
    text = ""
    quoted = 0
    while (rest != "") {
        if (match(rest, /^[ \t\n]+/)) {
            rest = substr(rest, RLENGTH + 1)
        } else if (match(rest, /^"[^"]*"/)) {
            text = text substr(rest, 2, RLENGTH - 2)
            rest = substr(rest, RLENGTH + 1)
            quoted = 1
        } else if (match(rest, /^[^,")]+/)) {
            text = text substr(rest, 1, RLENGTH)
            rest = substr(rest, RLENGTH + 1)
        } else { # a comma, or the end
            rest = substr(rest, 2)
            break
        }
    }
    return text
}

function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^\./, "\\\\\\&.", text)
    return text
}

function print_options(    n, i, parts, name, standard, values, meaning) {
    n = split(table, parts, /TWEED_OPTION\(/)
    for (i = 2; i <= n; i++) {
        rest = parts[i]
        name = argument()
        argument(); argument(); argument() # kind, least, most: in `values`
        standard = argument()
        values = argument()
        meaning = argument()
        printf ".TP\n.B TWEED_%s\n%s\n", name, roff(meaning)
        printf ".br\nValues: %s. Default: %s.\n", roff(values), roff(standard)
    }
    if (n < 2) {
        print "options.awk: no options found" > "/dev/stderr"
        exit 1
    }
}

FNR == NR { table = table $0 "\n"; next }
$0 == "@OPTIONS@" { print_options(); next }
{
    gsub(/@docdir@/, roff(docdir))
    print
}
