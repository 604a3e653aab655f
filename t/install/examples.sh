#!/bin/sh
# examples.sh - the examples do what they say, whatever the number of workers,
# and notice a loop that does not do all of its indices.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

find_examples
forget_options
cd "$work" || exit 99

kind=ppm
have_png && kind=png

# Small, and few: each run of a variant waits for the others' threads to sleep.
small="--repeats 1"
mandelbrot="mandelbrot $small -w 37 -h 23"
heat="heat $small -w 31 -h 17 -s 2"
median="median $small"
spmv="spmv $small -t 3"
sort="sort $small"
queens="queens $small"
hash_tree="hash-tree $small"

run() # PROGRAM ARGUMENT...: it succeeds and has no complaints
{
    program=$1
    shift
    seen 0 "$examples/$program" "$@" && is_empty "$work/err"
}

# ---- pictures ----

bytes() # NUMBER...
{
    for n; do
        printf '%b' "\\0$(printf %o "$n")"
    done
}

ppm() # WIDTH HEIGHT NUMBER...
{
    printf 'P6\n%d %d\n255\n' "$1" "$2"
    shift 2
    bytes "$@"
}

# The same for red, green and blue.
grey() # WIDTH HEIGHT NUMBER...
{
    printf 'P6\n%d %d\n255\n' "$1" "$2"
    shift 2
    for n; do
        bytes "$n" "$n" "$n"
    done
}

# It is a picture of that size, of the kind that its name says.
has_size() # FILE WIDTH HEIGHT
{
    ls -l "$1" || return 1
    case $1 in
    *.png)
        size=$(od -An -v -tu1 -N 24 "$1" | tr '\n' ' ')
        # the signature, the length and name of the first chunk, two numbers
        [ "$(echo $size)" = "137 80 78 71 13 10 26 10 0 0 0 13 73 72 68 82 0 0\
 $(($2 / 256)) $(($2 % 256)) 0 0 $(($3 / 256)) $(($3 % 256))" ] ;;
    *)
        ppm "$2" "$3" > header
        head -c "$(wc -c < header)" "$1" | cmp - header &&
            [ "$(wc -c < "$1")" -eq $(($(wc -c < header) + 3 * $2 * $3)) ] ;;
    esac && return
    echo "not a picture of $2x$3 pixels"
    return 1
}

# A picture of that size, and says so.
draws() # NAME WIDTH HEIGHT PROGRAM ARGUMENT...
{
    name=$1 width=$2 height=$3
    shift 3
    run "$@" -o "$name.png" && grep "^wrote $name\.$kind" "$work/out" &&
        has_size "$name.$kind" "$width" "$height"
}

inside_the_set()
{
    run mandelbrot $small -w 3 -h 2 -x -0.2 -y 0 --span 0.01 -o inside.ppm &&
        grey 3 2 0 0 0 0 0 0 | cmp - inside.ppm
}

outside_the_set()
{
    run mandelbrot $small -w 3 -h 2 -x 3 -y 3 --span 0.01 -o outside.ppm &&
        has_size outside.ppm 3 2 && ! cmp inside.ppm outside.ppm
}

is_itself() # PICTURE
{
    run median $small --radius 0 -o same.ppm "$1" && cmp "$1" same.ppm
}

through_png()
{
    run median $small --radius 0 -o other.png picture.ppm &&
        run median $small --radius 0 -o back.ppm other.png &&
        cmp picture.ppm back.ppm
}

takes_noise_out()
{
    grey 3 3 7 7 7 7 255 7 7 7 7 > salt.ppm
    grey 3 3 7 7 7 7 7 7 7 7 7 > plain.ppm
    run median $small --radius 1 -o filtered.ppm salt.ppm &&
        cmp plain.ppm filtered.ppm
}

# Of 10 10 200, of 10 200 30, and of 200 30 30; the colours by themselves.
goes_on_beyond_edges()
{
    ppm 3 1 10 1 0 200 2 0 30 3 9 > edges.ppm
    ppm 3 1 10 1 0 30 2 0 30 3 9 > expected.ppm
    run median $small --radius 1 -o filtered.ppm edges.ppm &&
        cmp expected.ppm filtered.ppm
}

