#!/bin/sh
# tweed-info.sh - what tweed-info says about this machine and about made-up
# ones, and how it ends.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

info=$build/tools/tweed-info
[ -x "$info" ] || skip_all "tweed-info is not built"
forget_options

# The machine has no say in these: nothing is bound, but all is planned.
made_up=nodes:2,cpus:4

# says STATUS [VARIABLE=VALUE...] COMMAND...
says()
{
    expected=$1
    shift
    seen "$expected" env "$@"
}

# ---- what is read off the output ----

# "0-2,5" or "0-2 5" as numbers, one a line.
numbers()
{
    tr ' ,' '\n\n' | $AWK -F- 'NF { for (i = $1; i <= $NF; i++) print i + 0 }' |
        sort -n
}

allowed_cpus()
{
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | numbers
}

shown_cpus()
{
    sed -n 's/^  node .* CPUs\(.*\) (.*/\1/p' "$work/out" | numbers
}

workers()
{
    sed -n 's/^workers *\([0-9]*\), .*/\1/p' "$work/out"
}

# One line a worker: index node cpu begin end
plan_of_workers()
{
    sed -n '/^workers/,/^options/p' "$work/out" | tr '[,)' '   ' |
        $AWK '$1 ~ /^[0-9]+$/ { print $1, $2, $3, $4, $5 }'
}

# All workers are there, their shares follow on one another from 0 to a million
# and differ by one at most, and the workers of a node are neighbours.
plan_is_sound()
{
    plan_of_workers | $AWK -v n="$1" '
        function wrong(what) { print what ": " $0; bad = 1 }
        $1 != NR - 1 { wrong("not the next worker") }
        $4 != end + 0 { wrong("a gap or an overlap") }
        { end = $5; size = $5 - $4 }
        size < int(1000000 / n) || size > int((1000000 + n - 1) / n) {
            wrong("not a fair share")
        }
        $2 != node && ($2 in met) { wrong("back on a node") }
        { node = $2; met[$2] }
        END {
            if (NR != n) wrong("not " n " workers")
            if (end != 1000000) wrong("not the whole loop")
            exit bad
        }'
}

# ---- this machine ----

