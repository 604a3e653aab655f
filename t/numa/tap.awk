# tap.awk - the TAP of many programs that ran in one machine, as part of one.
#
# SPDX-License-Identifier: MIT
#
# Before the output of each program stands "=== WORDS", and behind it "=== status N".
# Numbers go on from `number`; the last line is "total NUMBER FAILED".

function test(good, words)
{
    print (good ? "ok " : "not ok ") ++number " - " words
    failed += !good
}

# A program is over: has it done what it said?
function end(status)
{
    if (!skipped && (!planned || ran != planned || (status != 0) != (bad > 0)))
        test(0, name ": planned " planned + 0 " tests, ran " ran + 0 ", status " status)
    name = ""
}

/^=== status / && name { end($3); next }
/^=== / { name = machine ", " substr($0, 5); planned = ran = bad = skipped = 0; next }
/^1\.\.0 # SKIP/ {
    skipped = 1
    sub(/^1\.\.0 /, "")
    print "ok " ++number " - " name " " $0
    next
}
/^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0; next }
/^(not )?ok [0-9]+ / {
    ran++
    good = !sub(/^not /, "")
    bad += !good
    sub(/^ok [0-9]+ (- )?/, "")
    test(good, name ": " $0)
    next
}
/^#/ { print; next }
{ print "# " $0 }

END {
    if (name)
        end("unknown")
    print "total", number, failed + 0
}
