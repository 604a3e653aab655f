#!/bin/sh
# report.sh - bench/report shows what a results file says, as a page, as tables and in a
# document, and writes nothing for a file that it cannot read.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
once_only

perl -MJSON::PP -MGetopt::Long -MFile::Temp -e 1 2> /dev/null ||
    skip_all "there is no perl with JSON::PP"
gnuplot=${GNUPLOT-gnuplot}
GNUPLOT=
export GNUPLOT
cd "$work" || exit 99

report()
{
    perl "$source/bench/report" "$@"
}

# ---- a results file ----

run() # RUNTIME WAY MEDIAN RATIO MORE
{
    printf '{"runtime":"%s","way":"%s","right":true,"samples":[%s],"median":%s,
"q1":%s,"q3":%s,"once":false,"ratio":%s,"ratio_q1":%s,"ratio_q3":%s,
"best_peer":%s,"ours":%s,"serial":%s}' "$1" "$2" "$3" "$3" "$3" "$3" "$4" "$4" "$4" \
        "$([ "$4" = 1 ] && echo true || echo false)" \
        "$(case "$1" in tweed*) echo true ;; *) echo false ;; esac)" \
        "$(case "$1" in serial) echo true ;; *) echo false ;; esac)" | tr '\n' ' '
}

row() # NAME GROUP UNIT RUNS
{
    printf '{"type":"row","name":"%s","group":"%s","what":"a loop","flags":"-O2",' "$1" "$2"
    printf '"unit":"%s","ideal":100,"runs":[%s]}\n' "$3" "$4"
}

{
    echo '{"type":"machine","date":"2026-01-02","cpu":"Abacus <9>","cpus":2,"nodes":1,' \
        '"system":"Linux","environment":"OMP_PLACES=cores","workers":2,"rounds":3,"quick":0}'
    echo '{"type":"runtime","name":"libgomp","version":"GCC 1 & 2","ways":["static"]}'
    # the geometric mean of 1.04 and 0.26 is 0.52
    row even array ms "$(run serial loop 199 1.99),$(run tweed TWEED_LOOP 104 1.04),$(
        run libgomp static 100 1)"
    row uneven array ms "$(run tweed TWEED_LOOP 26 0.26),$(run libgomp static 100 1),$(
        echo '{"runtime":"tbb","way":"lambda","ours":false,"serial":false,"failed":"hung"}')"
    row late silence "time / ideal" "$(run tweed TWEED_LOOP 1.5 3),$(
        run libgomp static 0.5 1)"
} > good.jsonl
sed 's/"right":true/"right":false/g' good.jsonl > wrong.jsonl

# ---- the tests ----

plan 11

tables()
{
    report --text good.jsonl > good.md &&
        grep -qxF '| even | ms | 199.0 | 100.0 | libgomp static | 100.0 (1.00) | 104.0 (1.04) |' \
            good.md && grep -qxF '## silence' good.md
}
expect "tables: a row with its serial time, ideal, best peer, and tweed's ways" tables

quotient()
{
    grep -qxF '| late | time / ideal |  | 100.0 | libgomp static | 0.5 (0.50) | 1.5 (1.50) |' \
        good.md
}
expect "beside a quotient stands its third quartile" quotient

summary()
{
    grep -qxF '| tweed TWEED_LOOP | 2 | 2 | 0.520 |' good.md
}
expect "each way: how many rows, within the bar, and their mean, without quotients" summary

notices()
{
    grep -q 'Fewer than 7 rounds' good.md && grep -q 'OMP_PLACES=cores' good.md &&
        grep -q 'uneven: tbb lambda, hung' good.md
}
expect "what makes figures unreliable is said, and what failed" notices

wrong()
{
    report --text wrong.jsonl > wrong.md && grep -q 'even: tweed TWEED_LOOP, wrong answer' \
        wrong.md && ! grep -q '104' wrong.md
}
expect "the time of a wrong answer counts for nothing" wrong

page()
{
    report good.jsonl > good.html && grep -q 'Abacus &lt;9&gt;' good.html &&
        grep -q 'GCC 1 &amp; 2' good.html && grep -q 'No pictures' good.html &&
        ! grep -q '<svg' good.html &&
        [ "$(grep -cE '<td>(even|uneven|late)</td>' good.html)" = 3 ]
}
expect "a page, without pictures where there is no gnuplot" page

into()
{
    {
        printf '%s\n' before '<!-- bench ev* late: libgomp static; tweed none -->' old '<!-- end -->'
        printf '%s\n' '<!-- bench machine -->' old '<!-- end -->' '<!-- bench array -->' '<!-- end -->'
        printf '%s\n' '<!-- bench no* -->' kept '<!-- end -->' after
    } > document.md
    report --into=document.md good.jsonl 2> into.txt &&
        grep -qxF '| even | ms | 199.0 | 100.0 | libgomp static | 100.0 (1.00) | 100.0 (1.00) |  |' \
            document.md && [ "$(grep -c '^| even ' document.md)" = 2 ] &&
        [ "$(grep -c '^| uneven ' document.md)" = 1 ] && grep -q '^| late ' document.md &&
        grep -q '^Abacus' document.md && ! grep -qx old document.md &&
        [ "$(sed -n '1p;$p' document.md | tr '\n' ' ')" = 'before after ' ]
}
expect "tables of a document: named rows, and the runs that have a column" into

kept()
{
    grep -qx kept document.md && grep -q 'no such row: no' into.txt
}
expect "a table whose rows were not measured stays, and is named" kept

by_default()
{
    cp good.jsonl bench-results.jsonl && report > default.html &&
        cmp default.html good.html
}
expect "results where make bench writes them" by_default

unreadable()
{
    echo 'not JSON' > bad.jsonl
    ! report bad.jsonl > bad.html 2> bad.txt && [ ! -s bad.html ] &&
        grep -q 'bad.jsonl:1' bad.txt && ! report none.jsonl > bad.html 2> bad.txt &&
        [ ! -s bad.html ]
}
expect "nothing is written for a file that cannot be read" unreadable

pictures()
{
    GNUPLOT=$gnuplot report good.jsonl > pictures.html &&
        [ "$(grep -c '<svg' pictures.html)" = 2 ] &&
        [ "$(grep -cE '<text>.*(even|late)' pictures.html)" = 3 ]
}
if command -v "$gnuplot" > /dev/null; then
    expect "a picture for each group" pictures
else
    skip 1 "there is no gnuplot"
fi
finish
