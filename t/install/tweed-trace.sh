#!/bin/sh
# tweed-trace.sh - traces are JSON, and tweed-trace makes pictures of them, and of
# nothing else.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

trace=$build/tools/tweed-trace
[ -x "$trace" ] || skip_all "tweed-trace is not built: no jansson"
forget_options
cd "$work" || exit 99

cat > program.c <<'C'
#include <tweed.h>

static _Thread_local volatile int sink;

static void body(int64_t i, void *arg)
{
    (void)arg;
    for (int64_t k = 0; k < i * 50; k++)
        sink = (int)k;
}

/* Loops with names that a reader of JSON or XML may stumble over, on two pools. */
int main(void)
{
    static const char *const names[] = { "plain", "a<b> & \"c\" \\ \t\001",
                                         "\303\251\377", "plain", 0 };
    tweed_pool_options p = TWEED_POOL_OPTIONS_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_pool *pool;

    p.num_workers = 5;
    p.name = "<&five>";
    if (tweed_pool_create(&pool, &p) != TWEED_OK)
        return 1;
    for (int k = 0; k < 5; k++) {
        o.name = names[k];
        if (tweed_parallel_for_with(k % 2 ? pool : NULL, &o, 0, 500, body, NULL))
            return 1;
    }
    return tweed_pool_destroy(pool);
}
C
$CC -std=gnu11 $SANITIZER_FLAGS -I"$source/include" program.c -o program \
    $(link_with_any) -pthread > log 2>&1 ||
    skip_all "cannot build a program: $(cat log)"

with_python()
{
    python3 -c "$@"
}
have_python=no
with_python 'import json, xml.dom.minidom' 2> /dev/null && have_python=yes

is_json()
{
    with_python 'import json, sys
t = json.load(open(sys.argv[1], encoding="utf-8"))
events = t["traceEvents"]
lanes = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M"}
assert all((e["pid"], e["tid"]) in lanes for e in events)
assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in events if e["ph"] == "X")
loops = [e for e in events if e.get("cat") == "loop"]
ran = [sum(e["args"]["n"] for e in events if e.get("cat") == "run"
           and e["args"]["loop"] == l["args"]["loop"]) for l in loops]
assert len(loops) == 5 and ran == [500] * 5, ran
assert {l["args"]["pool"] for l in loops} == {"tweed", "<&five>"}
assert "a<b> & \"c\" \\ \t\001" in {l["name"] for l in loops}
' "$1"
}

is_xml()
{
    with_python 'import sys, xml.dom.minidom
d = xml.dom.minidom.parse(sys.argv[1])
assert d.documentElement.tagName == "svg"' "$1"
}

# where PYTHON or else skipped
checked()
{
    words=$1
    shift
    if [ $have_python = yes ]; then
        expect "$words" "$@"
    else
        skip 1 "no python3 to check it"
    fi
}

draws() # FILE ARGUMENT...: the picture is there
{
    output=$1
    shift
    rm -f "$output"
    seen 0 "$trace" -o "$output" "$@" && is_empty "$work/out" &&
        is_empty "$work/err" && grep '^<svg ' "$output" && grep '^</svg>$' "$output"
}

says() # STATUS TEXT ARGUMENT...: one line with the text
{
    status_=$1 text=$2
    shift 2
    seen "$status_" "$trace" "$@" && is_empty "$work/out" &&
        one_line_with "$work/err" "$text"
}

# A mistake: one line, and how it is used.
mistake() # TEXT ARGUMENT...
{
    text=$1
    shift
    seen 2 "$trace" "$@" && is_empty "$work/out" && grep -F -e "$text" "$work/err" &&
        grep '^usage: tweed-trace ' "$work/err"
}

lanes_are() # FILE N
{
    n=$(grep -c 'class="idle"/>' "$1")
    echo "$n lanes and a key"
    [ "$n" = $(($2 + 1)) ]
}

loops_are() # FILE N: drawn above the lanes
{
    n=$(grep -c 'opacity=".85"' "$1")
    echo "$n loops"
    [ "$n" = "$2" ]
}

