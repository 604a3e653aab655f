#!/bin/sh
# report.sh - bench/report shows what a results file says, counts the bars that
# are met, and writes nothing for a file that it cannot read.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

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

machine='{"type":"machine","date":"2026-01-02","cpu":"Abacus <9>","cpus":2,
"nodes":1,"memory":1073741824,"system":"Linux","compiler":"cc, -O2",
"environment":"","workers":2,"rounds":7,"quick":0,"size":"full"}'
counts='"counts":{"loops":1,"steals":7654321.5,"fences":0.125,
"proposals":1234.5,"returns":0}'

line() # JSON, which may have been broken into lines
{
    printf '%s' "$*" | tr '\n' ' '
    echo
}

run() # RUNTIME SCHEDULE MEDIAN RATIO [RIGHT [MORE [SAMPLES]]]
{
    printf '{"runtime":"%s","schedule":"%s","right":%s,"samples":[%s],
"median":%s,"q1":%s,"q3":%s,"ratio":%s,"ratio_q1":%s,"ratio_q3":%s%s},' \
        "$1" "$2" "${5:-true}" "${7:-$3}" "$3" "$3" "$3" "$4" "$4" "$4" \
        "${6:+,$6}"
}

row() # KERNEL FORM GROUP UNIT X RUNS [MORE]
{
    line "{\"type\":\"row\",\"kernel\":\"$1\",\"form\":\"$2\",\"group\":\"$3\",
\"what\":\"a kernel\",\"unit\":\"$4\",\"size\":\"10 x 10\",\"x\":$5,
\"runs\":[${6%,}]${7:+,$7}}"
}

{
    line "$machine"
    line '{"type":"runtime","name":"tweed","version":"1.2.3",
"schedules":["default","exchange"]}'
    line '{"type":"runtime","name":"libgomp","version":"GCC 1 & 2",
"schedules":["static","dynamic,1"]}'
    # 1.03 is still met; geometric means: sqrt(1.03 * 0.25) against static,
    # sqrt(0.25 * 1.25) against dynamic,1, the stronger one
    row even index suite ms 0 "$(run serial default 199 1.99)$(
        run tweed default 103 1.03 true "$counts")$(
        run libgomp static 100 1)$(run libgomp dynamic,1 412 4.12)" \
        '"ideal":100,"best_peer":"libgomp static","ratio":1.03'
    row skewed inlined suite ms 0 "$(run tweed default 50 1.25)$(
        run libgomp static 200 5)$(run libgomp dynamic,1 40 1)" \
        '"best_peer":"libgomp dynamic,1","ratio":1.25'
    # an answer that is wrong: no bar is met by it
    row broken index suite ms 0 "$(run tweed default 1 0.01 false)$(
        run libgomp static 100 1)" '"best_peer":"libgomp static","ratio":0.01'
    row noop index overhead 'ns an index' 0 "$(run tweed default 2 1.25)$(
        run libgomp static 1.6 1)$(run libgomp dynamic,1 80 50)"
    row noop inlined overhead 'ns an index' 0 "$(run tweed default 1 1)$(
        run libgomp static 1 1)"
    row empty index overhead 'us a loop' 0 "$(run tweed default 0.5 0.5)$(
        run libgomp static 1 1){\"runtime\":\"pthreadpool\",
\"schedule\":\"default\",\"failed\":\"no answer within 60 s\"}"
    for x in 1 10 100; do
        row body$x index body 'ns an index' $x "$(run tweed default 3$x 1)$(
            run libgomp static 4$x 1)"
        row trips$x index trips 'us a loop' $x "$(run tweed default 5$x 1)$(
            run serial default 6$x 1)"
    done
} > good.jsonl

# The ratios by round and the quotients of the medians are on different sides of
# the bars; a run that was made once has no rounds.
{
    line "$machine"
    row a index suite ms 0 "$(run tweed default 2 1 true '' 1,2,2.7)$(
        run tbb auto 1.25 1 true '' 1.25,1,3)" \
        '"best_peer":"tbb auto","ratio":1'
    row noop index overhead 'ns an index' 0 "$(
        run tweed default 2 1 true '' 1,2,3)$(
        run libgomp static 1 1 true '' 1,1,3)$(
        run libgomp dynamic,1 90 50 true '"once":true' 90,90,90)$(
        run libomp dynamic,1 76 50 true '' 76,90,60)"
    row empty index overhead 'us a loop' 0 "$(
        run tweed default 2 1 true '' 1,2,3)$(
        run tbb auto 2 1 true '' 2,1.9,4)"
} > rounds.jsonl