with_comments()
{
    { printf 'P6#a picture\n# of\n 1 #by\n\t1\n255\n'; bytes 1 2 3; } > odd.ppm
    ppm 1 1 1 2 3 > expected.ppm
    run median $small --radius 0 -o filtered.ppm odd.ppm &&
        cmp expected.ppm filtered.ppm
}

in_place()
{
    cp salt.ppm here.ppm && run median $small -r 1 -o here.ppm here.ppm &&
        cmp plain.ppm here.ppm
}

# reads_png BYTES WIDTH HEIGHT NUMBER...
reads_png()
{
    printf '%b' "$1" > kind.png
    shift
    ppm "$@" > expected.ppm
    run median $small -r 0 -o filtered.ppm kind.png &&
        cmp expected.ppm filtered.ppm
}

# Grey of 1 bit; grey of 16 bits, 65535 and 255; a palette of 2 bits of red,
# transparent green, and blue with alpha 51; RGBA, interlaced, with alpha 255,
# 0, 255 and 51; grey of 16 bits with alpha.
grey1='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0000\0000\0000'\
'\0002\0000\0000\0000\0002\0001\0000\0000\0000\0000Z\03150\0211\0000\0000\0000'\
'\0014IDATx\0332ch`p\0000\0000\0001\0304\0000\0301\0246\0233\0346\0272\0000'\
'\0000\0000\0000IEND\0256B`\0202'
grey16='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0000\0000\0000'\
'\0002\0000\0000\0000\0001\0020\0000\0000\0000\0000\0201\0331\0374\0025\0000'\
'\0000\0000\0015IDATx\0332c\0370\0377\0237\0341?\0000\0007\0375\0002\0376y'\
'\0312\0327\0244\0000\0000\0000\0000IEND\0256B`\0202'
palette='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0000\0000\0000'\
'\0003\0000\0000\0000\0001\0002\0003\0000\0000\0000f\0216\0374\0047\0000\0000'\
'\0000\0011PLTE\0377\0000\0000\0000\0377\0000\0000\0000\0377-J\0315\0212\0000'\
'\0000\0000\0003tRNS\0377\00003\0373>\0221%\0000\0000\0000\0012IDATx\0332c'\
'\0220\0000\0000\0000\0032\0000\0031\0200\0000\0216\0273\0000\0000\0000\0000IE'\
'ND\0256B`\0202'
rgba='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0000\0000\0000\0002'\
'\0000\0000\0000\0002\0010\0006\0000\0000\0001\0005\0261=\0262\0000\0000\0000'\
'\0027IDATx\0332c`db\0376\0317\0360\0237\0001\0010\0270D\0344@\02641\0000#'\
'\0031\0003s\0031\0227\0361\0213\0000\0000\0000\0000IEND\0256B`\0202'
greya='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0000\0000\0000'\
'\0001\0000\0000\0000\0001\0020\0004\0000\0000\0000\0345\0214\0320A\0000\0000'\
'\0000\0015IDATx\0332c``06\0006\0000\0000\0236\0000g\0354E\0010z\0000\0000'\
'\0000\0000IEND\0256B`\0202'

sweeps_are() # NUMBER HEAT_ARGUMENT...
{
    n=$1
    shift
    run $heat -o sweeps.ppm "$@" && grep "^$n sweeps; " "$work/out"
}

# It stops by itself, and not before it may.
settles()
{
    run $heat -o settled.ppm --tolerance 0.01 &&
        sed -n 's/^\([0-9]*\) sweeps; .* more than \(.*\)/\1 \2/p' \
            "$work/out" | $AWK '
                { n++; good = $1 > 10 && $1 < 10000 && $2 <= 0.01 }
                END { exit !(n == 1 && good) }'
}

# ---- matrices ----

# product MATRIX NUMBER...: what comes out for it; x is 1, 1/2, 1/3, 1/4
product()
{
    printf "$1" > matrix.mtx
    shift
    run $spmv -o product.mtx matrix.mtx || return 1
    {
        printf '%%%%MatrixMarket matrix array real general\n%d 1\n' $#
        for n; do
            echo "$n"
        done
    } | diff - product.mtx
}

general='%%%%MatrixMarket matrix coordinate real general
%% row 2 is empty
3 4 4
3 3 -6