grouped()
{
    $AWK '/class="group"/ { sub(/<\/.*/, ""); sub(/.*>/, ""); printf "%s;", $0 }' \
        all.svg > groups
    [ "$(cat groups)" = 'callers;pool &lt;&amp;five&gt;, node 0;pool &lt;&amp;five&gt;, node 1;pool tweed, node 0;pool tweed, node 1;' ] && return
    cat groups
    return 1
}

to_stdout()
{
    seen 0 "$trace" - < trace.json && sed 's/>-</>trace.json</' "$work/out" > piped.svg &&
        cmp piped.svg all.svg
}

# Between lines, within one, within the one that says who has written it, at the end.
cut_short()
{
    head -n 40 trace.json > cut.json
    says 1 "cut.json: its end is missing" cut.json || return
    bytes=$(wc -c < trace.json)
    for n in 100 5000 $((bytes - 2)); do
        head -c "$n" trace.json > cut.json
        says 1 "cut.json: its end is missing" cut.json || return
    done
}

not_over_the_trace()
{
    cp trace.json mine.json && ln -s mine.json link.json || return
    mistake "would overwrite the trace" -o mine.json mine.json &&
        mistake "would overwrite the trace" -o mine.json ./link.json &&
        cmp trace.json mine.json
}

# ISO 8859-1, and characters that XML has none of
odd_titles()
{
    latin=$(printf 'caf\351') &&
        draws odd.svg --title="$latin" trace.json && has odd.svg '>caf?<' &&
        draws odd.svg --title="$(printf 'caf\303\251\357\277\277\357\277\275')" \
            trace.json &&
        has odd.svg "$(printf '>caf\303\251?\357\277\275<')"
}

spoiled()
{
    sed '20s/.*/{"name":/' trace.json > spoiled.json
    says 1 "spoiled.json: a line is no JSON object" spoiled.json
}

later()
{
    sed '2s/"format":1,/"format":2,/' trace.json > later.json
    says 1 "later.json: it is of a later version" later.json
}

somebody_elses()
{
    echo '{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]}' \
        > other.json
    says 1 "other.json: it is no trace of tweed's" other.json
}

full_disk()
{
    [ -e /dev/full ] || return 0
    says 1 "tweed-trace: cannot write /dev/full: No space left" -o /dev/full trace.json
}

# Two callers, whose loops overlap: 150 us, then 200 us of nothing, then 50 us.
two_callers()
{
    span='"ph":"X","pid":1'
    cat > two.json << JSON
{"displayTimeUnit":"ns","traceEvents":[
{"name":"tweed_trace","ph":"M","pid":1,"tid":0,"args":{"format":1,"version":"0"}},
{"name":"process_name","ph":"M","pid":1,"tid":1,"args":{"name":"callers"}},
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"caller 0","caller":0}},
{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"caller 1","caller":1}},
{"name":"first","cat":"loop",$span,"tid":1,"ts":0.000,"dur":100.000,"args":{"loop":1}},
{"name":"first","cat":"run",$span,"tid":1,"ts":0.000,"dur":100.000,"args":{"loop":1}},
{"name":"third","cat":"loop",$span,"tid":1,"ts":350.000,"dur":50.000,"args":{"loop":3}},
{"name":"third","cat":"run",$span,"tid":1,"ts":350.000,"dur":50.000,"args":{"loop":3}},
{"name":"second","cat":"loop",$span,"tid":2,"ts":50.000,"dur":100.000,"args":{"loop":2}},
{"name":"second","cat":"run",$span,"tid":2,"ts":50.000,"dur":100.000,"args":{"loop":2}},
{"name":"within","cat":"loop",$span,"tid":2,"ts":360.000,"dur":10.000,"args":{"loop":4}}
],"otherData":{"tweed":"0","ns":400000,"events":11,"dropped":0}}
JSON
    draws two.svg two.json
}

# begins CALL MS TO: the window of that call
begins()
{
    draws call.svg --call="$1" two.json && has call.svg "$2 us"
}

calls_from_the_end()
{
    begins -1 '>10.0' && begins -2 '>50.0' && begins -3 '>100' && begins -4 '>100' &&
        says 1 "there is no such loop" --call=-5 two.json
}

plan 45
expect "a program is traced" env TWEED_TRACE=trace.json \
    TWEED_TOPOLOGY=nodes:2,cpus:3 TWEED_NUM_WORKERS=6 ./program