this_machine()
{
    says 0 "$info" && is_empty "$work/err" || return 1
    [ "$(shown_cpus)" = "$(allowed_cpus)" ] ||
        { echo "not the CPUs of the mask"; return 1; }
    cpus=$(allowed_cpus | wc -l)
    has_line "$work/out" "tweed $version" &&
        grep "^  usable  *$cpus CPUs* on " "$work/out" || return 1
    # as many workers as CPUs, or as the quota grants, rounded up
    expected=$($AWK -v n="$cpus" '
        $1 == "quota" {
            if ($2 != "none" && $2 < n) n = int($2) + ($2 > int($2))
        }
        END { print n + 0 }' "$work/out")
    [ "$(workers)" = "$expected" ] ||
        { echo "$expected workers expected"; return 1; }
    plan_is_sound "$expected"
}

bound_to() # CPU
{
    says 0 taskset -c "$1" "$info" && is_empty "$work/err" &&
        [ "$(shown_cpus)" = "$1" ] && [ "$(workers)" = 1 ] &&
        [ "$(plan_of_workers | cut -d ' ' -f 1,3-)" = "0 $1 0 1000000" ]
}

# A worker that is late by two seconds leaves its index to another one; so this
# is asked thrice on a machine that may be busy.
all_in_place()
{
    says 0 "$@" "$info" --verify || says 0 "$@" "$info" --verify ||
        says 0 "$@" "$info" --verify
    is_empty "$work/err" &&
        grep "runs on  *seats on" "$work/out" && ! grep '!' "$work/out"
}

# Not where it was put, says a sched_getcpu() of our own.
out_of_place()
{
    echo 'int sched_getcpu(void) { return 999999; }' > "$work/lost.c" &&
        $CC -shared -fPIC "$work/lost.c" -o "$work/lost.so" &&
        says 1 TWEED_NUM_WORKERS=2 LD_PRELOAD="$work/lost.so" "$info" \
            --verify &&
        one_line_with "$work/err" "not everything is where it should be" &&
        grep '^ *1 .* 999999!' "$work/out" &&
        ! grep '^ *0 .*!' "$work/out" # the calling thread is never bound
}

# ---- made-up machines ----

# planned TOPOLOGY WORKERS [VARIABLE=VALUE...]
planned()
{
    topology=$1
    n=$2
    shift 2
    says 0 TWEED_TOPOLOGY="$topology" "$@" "$info" && is_empty "$work/err" &&
        grep '^  nodes from  TWEED_TOPOLOGY (made up' "$work/out" &&
        grep "^workers  *$n, bound to nothing" "$work/out" && plan_is_sound "$n"
}

# The column of the nodes, or of the CPUs, of all workers in turn.
column_is() # COLUMN NUMBERS
{
    [ "$(echo $(plan_of_workers | cut -d ' ' -f "$1"))" = "$2" ] && return
    echo "column $1 is not $2"
    return 1
}

two_nodes()
{
    planned nodes:2,cpus:4 8 && column_is 2 "0 0 0 0 1 1 1 1" &&
        column_is 3 "0 1 2 3 4 5 6 7" &&
        has_line "$work/out" "  usable      8 CPUs on 2 nodes" &&
        has_line "$work/out" "  node 0    CPUs 0-3 (4 cores)" &&
        has_line "$work/out" "  node 1    CPUs 4-7 (4 cores)" &&
        has_line "$work/out" "    from 0        10   20" &&
        has_line "$work/out" "    from 1        20   10"
}

far_nodes()
{
    planned nodes:3,cpus:2,distance:31 6 && column_is 2 "0 0 1 1 2 2" &&
        has_line "$work/out" "    from 0        10   31   31" &&
        has_line "$work/out" "    from 1        31   10   31" &&
        has_line "$work/out" "    from 2        31   31   10"
}

one_cpu()
{
    planned nodes:1,cpus:1 1 &&
        has_line "$work/out" "  usable      1 CPU on 1 node" &&
        ! grep distances "$work/out"
}

cores_first()
{
    planned nodes:2,cpus:4,threads:2 4 TWEED_NUM_WORKERS=4 &&
        column_is 3 "0 2 4 6" && column_is 2 "0 0 1 1" &&
        has_line "$work/out" "  node 1    CPUs 4-7 (2 cores)"
}

more_than_cpus()
{
    planned nodes:2,cpus:2 7 TWEED_NUM_WORKERS=7 &&
        column_is 2 "0 0 0 0 1 1 1" && column_is 3 "0 0 1 1 2 2 3"
}

# ---- options ----

table()
{
    sed '1,/^options$/d' "$work/out"
}

# One value that is good for each option.
values="NUM_WORKERS=3 BIND=node SPIN_NS=12345 FENCE=exchange
    TOPOLOGY=nodes:1,cpus:3 STACK_BYTES=262144 SEED=42 STATS=1
    TRACE=/dev/null TRACE_EVENTS=4096 PROGRESS=1 DISPLAY_ENV=1"

shown_with_origin() # NAME=VALUE
{
    says 0 "TWEED_$1" "$info" || return 1
    table > "$work/table"
    grep -F '(from ' "$work/table" > "$work/given"
    only_line "$work/given" "$(printf '  %-18s = %s  (from %s)' \
        "TWEED_${1%%=*}" "${1#*=}" "TWEED_${1%%=*}")" &&
        [ "$(grep -c '  (default.*)$' "$work/table")" = \
            $((options - 1)) ]
}

every_option_has_its_turn()
{
    [ "$(for v in $values; do echo "${v%%=*}"; done)" = "$names" ]
}

all_by_default()
{
    says 0 "$info" && table > "$work/table" &&
        [ "$(sed -n 's/^  TWEED_\([A-Z_]*\) *[:=] .*  (default.*)$/\1/p' \
            "$work/table")" = "$names" ] &&
        [ "$(wc -l < "$work/table")" = "$options" ]
}

# workers_from N TEXT ORIGIN VARIABLE=VALUE...
workers_from()
{
    n=$1 text=$2 origin=$3
    shift 3
    says 0 "$@" "$info" && [ "$(workers)" = "$n" ] && has_line "$work/out" \
        "  TWEED_NUM_WORKERS  = $text  (from $origin)"
}

# A value that is not taken: it is named once, and all is as if it were not
# there, but for a line that says why.
ignored() # NAME VALUE
{
    says 0 TWEED_TOPOLOGY=$made_up "$info" || return 1
    case $1 in
    TWEED_TOPOLOGY) says 0 "$info" || return 1 ;;
    esac
    cp "$work/out" "$work/without"
    says 0 TWEED_TOPOLOGY=$made_up "$1=$2" "$info" || return 1
    one_line_with "$work/err" "$1='$2' ignored: expected " &&
        one_line_with "$work/err" "tweed: $(grep "^  *$1='" "$work/out" |
            sed 's/^  *//')" &&
        grep -v "^  *$1='" "$work/out" |
        cmp "$work/without" -
}