1 1 1
1 4 4e0
1 2 2.00\n'
symmetric='%%%%MatrixMarket matrix coordinate integer symmetric
2 2 3
1 1 5
2 1 4
2 2 -2\n'
skew='%%%%MatrixMarket matrix coordinate real skew-symmetric
2 2 1
2 1 4\n'
pattern='%%%%MatrixMarket matrix coordinate pattern general
2 4 3
1 1
1 2
2 4\n'
symmetric_pattern='%%%%MatrixMarket MATRIX Coordinate Pattern Symmetric
2 2 2
1 1
2 1'
with_returns='%%%%MatrixMarket matrix coordinate real general\r
\r
1 2 1\r
1 2 8\r\n'

made_matrix()
{
    run mkmatrix -k 6 -e 4 -o made.mtx && grep '^wrote made.mtx$' "$work/out" &&
        sed 1,2d made.mtx | $AWK '
            NR == 1 { rows = $1; columns = $2; entries = $3; next }
            $1 < 1 || $1 > rows || $2 < 1 || $2 > columns { bad = 1 }
            ($1, $2) in seen { bad = 1 }
            { seen[$1, $2]; row[$1]++ }
            END {
                for (r in row) full += row[r] == columns
                exit !(!bad && rows == 64 && columns == 64 && full == 1 &&
                       entries == NR - 1 && entries > 64 + 64)
            }'
}

other_seed()
{
    run mkmatrix -k 6 -e 4 -o again.mtx && cmp made.mtx again.mtx &&
        run mkmatrix -k 6 -e 4 -s 2 -o other.mtx && ! cmp made.mtx other.mtx
}

# ---- lines, and queens ----

# sorts ARGUMENT...: as sort(1) does, with the same arguments
sorts()
{
    run $sort -o sorted.txt "$@" && command sort "$@" | cmp - sorted.txt
}

lines_of_all_kinds()
{
    printf 'b\n\na\nab\na\0001\n\0377\nabcdefgh\nabcdefghi\nabcdefgg\na\n\n\ta' \
        > kinds.txt
    sorts kinds.txt
}

# More than a task sorts, many of them equal.
many_lines()
{
    $AWK 'BEGIN {
        for (i = x = 1; i <= 20000; i++) {
            x = (x * 16807) % 2147483647
            print (x % 5 ? "" : "-") x % 3000 (x % 2 ? "" : ".5")
        }
    }' > many.txt
    sorts many.txt && sorts -n many.txt
}

numbers()
{
    printf '3\n-0\n1e3\n-2.5\n 7 \r\n0\n-1e-3\n+3' > numbers.txt
    printf -- '-2.5\n-1e-3\n-0\n0\n+3\n3\n 7 \r\n1e3\n' > expected.txt
    run $sort -n -o sorted.txt numbers.txt && cmp expected.txt sorted.txt
}

no_lines()
{
    : > empty.txt && sorts empty.txt && sorts -n empty.txt && echo > one.txt &&
        sorts one.txt
}

counts_ways()
{
    for given in "1 1" "2 0" "4 2" "6 4" "9 352"; do
        for rows in 0 1 20; do
            run $queens -n ${given% *} -t $rows &&
                grep "^${given% *} queens: ${given#* } ways$" "$work/out" && continue
            echo "in tasks: $rows rows"
            return 1
        done
    done
}

counts_ways_by() # WORKERS FENCE BINDING
{
    computed_by "$@" run $queens -n 10 && grep "^10 queens: 724 ways$" "$work/out"
}

# ---- a tree of files ----

# Three with known hashes, and what is none.
make_tree()
{
    mkdir -p tree/below/empty "tree/a name" && : > tree/empty &&
        printf a > "tree/a name/a" && printf foobar > tree/below/foobar &&
        ln -s empty tree/link && ln -s below tree/link-to-folder && mkfifo tree/pipe
}

known_hashes()
{
    make_tree && run $hash_tree -o hashes.txt tree/ && cat > expected.txt <<'END' || return 1
af63dc4c8601ec8c  tree/a name/a
85944171f73967e8  tree/below/foobar
cbf29ce484222325  tree/empty
END
    cmp expected.txt hashes.txt && grep '^3 files of 7 bytes, 0 bad$' "$work/out"
}

