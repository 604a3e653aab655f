#!/bin/sh
# mutants.sh - breaks the library on purpose, and shows which check catches it.
# SPDX-License-Identifier: MIT
#
#   mutants.sh [JOBS [NAME-PATTERN]]     (CC, CPPFLAGS and CFLAGS from the environment)
#
# Two kinds: every order of an atomic access in the files of list_orders() weakened by one
# step (two where there are two ways; not that of a failed compare-and-swap alone), and
# the broken variants in the file mutants.  Each is built from a copy of the sources and
# explored by the cases `kill` of the file cases, and by the cases `slot`, `fork`, `counts` or
# `range` if it is of these files, in
# their order, until one fails.  What a case `unit` names is tested by t/unit alone.
# A weakened order that nothing catches must be argued for: by a comment at the access
# with "weaker: why", in which that order is named, or any.  Ends with a line of
# figures; fails if anything survives unargued.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
jobs=${1:-2} pattern=${2:-.} limit=120 # of CPU seconds a case
CC=${CC:-cc}
flags="-D_GNU_SOURCE -DTWEED_DEBUG=1 -DPATIENCE=1 -DPROPOSE_NS=0 -DLEAVE_NS=0 -DSOON_NS=0 -DSPINS_A_CLOCK=1 -DYIELDS=1 -U_FORTIFY_SOURCE"
engine="vm explore memory buffers views fiber"

compile() { # from the folder of a copy
    # shellcheck disable=SC2086 # flags are words
    $CC -std=gnu11 -O1 -fno-inline -w $flags ${CPPFLAGS-} -Iinclude -Ilib -I. \
        -include t/model/redirect.h "$@"
}

# Where a source stands.
path_of() {
    case $1 in
        inline.h | partials.h | task.h) echo "include/tweed/$1" ;;
        crew.c | end.c | holding.c) echo "mpi/$1" ;;
        *) (cd "$top" && echo lib/*/"$1") ;;
    esac
}

# Does the driver have that source in it?  All of inline.h is in those with a cursor.
has_source() { # DRIVER FILE
    case $2 in
        inline.h) grep -q 'lib/range/cursor.c"' "t/model/$1.c" ;;
        task.h) grep -q 'lib/range/deque.c"' "t/model/$1.c" ;;
        partials.h) grep -q 'lib/loop/reduce.c"' "t/model/$1.c" ;;
        deal.h) grep -q 'lib/loop/publish.c"' "t/model/$1.c" ;;
        crew.c | end.c | holding.c) grep -q "mpi/$2\"" "t/model/$1.c" ;;
        *) grep -q "lib/[a-z]*/$2\"" "t/model/$1.c" ;;
    esac
}

# Is a mutant of the file tried by that case?
is_case() { # SIZE DRIVER FILE
    case $1:$3 in
        "unit:$2.c" | "unit:$2.h") ;;
        unit:*) return 1 ;;
        kill:* | counts:counts.c | counts:victim.c | range:range.c | fork:fork.c | fork:join.c | \
            slot:slot.c | slot:publish.c | slot:work.c | slot:deal.h)
            ! grep -qx "unit ${3%.[ch]}" "$top/t/model/cases" && has_source "$2" "$3" ;;
        *) return 1 ;;
    esac
}