# The option of a value that is not taken, and what is said of it in the table.
reason() # NAME VALUE WORDS
{
    says 0 "$1=$2" "$info" &&
        table | sed -n "/^  $1 /{n;p;}" > "$work/line" &&
        one_line_with "$work/line" "  $1='$2' ignored: expected " &&
        one_line_with "$work/line" "$3" &&
        grep -F -e "$3" "$work/err"
}

all_ignored() # NAME VALUE...
{
    name=$1
    shift
    for value; do
        ignored "$name" "$value" > "$work/one" && continue
        cat "$work/one"
        return 1
    done
}

# More characters than an option has room for.
long=$(printf '%0150d' 1)

bad_ones_together()
{
    says 0 TWEED_BIND=x TWEED_FENCE=y TWEED_TOPOLOGY=z OMP_NUM_THREADS=0 \
        "$info" || return 1
    for name in TWEED_BIND=\'x TWEED_FENCE=\'y TWEED_TOPOLOGY=\'z \
        OMP_NUM_THREADS=\'0; do
        [ "$(grep -c "^tweed: $name' ignored" "$work/err")" = 1 ] || return 1
    done
    [ "$(wc -l < "$work/err")" = 4 ]
}

# Both variables that one option has: the table names both.
both_bad()
{
    says 0 TWEED_NUM_WORKERS=no OMP_NUM_THREADS=0 "$info" &&
        table | sed -n "/^  TWEED_NUM_WORKERS /{n;p;}" > "$work/line" &&
        one_line_with "$work/line" "  TWEED_NUM_WORKERS='no' ignored: expected " &&
        one_line_with "$work/line" "; OMP_NUM_THREADS='0' ignored: expected "
}

# Numbers and words that the pool has, in place of "auto" and of words about the default.
numbers_by_default()
{
    says 0 TWEED_TOPOLOGY=nodes:2,cpus:2 TWEED_TRACE_EVENTS=1000 "$info" &&
        table > "$work/table" &&
        grep '^  TWEED_NUM_WORKERS  = 4  (default: ' "$work/table" &&
        has_line "$work/table" "  TWEED_BIND         = none  (default: auto)" &&
        has_line "$work/table" "  TWEED_SPIN_NS      = 20000  (default)" &&
        has_line "$work/table" "  TWEED_TRACE_EVENTS = 1024  (TWEED_TRACE_EVENTS=1000)" &&
        grep '^  TWEED_STACK_BYTES  = [0-9]*  (default: ' "$work/table" &&
        grep '^  TWEED_FENCE        = [a-z]*  (default: auto)' "$work/table" &&
        says 0 "$info" && table > "$work/table" &&
        grep '^  TWEED_TOPOLOGY     = [0-9]* CPUs* on [0-9]* nodes*  (default: ' \
            "$work/table"
}

# The names that are no options, in the table, and each once on stderr; and what is silent.
unknown_variables()
(
    says 0 TWEED_NUM_WORKER=3 TWEED_SPINS=1 TWEED_X=y TWEED_BIND=none TWEED_ROOT=/opt \
        TWEED_TEST_X=1 XTWEED_BIND=none TWEED=1 TWEED_="$long" "TWEED_$long=1" "$info" ||
        return 1
    { printf 'tweed: no option is named %s: did you mean %s\n' \
        TWEED_NUM_WORKER TWEED_NUM_WORKERS TWEED_SPINS TWEED_SPIN_NS
        printf 'tweed: no option is named %s: see tweed(7)\n' TWEED_ "TWEED_$long" TWEED_X
    } | sort > "$work/expected"
    sort "$work/err" | diff "$work/expected" - || return 1
    sed -n '/^unknown variables$/,/^options$/p' "$work/out" |
        sort > "$work/unknown"
    { printf '  %s   did you mean %s?\n' TWEED_NUM_WORKER TWEED_NUM_WORKERS \
        TWEED_SPINS TWEED_SPIN_NS
        printf '  %s\n' TWEED_ "TWEED_$long" TWEED_X
        printf '%s\n' 'unknown variables' options
    } | sort | diff - "$work/unknown"
)

no_unknown_variables()
{
    says 0 TWEED_BIND=none "$info" && ! grep unknown "$work/out"
}

# What DISPLAY_ENV puts on stderr is the table of tweed-info.
displayed()
{
    says 0 TWEED_DISPLAY_ENV=1 TWEED_SPIN_NS=77 "$info" &&
        table > "$work/table" && [ "$(wc -l < "$work/table")" = "$options" ] &&
        grep '^  TWEED_' "$work/err" | cmp - "$work/table"
}

# ---- where workers may run, and the fence ----

bound_as() # WORDS VARIABLE=VALUE...
{
    words_expected=$1
    shift
    says 0 "$@" "$info" &&
        grep "^workers  *[0-9]*, bound to $words_expected\$" "$work/out"
}

fence_is() # LINE VARIABLE=VALUE... COMMAND...
{
    line=$1
    shift
    says 0 "$@" && has_line "$work/out" "fence mode    $line"
}

has_it="membarrier: the kernel has it, thieves pay"

# Either is right, whatever the kernel; but with a reason, and the same one for
# auto and membarrier.
fence_of_this_kernel()
{
    says 0 "$info" && fence=$(sed -n 's/^fence mode    //p' "$work/out") &&
        case $fence in
        "$has_it") ;;
        "exchange: membarrier(2) says: "?*) ;;
        *) return 1 ;;
        esac
    fence_is "$fence" TWEED_FENCE=membarrier "$info" &&
        fence_is "$fence" TWEED_FENCE=auto "$info"
}

