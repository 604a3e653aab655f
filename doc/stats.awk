# stats.awk - puts the counters of headers into a man page.
# SPDX-License-Identifier: MIT
#
# usage: awk -f stats.awk tweed.h ... page.in > page
#
# A line @NAME@ is replaced by one .TP paragraph for each X(name, "title", "meaning"), or
# X(name, "meaning"), in the macro NAME of the header.

FILENAME ~ /\.h$/ {
    if (match($0, /^#define [A-Z_]+\(X\)/))
        fields = substr($0, 9, RLENGTH - 11)
    else if (fields && match($0, /X\([a-z_]+/)) {
        i = ++n[fields]
        name[fields, i] = substr($0, RSTART + 2, RLENGTH - 2)
        split($0, part, "\"")
        meaning[fields, i] = 4 in part ? part[4] : part[2]
    }
    if (!/\\$/)
        fields = ""
    next
}
/^@.*@$/ {
    fields = substr($0, 2, length($0) - 2)
    for (i = 1; i <= n[fields]; i++)
        printf ".TP\n.B %s\n%s\n", name[fields, i], meaning[fields, i]
    if (!n[fields]) {
        print "stats.awk: no counters found in " fields > "/dev/stderr"
        exit 1
    }
    next
}
{ print }