# What a test of t/unit/ is linked with.
unit_sources() {
    case $1 in
        gain) # the rest is not called
            echo lib/range/costs.c lib/pool/sleep.c -no-pie -Wl,--wrap=tweed__clock \
                -Wl,--unresolved-symbols=ignore-all ;;
        *) echo lib/*/"$1.c" ;;
    esac
}

build() { # SIZE DRIVER
    case $1 in
        unit)
            # shellcheck disable=SC2086 # flags are words
            $CC -std=gnu11 -O1 -w $flags ${CPPFLAGS-} -Iinclude -Ilib -It/support -I. \
                "t/unit/$2.c" $(unit_sources "$2") -o "$2" ;;
        *) compile "t/model/$2.c" ./*.o -o "$2" ;;
    esac
}

# What a weaker step of each name is; one line for each way.  (In inline.h and task.h the
# names are the compiler's: NAME__ATOMIC_ORDER here.)
weaker() {
    case $1 in
        cas_seq_cst | exchange_seq_cst | fetch_*_seq_cst)
            echo "${1%_seq_cst}_acq_rel" ;;
        load_seq_cst) echo load_acquire ;;
        load_acquire) echo load_relaxed ;;
        store_release | fetch_*_release) echo "${1%_release}_relaxed" ;;
        __atomic_store_n*RELEASE) echo __ATOMIC_RELAXED ;;
        __atomic_load_n*SEQ_CST) echo __ATOMIC_ACQUIRE ;;
        __atomic_exchange_n*SEQ_CST) echo __ATOMIC_ACQ_REL ;;
        *_acq_rel) printf '%s\n' "${1%_acq_rel}_acquire" "${1%_acq_rel}_release" ;;
    esac
}

# Without the accesses to what the drivers do not share: who takes a slot (there is
# one caller), and dumps; the pool, and who ends it; memory for groups.  And without
#   help_inside()'s look at active: what it misses shows if a helper may look for ever and
#     memory is weak, which has no bound here;
#   at_once()'s top: without its release a plain store would go before another thread's
#     change of the same word, and the explorer puts it behind;
#   top and word of a deque that is moved: the explorer has a thread's stores in their order;
#   a look at another's job before it is stolen: it has to find a group that was never
#     used, in a place that was used before, which takes three groups;
#   where a group, or a slot, leads that is in another use: that takes three uses, too;
#   how many tasks of a group are queued: that a sleeping sync sees what another caller
#     spawns takes two callers and a helper.
unmodelled() { # FILE
    case $1 in
        publish.c) accesses='release\(&slot->(parent|of_group)' ;;
        work.c) accesses='load_seq_cst\(&p->team->active\)' ;;
        fork.c | join.c) accesses='store_release\(&d->top, tweed_low_' ;;
        deque.c) accesses='store_release\(&d->(top, top|word)' ;;
        jobs.c) accesses='load_acquire\(&job_in|has_jobs.* as above' ;;
        queue.c) accesses=queued ;;
        state.c) accesses='chunks|used|->inside|tweed__state_at\(team, i\)->flight' ;;
        within.c) accesses='chunks|->inside|slot->(parent|of_group)' ;;
        sync.c) accesses='leaving' ;;
        group.c) accesses='closing|pool->team' ;;
        submit.c) accesses='closing|flight, &word' ;;
        *) accesses='taken|readers' ;;
    esac
    while IFS=: read -r line name; do
        sed -n "${line}p" "$top/$(path_of "$1")" | grep -qE "$accesses" || echo "$line:$name"
    done
}

# NAME@FILE@SCRIPT lines, each with what it means after a third @.
list_orders() {
    for file in range.c deque.c fence.c cursor.c sleep.c thread.c slot.c publish.c work.c cancel.c \
        counts.c fork.c join.c jobs.c session.c waking.c state.c within.c queue.c sync.c group.c submit.c wait.c; do
        grep -noE '\b(load|store|cas|exchange|fetch_[a-z]+)_(acquire|release|acq_rel|seq_cst)\(' \
            "$top/$(path_of "$file")" | tr -d '(' | unmodelled "$file" | while IFS=: read -r line name; do
            for w in $(weaker "$name"); do
                printf '%s\n' "$file:$line:$w@$file@${line}s/$name(/$w(/@$name -> $w"
            done
        done
    done
    list_inline_orders inline.h 'load|exchange' SEQ_CST
    list_inline_orders task.h store RELEASE
}

list_inline_orders() { # FILE ACCESSES ORDER
    grep -nE "__atomic_($2)_n.*$3" "$top/include/tweed/$1" |
        sed -E 's/^([0-9]+):.*(__atomic_[a-z]+_n).*/\1 \2/' |
        while read -r line name; do
            w=$(weaker "${name}__ATOMIC_$3")
            printf '%s\n' "$1:$line:$w@$1@${line}s/__ATOMIC_$3/$w/@$name: $w"
        done
}

list_variants() {
    grep -v -e '^#' -e '^$' "$top/t/model/mutants" | while read -r head && read -r file &&
        IFS= read -r script; do
        printf '%s\n' "${head%%:*}@$file@${script#    }@${head#*: }"
    done
}