checked "the trace is JSON, and each loop is in it" is_json trace.json
expect "it is drawn" draws all.svg trace.json
checked "the picture is XML" is_xml all.svg
expect "with a lane for each thread" lanes_are all.svg $((1 + 4 + 5))
expect "by pool and node" grouped
expect "with the names of workers" has all.svg 'worker 5<' 'worker 1<' 'caller 0<'
expect "and of loops, escaped" \
    has all.svg 'plain<' 'a&lt;b&gt; &amp; &quot;c&quot; \ ??<' '(no name)<'
expect "each of which is above" loops_are all.svg 5
expect "a line of figures" has all.svg '10 threads' 'busy ' 'ideal ' 'imbalance ' \
    'steals '
expect "dark colours, too" has all.svg '@media (prefers-color-scheme: dark)'
expect "a title" has all.svg '>trace.json<'
expect "and another one" draws titled.svg --title='<one>' trace.json
expect "which is there" has titled.svg 'class="title">&lt;one&gt;<'
expect "and one that is no text" odd_titles
expect "from stdin to stdout" to_stdout
expect "one call" draws one.svg --call=-1 trace.json
expect "is one loop" loops_are one.svg 1
expect "the last one" has one.svg '(no name)<'
expect "a loop by name" draws plain.svg --loop=plain trace.json
expect "from its first call to its last" loops_are plain.svg 4
expect "a call of it" draws second.svg --loop plain --call 2 trace.json
expect "is one loop" loops_are second.svg 1
expect "two callers at once" two_callers
# fails if looping() adds up what overlaps
expect "are in loops for as long as one of them is" has two.svg '200 us of it in loops' \
    'busy 62.5 %'
# fails if timeline_window() does not count negative calls from the end
expect "calls from the end" calls_from_the_end
expect "a time" draws time.svg --from=0 --to=1e6 trace.json
expect "begins there" has time.svg '"faint middle">0<'
expect "no such name" says 1 "there is no such loop" --loop=fancy trace.json
expect "no such call" says 1 "there is no such loop" --call=6 trace.json
expect "a time in which nothing was" says 1 "there is nothing in that time" \
    --from=1e9 trace.json
expect "a file that is not there" says 1 "none.json: No such file" none.json
expect "somebody else's trace" somebody_elses
expect "a trace that is cut" cut_short
expect "a trace with a line that is none" spoiled
expect "a trace of a later version" later
expect "a disk that is full" full_disk
expect "no trace" mistake "which trace?"
expect "two of them" mistake "one trace at a time" trace.json trace.json
expect "a picture in the place of the trace" not_over_the_trace
expect "an unknown option" mistake "unrecognized option" --fancy trace.json
bad_numbers()
{
    mistake "'x' is no number" --from=x trace.json &&
        mistake "'-1' is no number" --to=-1 trace.json &&
        mistake "'0' is the number of no call" --call=0 trace.json &&
        mistake "--from is not before --to" --from=2 --to=2 trace.json
}
expect "numbers that are none" bad_numbers

# Submitted tasks alone: all of them are in the picture, and when they were submitted.
cat > submits.c <<'C'
#include <tweed.h>
#include <unistd.h>

static int naps(void *arg)
{
    (void)arg;
    usleep(2000);
    return 0;
}

int main(void)
{
    void *args[7] = { 0 };

    if (tweed_pool_submit(NULL, naps, NULL) || tweed_pool_submit_batch(NULL, naps, args, 7))
        return 1;
    return tweed_pool_drain(NULL);
}
C
submitted()
{
    $CC -std=gnu11 $SANITIZER_FLAGS -I"$source/include" submits.c -o submits \
        $(link_with_any) -pthread && env TWEED_TRACE=submits.json ./submits
}
triangles() # FILE N: with that of the legend
{
    n=$(grep -c '<path class="dot" d="M[0-9. ]*l-3.5 -5h7z"/>' "$1")
    echo "$n triangles"
    [ "$n" = "$2" ]
}
expect "a program that submits is traced" submitted
expect "its tasks are drawn" draws submits.svg submits.json
submissions_are_there()
{
    has submits.svg 'submitted 8 tasks' '>submitted task<' '>submits tasks<' &&
        triangles submits.svg 3 && ! grep 'busy 0.0 %' submits.svg
}
expect "and when they were submitted" submissions_are_there
finish