# Geometric means by kernel against static: even 1, loads 0.25, far 0.5.
{
    line "$machine" | sed 's/"rounds":7/"rounds":6/;
        s/"environment":""/"environment":"OMP_WAIT_POLICY=<active>"/'
    mean_row() # KERNEL FORM TIME [RUN]
    {
        row "$1" "$2" suite ms 0 "$(run serial loop 1 1)$(
            run tweed default "$3" "$3")$(run libgomp static 1 1)$4" \
            "\"best_peer\":\"libgomp static\",\"ratio\":$3"
    }
    mean_row even index 2
    mean_row even inlined 0.5
    mean_row far index 0.5 "$(run libgomp dynamic,1 0.1 0.1)"
    mean_row up-50ns index 0.5
    mean_row down-1us index 0.25
    mean_row hot-50us index 0.125
} > means.jsonl

# ---- what is checked ----

lacks() # FILE TEXT
{
    ! grep -F -e "$2" "$1"
}

# Bars: three rows of the suite, of which one is met; the mean, met; noop's two
# forms and dynamic,1, of which one is not met; empty, met.
text()
{
    report --text good.jsonl > text || return 1
    has text '5 of 8 met' \
        '| skewed, inlined | at most 1.03 x the best peer | **1.250 !** |' \
        '| broken | at most 1.03 x the best peer | **nothing !** |' \
        '| noop | at most 1.10 x libgomp static | **1.250 !** |' \
        '| libgomp static | 0.507 | 2 | 2 of 3 |' \
        '| libgomp dynamic,1 | 0.559 | 2 | 2 of 3 |' \
        '| even | 10 x 10 | 103 ms | 103 - 103 | 100 | 1.030 | libgomp' \
        '| 1 | 7.65 M | 0.125 | 1.23 k | 0 |' '- broken: tweed' '**WRONG**' \
        '- empty: pthreadpool, no answer within 60 s' &&
        lacks text '| even | at most' && lacks text 'environment' &&
        lacks text 'Fewer than'
}

page()
{
    report good.jsonl > page.html || return 1
    has page.html '5 of 8</b>' '1 of 3</b>' '0.559</b>' 'tweed 1.2.3 against' \
        'Wrong answers' '<li>broken: tweed</li>' 'class="wrong"' \
        'Abacus &lt;9&gt;' 'GCC 1 &amp; 2' 'there was no gnuplot' \
        '>&#10003; 1.030<' '>&#10007; 1.250<' 'title="steals: 7654321.5"' \
        '</html>' &&
        lacks page.html '<svg' && lacks page.html 'http' &&
        lacks page.html '<script'
}

pictures()
{
    mkdir plots &&
        GNUPLOT=$gnuplot report --plots=plots good.jsonl > page.html || return 1
    for name in ratio body trips; do
        has plots/$name.svg '</svg>' || return 1
    done
    [ "$(grep -c '<svg' page.html)" -eq 3 ] || return 1
    has plots/ratio.svg \
        '<title>skewed, inlined: tweed 1.250 (50.0 ms)</title>' &&
        has page.html 'var(--tweed)' && lacks page.html 'onmouse' &&
        lacks page.html 'there was no gnuplot' || return 1
    # serial, whatever its schedule is called
    GNUPLOT=$gnuplot report --plots=plots means.jsonl > page.html &&
        lacks plots/ratio.svg 'serial'
}

by_default()
{
    cp good.jsonl bench-results.jsonl && report > default.html &&
        has default.html '</html>'
}

# Each row of a file alone, and each group: a page with that one's picture, or
# none.
groups()
{
    grep -v '"type":"row"' good.jsonl > head
    for group in suite overhead body trips; do
        grep "\"group\":\"$group\"" good.jsonl > group
        cat head group > some.jsonl
        GNUPLOT=$1 report --plots=some some.jsonl > page.html || return 1
        name=$group
        [ $group != suite ] || name=ratio
        expected=$name.svg
        [ $group != overhead ] || expected=
        [ "$(ls some)" = "$expected" ] || return 1
        rm -r some
        while read -r row; do
            { cat head; printf '%s\n' "$row"; } > one.jsonl
            GNUPLOT=$1 report one.jsonl > page.html 2> err &&
                is_empty err && has page.html '</html>' || return 1
        done < group
    done
}