# Why a weaker order would do, from the comment above the access or beside it.
argument() { # FILE LINE
    sed -n "$(($2 > 9 ? $2 - 9 : 1)),$2p" "$top/$(path_of "$1")" | awk '
        { line = $0; sub(/^ */, "", line) }
        /weaker:( |$)/ { sub(/.*weaker: */, "", line); text = ""; open = 1 }
        open { ended = sub(/ *\*\/.*/, "", line); text = text (text ? " " : "") line }
        open && ended { open = 0; last = NR }
        END { if (text && NR - last <= 3) print text }'
}

one() { # a line of the lists
    name=${1%%@*} rest=${1#*@}
    file=${rest%%@*} rest=${rest#*@}
    meaning=${rest##*@} script=${rest%@*}
    dir=$(mktemp -d "$scratch/one.XXXXXX") || exit 1
    cp -R "$scratch/tree/." "$dir" && cd "$dir" || exit 1
    path=$(path_of "$file")
    sed "$script" "$top/$path" >"$path"
    if cmp -s "$path" "$top/$path"; then
        printf 'STALE     %s: the script changes nothing\n' "$name"
        return
    fi
    while read -r size driver arguments; do
        is_case "$size" "$driver" "$file" || continue
        if [ ! -x "$driver" ] && ! build "$size" "$driver" 2>errors; then
            printf 'STALE     %s: does not compile: %s\n' "$name" \
                "$(grep -m 1 error errors)"
            return
        fi
        # shellcheck disable=SC2086 # arguments are words
        (ulimit -S -t $limit && exec "./$driver" $arguments) >output 2>&1
        status=$?
        if [ "$name" = sound ] && [ $status != 0 ]; then
            printf 'SURVIVED  sound: fails %s %s, with status %d\n' "$driver" \
                "$arguments" $status
            return
        fi
        failed=$(sed -nE 's/^(# FAILED:|not ok [0-9]+ -) //p' output | head -n 1)
        if [ $status = 1 ] && [ -n "$failed" ]; then
            printf 'caught    %-26s %s\n          by %s%s: %s\n' "$name" \
                "$meaning" "$driver" "${arguments:+ $arguments}" "$failed"
            return
        fi
        case $status in # 2: too large a state for the model's limits; 152: SIGXCPU
            0 | 2 | 152) ;;
            *)
                printf 'STALE     %s: %s %s ends with status %d\n' "$name" \
                    "$driver" "$arguments" $status
                return ;;
        esac
    done <"$top/t/model/cases"
    why=
    case $name in
        sound) printf 'passes    sound: the library as it is, cases of %s\n' "$file" && return ;;
        *.[ch]:*) line=${name#*:} && why=$(argument "$file" "${line%%:*}") ;;
    esac
    case $why in
        *"any order"* | *"${name##*_} "*) ;;
        *) why= ;;
    esac
    if [ -n "$why" ]; then
        printf 'argued    %-26s %s\n          %s\n' "$name" "$meaning" "$why"
    else
        printf 'SURVIVED  %-26s %s\n' "$name" "$meaning"
    fi
}

if [ "${3-}" ]; then # one of many
    scratch=${MUTANTS_SCRATCH:?}
    one "$3"
    exit 0
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/tweed-mutants.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$scratch/tree/t" &&
    cp -R "$top/lib" "$top/mpi" "$top/include" "$scratch/tree" &&
    cp -R "$top/t/model" "$top/t/unit" "$top/t/support" "$scratch/tree/t" &&
    : >"$scratch/tree/config.h" &&
    cd "$scratch/tree" || exit 1
for part in $engine; do
    compile -c "t/model/$part.c" -o "$part.o" || exit 1
done
{
    for file in range.c deque.c fork.c slot.c publish.c work.c costs.c gain.h holding.c crew.c counts.c; do # must pass all cases
        echo "sound@$file@1s/^/ /@nothing is broken"
    done
    list_orders
    list_variants
} | grep -e "$pattern" | tr '\n' '\0' |
    MUTANTS_SCRATCH=$scratch xargs -0 -r -n 1 -P "$jobs" sh "$top/t/model/mutants.sh" \
        "$jobs" "$pattern" | tee "$scratch/table"
count() { grep -c "^$1 " "$scratch/table"; }
echo
echo "$(count caught) caught, $(count argued) argued, $(count SURVIVED) survived," \
    "$(count STALE) stale"
[ "$(count SURVIVED)" = 0 ] && [ "$(count STALE)" = 0 ] &&
    [ "$(count caught)" -gt 0 ]