# Runs a program for which membarrier() answers EPERM.
refuser()
{
    cat > "$work/refuse.c" <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { 4, filter };

    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    execv(argv[1], argv + 1);
    return 77;
}
C
    $CC "$work/refuse.c" -o "$work/refuse" && "$work/refuse" /bin/true
}

# ---- how it ends ----

unknown() # ARGUMENT, and others before it
{
    says 2 "$info" "$@" && is_empty "$work/out" || return 1
    for last; do :; done
    has_line "$work/err" "tweed-info: unknown argument '$last'" &&
        grep '^usage: ' "$work/err"
}

helpful()
{
    says 0 "$info" --help && is_empty "$work/err" &&
        grep '^usage: tweed-info' "$work/out" &&
        grep '^  --verify ' "$work/out" && grep '^  --version ' "$work/out"
}

not_written() # ARGUMENT...
{
    "$info" "$@" 2> "$work/err" > /dev/full
    status=$?
    cat "$work/err"
    [ $status -eq 1 ] &&
        one_line_with "$work/err" "tweed-info: cannot write: No space left"
}

nowhere_to_write()
{
    "$info" "$@" 2> "$work/err" >&-
    status=$?
    cat "$work/err"
    [ $status -eq 1 ] &&
        one_line_with "$work/err" "tweed-info: cannot write: "
}

