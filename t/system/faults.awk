# faults.awk - reads t/system/faults.def: what to tell the linker, and every symbol.
#
# SPDX-License-Identifier: MIT
#
#   awk -v want=wrap     a line "--wrap=SYMBOL" for each that is stood before
#   awk -v want=symbols  all symbols of all lists
#   awk -v want=wrapped  those that are stood before
BEGIN { FS = "[(,)]" }
/^(FAULT|GIVE|FIRM)\(/ {
    n = split($1 == "FAULT" ? $3 : $2, symbols, " ")
    for (i = 1; i <= n; i++)
        if (!seen[symbols[i]]++ && (want == "symbols" || $1 != "FIRM"))
            print (want == "wrap" ? "--wrap=" : "") symbols[i]
}
