# stats.awk - puts the counters of include/tweed.h into a man page.
# SPDX-License-Identifier: MIT
#
# usage: awk -v fields=TWEED_STATS_FIELDS -f stats.awk tweed.h page.in > page
#
# The line @STATS@ is replaced by one .TP paragraph for each
# X(name, "title", "meaning") of that macro, or X(name, "meaning").

FNR == NR {
    if (index($0, "#define " fields "("))
        inside = 1
    else if (inside && match($0, /X\([a-z_]+/)) {
        name[++n] = substr($0, RSTART + 2, RLENGTH - 2)
        split($0, part, "\"")
        meaning[n] = 4 in part ? part[4] : part[2]
    }
    if (inside && !/\\$/)
        inside = 0
    next
}
$0 == "@STATS@" {
    for (i = 1; i <= n; i++)
        printf ".TP\n.B %s\n%s\n", name[i], meaning[i]
    if (!n) {
        print "stats.awk: no counters found" > "/dev/stderr"
        exit 1
    }
    next
}
{ print }