version=$(sed -n 's/^#define TWEED_VERSION "\(.*\)"/\1/p' \
    "$source/include/tweed.h")
names=$(sed -n 's/^TWEED_OPTION(\([A-Z_]*\),.*/\1/p' "$source/lib/base/options.def")
options=$(echo "$names" | wc -l)
number_of_values=$(echo $values | wc -w)

plan $((63 + number_of_values))

if [ -r /proc/self/status ]; then
    expect "this machine: the CPUs of the mask, and workers for them" \
        this_machine
else
    skip 1 "no /proc"
fi
first=$(allowed_cpus | head -n 1)
last=$(allowed_cpus | tail -n 1)
if taskset -c "$first" true 2> /dev/null; then
    expect "bound to CPU $first: one worker, there" bound_to "$first"
    expect "bound to CPU $last: one worker, there" bound_to "$last"
    expect "--verify: all in place on one CPU" \
        all_in_place taskset -c "$first"
else
    skip 3 "no taskset"
fi
expect "--verify: all in place" all_in_place
expect "--verify: all in place on their node" all_in_place TWEED_BIND=node
expect "--verify: all in place anywhere" all_in_place TWEED_BIND=none
expect "--verify: all in place on a made-up machine" \
    all_in_place TWEED_TOPOLOGY=nodes:2,cpus:2
if [ -n "$SANITIZER_FLAGS" ]; then
    skip 1 "a sanitizer wants to be loaded first"
else
    expect "--verify: status 1 if not, marked and said" out_of_place
fi

expect "two nodes: CPUs, distances, shares" two_nodes
expect "three nodes at a distance" far_nodes
expect "one CPU" one_cpu
expect "hardware threads: a worker a core first" cores_first
expect "all hardware threads" planned nodes:2,cpus:6,threads:3 12
expect "fewer workers than CPUs" \
    planned nodes:4,cpus:4 5 TWEED_NUM_WORKERS=5
expect "more workers than CPUs" more_than_cpus
expect "shares that a million is not divisible by" planned nodes:7,cpus:3 21

expect "no option is given: all are shown as defaults" all_by_default
expect "... as numbers" numbers_by_default
expect "the values below are for all options" every_option_has_its_turn
for value in $values; do
    expect "$value is shown, and that it is from the environment" \
        shown_with_origin "$value"
done
expect "OMP_NUM_THREADS counts" \
    workers_from 3 3 OMP_NUM_THREADS OMP_NUM_THREADS=3
expect "the first number of it" \
    workers_from 2 2 OMP_NUM_THREADS OMP_NUM_THREADS=2,5
expect "TWEED_NUM_WORKERS counts more" workers_from 3 3 TWEED_NUM_WORKERS \
    OMP_NUM_THREADS=2 TWEED_NUM_WORKERS=3
expect "unless it is bad" workers_from 2 2 OMP_NUM_THREADS \
    OMP_NUM_THREADS=2 TWEED_NUM_WORKERS=0
expect "bad numbers of workers" all_ignored TWEED_NUM_WORKERS \
    0 -1 4095 2x 0x2 1.5 many '' ' 2' +2 18446744073709551618
expect "bad OMP_NUM_THREADS" all_ignored OMP_NUM_THREADS \
    0 -1 4095 2x ,2 x,2 ''