rounds()
{
    report --text rounds.jsonl > text || return 1
    has text '6 of 6 met' \
        '| tbb auto | 0.900 | 1 | 1 of 1 |' \
        '| noop | at most 1.10 x libgomp static | 1.000 | 1.000 - 2.000 |  |' \
        '| at least 40 x tweed | 45.0 |  | measured once |' \
        '| at least 40 x tweed | 45.0 | 20.0 - 76.0 |  |' \
        '| empty | below every peer | 0.750 | 0.500 - 1.053 | tbb auto |' \
        '| 90.0 (once) |'
}

means()
{
    report --text means.jsonl > text && report means.jsonl > page.html ||
        return 1
    has text '| libgomp static | 0.500 | 3 | 6 of 6 |' \
        '| libgomp dynamic,1 | 5.000 | 1 | 1 of 6 |' '6 of 7 met' &&
        has page.html '<b>&#10003; 0.500</b>' \
            'single peer: libgomp static, 3 kernels in 6 rows' \
            '<td class="quiet">0.500</td>' || return 1
    sed '2s/"static"/"guided"/' means.jsonl > none.jsonl
    report --text none.jsonl > none.text &&
        has none.text '| **nothing !** | no peer has all rows |'
}

notices()
{
    has text '**Set in the environment, ' 'OMP\_WAIT\_POLICY=\<active>**' \
        '**Fewer than 7 rounds: not figures to rely on.**' &&
        has page.html 'OMP_WAIT_POLICY=&lt;active&gt;</strong>' \
            'Fewer than 7 rounds: not figures to rely on.</strong>'
}

# refuses WORDS ARGUMENT...: exit status 1, these words, no output.
refuses()
{
    complaint=$1
    shift
    seen 1 report "$@" && is_empty out && has err "$complaint"
}

bad() # WORDS: on the second line, which is read from the standard input
{
    { line "$machine"; cat; } > bad.jsonl
    refuses "bad.jsonl:2: $1" bad.jsonl && refuses "$1" --text bad.jsonl
}

no_machine()
{
    tail -n +2 good.jsonl > bad.jsonl
    refuses 'no machine line' bad.jsonl
}

no_rows()
{
    line "$machine" > bad.jsonl
    refuses 'no rows' bad.jsonl
}

bad_lines()
{
    echo '{"type":"row",' | bad 'not a JSON object' &&
        echo '[1]' | bad 'not a JSON object' &&
        echo '{"type":"riddle"}' | bad "unknown type 'riddle'" &&
        line "$machine" | bad 'a second machine line' &&
        row a index sweet ms 0 "$(run tweed default 1 1)" |
            bad "row a: unknown group 'sweet'" &&
        row a index suite ms 0 "" | bad 'row a: no runs' &&
        row a index suite ms 0 "$(run tweed default '"much"' 1)" |
            bad 'row a, tweed: median is not a number' &&
        row a index suite ms 0 "$(run tweed default 1 1 true '' '"much"')" |
            bad 'row a, tweed: a sample is not a number'
}

no_plots()
{
    mkdir none && refuses 'needs gnuplot' --plots=none good.jsonl &&
        rmdir none
}

plan 14
expect "tables for a document" text
expect "a page without gnuplot" page
if [ -n "$gnuplot" ] && command -v "$gnuplot" > /dev/null; then
    expect "pictures" pictures
    expect "a group or a row alone" groups "$gnuplot"
else
    skip 2 "there is no gnuplot"
fi
expect "ratios by round" rounds
expect "each kernel once in the mean" means
expect "notices" notices
expect "results where bench writes them" by_default
expect "no file" refuses 'nowhere.jsonl: ' nowhere.jsonl
expect "lines that mean nothing" bad_lines
expect "no machine" no_machine
expect "no rows" no_rows
expect "pictures without gnuplot" no_plots
expect "an option that there is not" refuses 'Usage:' --fast good.jsonl
finish