# The table goes to stdout, the times do not.
hashes_to_stdout()
{
    seen 0 "$examples/hash-tree" --repeats 1 tree && cmp expected.txt "$work/out" &&
        grep '^hash-tree  *[0-9]' "$work/err"
}

# 1,093 folders, four deep and more, with a file or two each.
make_forest()
{
    mkdir forest && (
        cd forest && $AWK 'BEGIN {
            for (i = 1; i < 1093; i++) {
                path[i] = (i < 4 ? "" : path[int((i - 1) / 3)] "/") i
                print path[i]
            }
        }' > ../folders && xargs mkdir < ../folders &&
            while read -r folder; do
                echo "$folder" > "$folder/file"
            done < ../folders
    )
}

hashes_all()
{
    run $hash_tree -o hashes.txt forest &&
        grep '^1092 files of [0-9]* bytes, 0 bad$' "$work/out" &&
        cut -c19- hashes.txt | sort -c &&
        [ "$(cut -c1-16 hashes.txt | sort -u | wc -l)" -eq 1092 ]
}

# ---- the same, whoever computes what ----

computed_by() # WORKERS FENCE BINDING COMMAND...
{
    (
        TWEED_NUM_WORKERS=$1 TWEED_FENCE=$2 TWEED_BIND=$3
        export TWEED_NUM_WORKERS TWEED_FENCE TWEED_BIND
        shift 3
        "$@"
    )
}

# same_answers FILE PROGRAM ARGUMENT...
same_answers()
{
    file=$1
    shift
    computed_by 1 auto cpu run "$@" -o "one-$file" || return 1
    for way in "2 membarrier cpu" "5 exchange none"; do
        rm -f "many-$file"
        computed_by $way run "$@" -o "many-$file" &&
            cmp "one-$file" "many-$file" && continue
        echo "differs with $way"
        return 1
    done
}

# ---- a loop that forgets an index is noticed, and a task ----