expect "bad bindings" all_ignored TWEED_BIND CPU core 'cpu|node' ''
expect "bad spinning times" all_ignored TWEED_SPIN_NS -1 1000000001 20us ''
expect "bad seeds" all_ignored TWEED_SEED -1 9223372036854775808 0x7 ''
expect "bad fences" all_ignored TWEED_FENCE yes auto,exchange ''
expect "bad sizes of stacks" all_ignored TWEED_STACK_BYTES \
    16383 1073741825 65536k ''
expect "bad switches" all_ignored TWEED_STATS 2 yes ''
expect "bad switches of another option" all_ignored TWEED_DISPLAY_ENV 2 on ''
expect "... and of one more" all_ignored TWEED_PROGRESS 2 true ''
expect "bad topologies" all_ignored TWEED_TOPOLOGY nodes:2,cores:4 nodes:2 \
    cpus:4 nodes:2,cpus:4, nodes:2,,cpus:4 'nodes:2 cpus:4' nodes:2,cpus:4x \
    nodes:0,cpus:4 nodes:2,cpus:-1 nodes:2,nodes:2,cpus:4 nodes:1024,cpus:4096 \
    nodes:2,cpus:4,threads:3 nodes:2,cpus:4,distance:9 \
    nodes:2,cpus:4,distance:256 "$long" ''
expect "what is wrong with a topology: a part" reason TWEED_TOPOLOGY nodes:2 \
    ', but cpus: is missing'
expect "what is wrong with a topology: a limit" reason TWEED_TOPOLOGY \
    nodes:2,cpus:4,distance:9 ', but distance: takes 10 to 255'
expect "what is wrong with another option" reason TWEED_BIND all 'node|cpu|none'
expect "several bad ones: each is named once" bad_ones_together
expect "both numbers of workers are bad" both_bad
expect "variables that nobody reads, and what was meant" unknown_variables
expect "none: no word of that" no_unknown_variables
expect "TWEED_DISPLAY_ENV shows the same table" displayed

expect "bound to nodes by default" bound_as "the CPUs of their node" \
    TWEED_NUM_WORKERS=1
expect "bound to a CPU each" bound_as "a CPU each" TWEED_NUM_WORKERS=1 \
    TWEED_BIND=cpu
expect "bound to nodes if asked to" bound_as "the CPUs of their node" TWEED_BIND=node
expect "bound to nodes if they are more than CPUs" \
    bound_as "the CPUs of their node" \
    TWEED_NUM_WORKERS=$(($(allowed_cpus | wc -l) + 1))
expect "bound to nothing" bound_as nothing TWEED_BIND=none

expect "the fence of this kernel, and why" fence_of_this_kernel
expect "the fence that was asked for" \
    fence_is "exchange: asked for" TWEED_FENCE=exchange "$info"
case $SANITIZER_FLAGS in
*thread*) skip 1 "membarrier is not used under ThreadSanitizer" ;;
*)
    if refuser > "$work/output" 2>&1; then
        expect "the fence where membarrier is not permitted" fence_is \
            "exchange: membarrier(2) says: Operation not permitted" \
            "$work/refuse" "$info"
    else
        skip 1 "no seccomp here"
    fi ;;
esac

expect "--version" says 0 "$info" --version
expect "says the version and nothing else" \
    only_line "$work/out" "tweed-info $version"
expect "--help" helpful
expect "an unknown option" unknown --what
expect "an unknown argument" unknown what
expect "an unknown argument after a good one" unknown --verify ""
if [ -c /dev/full ]; then
    expect "a full disk" not_written
    expect "a full disk, --verify" not_written --verify
    expect "a full disk, --help" not_written --help
    expect "a full disk, --version" not_written --version
else
    skip 4 "no /dev/full"
fi
expect "no stdout" nowhere_to_write
expect "no stdout, --version" nowhere_to_write --version
finish