# The programs again, with serial loops and joins in the place of the library; if
# FORGET is set they leave out the index in the middle, and a task.
with_loops_of_our_own()
{
    mkdir "$work/own" && cd "$work/own" || return 1
    cat > loop.c <<'C'
#include <stdlib.h>
#include <tweed.h>

/* All of [lo, hi) is one claim. */
static void claim(tweed_kind *kind, int64_t lo, int64_t hi, void (*fn)(void),
                  void *arg)
{
    static struct tweed_words words;
    tweed_cursor c = { .words = &words, .strip = 1, .end = 1, .blocks = 1,
                       .lo = (uint64_t)lo, .count = (uint64_t)(hi - lo),
                       .grain = (uint64_t)(hi - lo), .fn = fn, .arg = arg };

    if (lo < hi)
        kind->work(&c);
}

int tweed_next_slow_(tweed_cursor *c)
{
    (void)c;
    return 0;
}

/* What is compiled in, and not called. */
int tweed_fail_(int code, const char *format, ...)
{
    (void)format;
    return code;
}

void tweed_cursor_fail(tweed_cursor *c, int64_t i, int code)
{
    (void)c, (void)i, (void)code;
}

void tweed_cursor_found(tweed_cursor *c, int64_t i)
{
    (void)c, (void)i;
}

int tweed_loop_run(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                   int64_t hi, tweed_kind *kind, void (*fn)(void), void *arg)
{
    int64_t middle = lo + (hi - lo) / 2;

    (void)pool;
    (void)options;
    claim(kind, lo, middle, fn, arg);
    claim(kind, middle + (getenv("FORGET") != NULL), hi, fn, arg);
    return TWEED_OK;
}

/* Tasks are joined by the thread that has spawned them, one after the other; the
   third join takes its task for one that somebody else has executed. */
int tweed_task_sync_slow_(struct tweed_deque_ *d, struct tweed_task_ *t)
{
    static int joins;

    (void)d, (void)t;
    return ++joins != 3;
}

void tweed_task_spawn_slow_(struct tweed_deque_ *d)
{
    (void)d;
}

void tweed_task_sync_failed_(const char *name, int wrong)
{
    (void)name, (void)wrong;
    abort();
}

/* A group's tasks are executed as they are spawned, but the third. */
static int spawned;

int tweed_group_spawn(tweed_group *group, tweed_task_fn *fn, void *arg)
{
    (void)group;
    if (getenv("FORGET") && ++spawned == 3)
        return TWEED_OK;
    return fn(arg);
}

int tweed_group_sync(tweed_group *group)
{
    (void)group;
    return TWEED_OK;
}

void tweed_task_start_(tweed_pool *pool, const char *name, struct tweed_task_ *t)
{
    static struct tweed_task_ records[100000];
    struct tweed_deque_ d = { .ceiling = UINT32_MAX, .records = records,
                             .word = getenv("FORGET") ? UINT64_MAX : 0 };

    (void)pool;
    (void)name;
    t->run(&d, records, t);
}

int tweed_pool_num_workers(tweed_pool *pool)
{
    (void)pool;
    return 1;
}

int tweed_stats_get(tweed_pool *pool, int worker, tweed_stats *stats)
{
    (void)pool;
    (void)worker;
    (void)stats;
    return TWEED_OK;
}

const char *tweed_version(void)
{
    return "of our own";
}
C
    common="colour compare fractal image image_png lines matrix output program"
    $CC -std=gnu11 $SANITIZER_FLAGS -I"$source/include" -c loop.c \
        $(for c in $common; do echo "$source/examples/$c.c"; done) || return 1
    for program in mandelbrot median heat spmv sort queens hash-tree; do
        $CC -std=gnu11 $SANITIZER_FLAGS -I"$source/include" \
            "$source/examples/$program.c" ./*.o -lm -o $program || return 1
    done
}

# notices FILE PROGRAM ARGUMENT...: all is well if the loop is, and only then
notices()
{
    file=$1 program=$2
    shift 2
    rm -f "$file"
    seen 0 "own/$program" "$@" -o "$file" && [ -s "$file" ] || return 1
    rm -f "$file"
    seen 1 env FORGET=1 "own/$program" "$@" -o "$file" &&
        one_line_with "$work/err" "$program: tweed differs from serial at" &&
        [ ! -e "$file" ]
}

# The same of a program that has no output but its table.
notice_a_lost_task()
{
    seen 0 own/queens $small -n 7 && grep "^7 queens: 40 ways$" "$work/out" &&
        seen 1 env FORGET=1 own/queens $small -n 7 &&
        one_line_with "$work/err" "queens: tweed differs from serial at"
}

# ---- what all of them have ----

# One row, and nothing else; as many columns as the header has.
just_the_row() # PROGRAM ARGUMENT...
{
    run "$@" --row -o row.ppm && [ "$(wc -l < "$work/out")" = 1 ] &&
        grep "^$1  *[0-9]" "$work/out"
}

just_the_header()
{
    run mandelbrot --header -o header.png && [ ! -e "header.$kind" ] &&
        grep '^kernel  *serial  *OpenMP static  *OpenMP dynamic  *OpenMP tasks  *tweed' \
            "$work/out" &&
        grep "^tweed .* with 3 workers" "$work/out"
}

# cells TWINS PROGRAM ARGUMENT...: where there is an OpenMP so many of its three columns
# have figures, two words each
cells()
{
    twins=$1
    shift
    have_openmp || twins=0
    run "$@" --row && $AWK -v n=$((8 + twins)) '
        { dashes = 0; for (k = 1; k <= NF; k++) dashes += $k == "-" }
        NF != n || dashes != 11 - n { exit 1 }' "$work/out"
}

twins_ran()
{
    cells 2 $spmv matrix.mtx && cells 1 $sort many.txt && cells 1 $queens -n 6 &&
        cells 1 $hash_tree -o hashes.txt tree
}

helps() # PROGRAM OPTION...
{
    program=$1
    shift
    run "$program" --help && grep "^Usage: $program " "$work/out" || return 1
    for option in "$@" help; do
        grep -e " --$option " "$work/out" || return 1
    done
}

to_stdout()
{
    "$examples/mandelbrot" $small -w 37 -h 23 -o /dev/stdout \
        2> "$work/err" > "piped.$kind"
    status=$?
    cat "$work/err"
    [ $status -eq 0 ] && cmp "mandelbrot.$kind" "piped.$kind" &&
        grep '^mandelbrot ' "$work/err"
}

# The file that a link points to is replaced, not the link, and its mode stays.
replaces()
{
    echo old > replaced.ppm && chmod 640 replaced.ppm &&
        rm -f link.ppm && ln -s replaced.ppm link.ppm &&
        run median $small -r 1 -o link.ppm salt.ppm && [ -h link.ppm ] &&
        cmp plain.ppm replaced.ppm &&
        ls -l replaced.ppm | grep '^-rw-r-----'
}

# README shows the whole program, indented: from its first line to the last brace of
# main(), which is the first that is followed by how to compile it.
readme_has_saxpy()
{
    sed '1,/^ \*\/$/d' "$source/examples/saxpy.c" > program.c
    sed -n '/^    #include <stdio.h>$/,/^    cc /p' "$source/README" |
        sed -e '/^    cc /d' -e 's/^    //' > shown
    echo >> program.c # README has a line between
    diff shown program.c
}

plan 93

expect "hello" run hello
expect "hello says what it computed, and no more" \
    only_line "$work/out" "999 * 999 = 998001"
expect "saxpy" run saxpy
expect "saxpy says what it computed, and no more" only_line "$work/out" 42
expect "saxpy is what README shows" readme_has_saxpy
expect "transpose" run transpose
expect "transpose says what it computed, and no more" only_line "$work/out" 599999

expect "particles" run particles
expect "particles find their workers again" only_line "$work/out" "20000 particles, mean 0.433659, 0 met a strange worker"
expect "histogram" run histogram
expect "histogram counts each pixel" only_line "$work/out" "10000000 pixels, 4870 of value 4"
expect "argmin" run argmin
expect "argmin finds the nearest point" \
    only_line "$work/out" "point 500499 at (499.5, 500.0)"

expect "keep" run keep
expect "keep keeps the order" \
    only_line "$work/out" "40 end with 44: 144, 1444, 3844, ..., 976144"
if [ -x "$examples/anagrams" ]; then
    expect "anagrams" run anagrams
    expect "anagrams finds the largest set, and a word" only_line "$work/out" \
        "495 sets of letters; aeir makes 472 words: reia, aeir, ...
tale is word 2091"
else
    skip 2 "built without a C++ compiler"
fi
expect "validate" run validate 30000
expect "validate finds all three rows, in their order" \
    only_line "$work/out" "row 10000: empty
row 15000: wrong sum
row 29999: wrong sum"
expect "validate without rows" seen 2 "$examples/validate" 0
expect "validate with time enough" run validate 30000 100000

expect "mandelbrot: a picture of 37x23" draws mandelbrot 37 23 $mandelbrot
expect "mandelbrot: black inside of the set" inside_the_set
expect "mandelbrot: not so outside of it" outside_the_set
expect "mkpicture: a picture of 40x30" draws picture 40 30 mkpicture -w 40 -h 30
expect "mkpicture: as PPM if the name says so" \
    run mkpicture -w 40 -h 30 -o picture.ppm
expect "mkpicture: of 40x30, too" has_size picture.ppm 40 30
expect "median: a picture of 40x30" draws median 40 30 $median "picture.$kind"
expect "median: radius 0 gives the picture back" is_itself picture.ppm
expect "median: takes noise out" takes_noise_out
expect "median: goes on beyond the edges" goes_on_beyond_edges
expect "median: a PPM with comments" with_comments
expect "median: into the file that it reads" in_place
if [ $kind = png ]; then
    expect "median: and back through a PNG" through_png
    expect "PNG: grey of 1 bit" \
        reads_png "$grey1" 2 2 255 255 255 0 0 0 0 0 0 255 255 255
    expect "PNG: grey of 16 bits" \
        reads_png "$grey16" 2 1 255 255 255 1 1 1
    expect "PNG: a palette, transparent colours on white" \
        reads_png "$palette" 3 1 255 0 0 255 255 255 204 204 255
    expect "PNG: interlaced, with alpha" \
        reads_png "$rgba" 2 2 1 2 3 255 255 255 10 20 30 204 204 204
    expect "PNG: grey with alpha" reads_png "$greya" 1 1 204 204 204
else
    skip 6 "built without libpng"
fi
expect "heat: a picture of 62x34" draws heat 62 34 $heat
expect "heat: settles" settles
expect "heat: as many sweeps as allowed" \
    sweeps_are 5 --sweeps 5 --tolerance 0
expect "heat: one sweep if any change will do" \
    sweeps_are 1 --tolerance 100

expect "spmv: a product that is known" product "$general" 3 0 -2
expect "spmv: symmetric, integers" product "$symmetric" 7 3
expect "spmv: skew-symmetric" product "$skew" -2 4
expect "spmv: a pattern" product "$pattern" 1.5 0.25
expect "spmv: a symmetric pattern, no newline at the end" \
    product "$symmetric_pattern" 1.5 1
expect "spmv: lines that end with CR LF" product "$with_returns" 4
expect "spmv: a matrix of zeros" product \
    '%%%%MatrixMarket matrix coordinate real general\n2 9 0\n' 0 0
expect "mkmatrix: a matrix, one row full" made_matrix
expect "mkmatrix: the same again; another one by --seed" other_seed

expect "sort: lines of all kinds, the last without its end" lines_of_all_kinds
expect "sort: many lines, many of them equal" many_lines
expect "sort: numbers, by their values, then by their bytes" numbers
expect "sort: no lines, and an empty one" no_lines
expect "hash-tree: hashes that are known, and nothing but files" known_hashes
expect "hash-tree: the table to stdout, the times to stderr" hashes_to_stdout
expect "hash-tree: many folders are made" make_forest
expect "hash-tree: many folders" hashes_all
expect "queens: as many ways as are known, whatever is a task" counts_ways

# The same bits with 1, 2 and 5 workers and both fences.
expect "mkpicture is the same whoever computes it" \
    same_answers mk.ppm mkpicture -w 40 -h 30
expect "mandelbrot is the same whoever computes it" \
    same_answers mandelbrot.ppm $mandelbrot
expect "median is the same whoever computes it" \
    same_answers median.ppm $median picture.ppm
expect "heat is the same whoever computes it" same_answers heat.ppm $heat
expect "spmv is the same whoever computes it" \
    same_answers product.mtx $spmv made.mtx
expect "sort is the same whoever computes it" same_answers lines.txt $sort -n many.txt
expect "hash-tree is the same whoever computes it" \
    same_answers hashes.txt $hash_tree forest
expect "queens, 1 worker" counts_ways_by 1 auto cpu
expect "queens, 2 workers" counts_ways_by 2 membarrier cpu
expect "queens, 5 workers" counts_ways_by 5 exchange none

if (with_loops_of_our_own) > "$work/output" 2>&1; then
    result 0 "the programs, with loops of our own, are built"
    expect "mandelbrot notices a lost index" \
        notices lost.ppm mandelbrot $small -w 8 -h 8
    expect "median notices a lost index" \
        notices lost.ppm median $small picture.ppm
    expect "heat notices a lost index" \
        notices lost.ppm heat $small -w 31 -h 17 -s 1
    expect "spmv notices a lost index" notices lost.mtx spmv $small made.mtx
    expect "sort notices a lost task" notices lost.txt sort $small many.txt
    expect "queens notice a lost task" notice_a_lost_task
    expect "hash-tree notices a lost task" notices lost.txt hash-tree $small forest
else
    result 1 "the programs, with loops of our own, are built"
    skip 7 "they are not"
fi

expect "--row: one line and the picture" just_the_row $mandelbrot
expect "--header: the header and no picture" \
    computed_by 3 auto cpu just_the_header
expect "the OpenMP twins ran if there is an OpenMP" twins_ran
measured="repeats row header output"
expect "mandelbrot --help" \
    helps mandelbrot $measured width height iterations samples x y span
expect "median --help" helps median $measured radius
expect "heat --help" \
    helps heat $measured width height cooling tolerance sweeps scale
expect "spmv --help" helps spmv $measured times
expect "sort --help" helps sort $measured numeric
expect "hash-tree --help" helps hash-tree $measured
expect "queens --help" helps queens repeats row header queens task-rows
expect "mkpicture --help" helps mkpicture width height noise seed output
expect "mkmatrix --help" helps mkmatrix scale entries seed output
expect "a picture to stdout, the table to stderr" to_stdout
expect "an existing output is replaced, its mode kept" replaces
finish
