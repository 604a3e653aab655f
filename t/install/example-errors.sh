#!/bin/sh
# example-errors.sh - what the examples do not like: one line that names it and
# says why, status 1, and no file that was not there, or was otherwise, before.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

find_examples
forget_options

# Inputs are elsewhere; `here` has nothing but the output of an earlier time,
# which is a .ppm since that is written with libpng and without.
inputs=$work/inputs
mkdir "$inputs" "$work/here" || exit 99
cd "$work/here" || exit 99
echo "what was here before" > old.ppm

# ---- what is expected ----

# status 1; one line: the program, what it names, why
dies() # PROGRAM NAMED REASON ARGUMENT...
{
    program=$1 named=$2 reason=$3
    shift 3
    seen 1 $as "$examples/$program" "$@" &&
        one_line_with "$work/err" "$program: $named$reason" || return 1
    [ -n "$reason" ] || ! grep -F -x -e "$program: $named" "$work/err"
}
as= # or how to run a program as another user

nothing_changed()
{
    [ "$(ls -A)" = old.ppm ] && only_line old.ppm "what was here before" &&
        return
    echo "the folder was changed:"
    ls -lA
    return 1
}

# And nothing was printed or written: it died before it did any work.
rejects() # PROGRAM NAMED REASON ARGUMENT...
{
    dies "$@" && is_empty "$work/out" && nothing_changed
}

# The same with a name that is taken and with a new one.
rejects_input() # PROGRAM NAMED REASON ARGUMENT...
{
    rejects "$@" -o old.ppm && rejects "$@" -o new.ppm
}

# For many: those that are rejected are not shown.
quietly()
{
    "$@" > "$work/one" && return
    cat "$work/one"
    return 1
}

# ---- pictures and matrices ----

bad_picture() # WORDS REASON CONTENT
{
    printf '%b' "$3" > "$inputs/bad.png"
    expect "picture: $1" \
        rejects_input median "$inputs/bad.png: " "$2" "$inputs/bad.png"
}

bad_matrix() # WORDS REASON CONTENT
{
    printf '%b' "$3" > "$inputs/bad.mtx"
    expect "matrix: $1" \
        rejects_input spmv "$inputs/bad.mtx: " "$2" "$inputs/bad.mtx"
}

bad_number() # WORDS REASON CONTENT
{
    printf '%b' "$3" > "$inputs/bad.txt"
    expect "numbers: $1" \
        rejects_input sort "$inputs/bad.txt: " "$2" -n "$inputs/bad.txt"
}

# The first is a whole one, of 2x2 pixels; the others have no pixels, and
# headers of 0x1, of 2147483647x2147483647 and of 1000000x1000000.
good='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0000\0000\0000\0002'\
'\0000\0000\0000\0002\0010\0002\0000\0000\0000\0375\0324\0232s\0000\0000\0000'\
'\0026IDATx\0332c`dbfaec`\0347\0340\0344\0342\0346\0001\0000\0001\0217\0000O'\
'\0006\0250\0345\0212\0000\0000\0000\0000IEND\0256B`\0202'
none='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0000\0000\0000\0000'\
'\0000\0000\0000\0001\0010\0002\0000\0000\0000\0177\02658\0340\0000\0000\0000'\
'\0011IDATx\0332c\0000\0000\0000\0001\0000\0001\0261\0015\0266\0223\0000\0000'\
'\0000\0000IEND\0256B`\0202'
huge='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0177\0377\0377\0377'\
'\0177\0377\0377\0377\0010\0002\0000\0000\0000\0233\0253\02341\0000\0000\0000'\
'\0011IDATx\0332c\0000\0000\0000\0001\0000\0001\0261\0015\0266\0223\0000\0000'\
'\0000\0000IEND\0256B`\0202'
large='\0211PNG\0015\0012\0032\0012\0000\0000\0000\0015IHDR\0000\0017B@\0000'\
'\0017B@\0010\0002\0000\0000\0000\0323\0017\0257*\0000\0000\0000\0011IDATx'\
'\0332c\0000\0000\0000\0001\0000\0001\0261\0015\0266\0223\0000\0000\0000\0000I'\
'END\0256B`\0202'

cut_off_at() # REASON LENGTH...
{
    reason=$1
    shift
    for length; do
        head -c "$length" "$inputs/good.png" > "$inputs/cut.png"
        quietly rejects_input median "$inputs/cut.png: " "$reason" \
            "$inputs/cut.png" && continue
        echo "of length $length"
        return 1
    done
}

# With another byte there.
corrupted_at() # PLACE...
{
    for place; do
        cp "$inputs/good.png" "$inputs/corrupt.png"
        printf '%b' '\0132' | dd of="$inputs/corrupt.png" bs=1 seek="$place" \
            conv=notrunc 2> /dev/null
        ! cmp -s "$inputs/good.png" "$inputs/corrupt.png" &&
            quietly rejects_input median "$inputs/corrupt.png: " "" \
                "$inputs/corrupt.png" && continue
        echo "at byte $place"
        return 1
    done
}

good_is_good()
{
    seen 0 "$examples/median" --repeats 1 -o "$work/good.ppm" \
        "$inputs/good.png"
}

# ---- command lines ----

each_rejects() # NAMED REASON ARGUMENT PROGRAM...
{
    named=$1 why=$2 argument=$3
    shift 3
    for each; do
        quietly rejects "$each" "$named" "$why" "$argument" || return 1
    done
}

bad_numbers() # PROGRAM NAME REASON NUMBER...
{
    each=$1 name=$2 why=$3
    shift 3
    for value; do
        quietly rejects "$each" "--$name: " "$why" "--$name" "$value" &&
            quietly rejects "$each" "--$name: " "$why" "--$name=$value" &&
            continue
        echo "--$name $value"
        return 1
    done
}

# ---- outputs ----

measured="--repeats 1 --row"
good_matrix=$inputs/good.mtx
mandelbrot="$measured -w 60 -h 60 -i 10"

# Runs a command that can write 8192 bytes to a file, or 4096; not more.  (Not
# fewer: LLVM's OpenMP wants a file of its own.)
limited()
{
    (ulimit -f 8 && exec "$@")
}

# The file is not there, or as it was; the disk is found full at work.
too_large() # PROGRAM ARGUMENT...
{
    program=$1
    shift
    for output in old.ppm new.ppm; do
        seen 1 limited "$examples/$program" "$@" -o $output &&
            one_line_with "$work/err" "$program: $output: File too large" &&
            nothing_changed || return 1
    done
}

full_stdout() # NAMED PROGRAM ARGUMENT...
{
    named=$1 program=$2
    shift 2
    "$examples/$program" "$@" 2> "$work/err" > /dev/full
    status=$?
    cat "$work/err"
    [ $status -eq 1 ] && one_line_with "$work/err" \
        "$program: $named: No space left on device"
}

no_stdout()
{
    "$examples/mandelbrot" $mandelbrot -o "$work/good.ppm" 2> "$work/err" >&-
    status=$?
    cat "$work/err"
    [ $status -eq 1 ] &&
        one_line_with "$work/err" "mandelbrot: standard output: "
}

# ---- as somebody who may not do everything ----

find_somebody()
{
    [ "$(id -u)" -eq 0 ] || return 0
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    chmod 755 "$work" "$inputs" "$work/here" &&
        $as "$examples/median" --help
}

locked_folder()
{
    mkdir "$work/locked" && chmod 555 "$work/locked" &&
        rejects median "$work/locked/new.ppm: " "Permission denied" \
            $measured -o "$work/locked/new.ppm" "$inputs/good.ppm" &&
        [ -z "$(ls -A "$work/locked")" ]
}

# In a folder that anybody may write to.
read_only_output()
{
    chmod 777 . && chmod 444 old.ppm &&
        rejects median "old.ppm: " "Permission denied" \
            $measured -o old.ppm "$inputs/good.ppm"
    status=$?
    chmod 755 . && chmod 644 old.ppm
    return $status
}

unreadable()
{
    cp "$inputs/good.ppm" "$inputs/secret.ppm" &&
        chmod 000 "$inputs/secret.ppm" &&
        mkdir "$work/open" && chmod 777 "$work/open" &&
        rejects median "$inputs/secret.ppm: " "Permission denied" \
            $measured -o "$work/open/new.ppm" "$inputs/secret.ppm" &&
        [ -z "$(ls -A "$work/open")" ]
}

# Files, with a name of 50 characters each.
many_files()
{
    mkdir "$work/many" &&
        for k in $(seq 150); do
            : > "$work/many/$(printf %050d "$k")" || return 1
        done
}

# Bad files are named, by their order; the others have their line.
some_unreadable()
{
    mkdir -p "$work/tree/locked/below" && echo 1 > "$work/tree/a" &&
        echo 2 > "$work/tree/secret" && echo 3 > "$work/tree/z" &&
        chmod 000 "$work/tree/secret" "$work/tree/locked" || return 1
    seen 1 $as "$examples/hash-tree" --repeats 1 "$work/tree"
    status=$?
    chmod 755 "$work/tree/locked"
    cut -c19- "$work/out" > "$work/hashed"
    grep '^hash-tree: ' "$work/err" > "$work/named"
    [ $status -eq 0 ] && only_line "$work/hashed" "$work/tree/a
$work/tree/z" && only_line "$work/named" \
        "hash-tree: $work/tree/locked: Permission denied
hash-tree: $work/tree/secret: Permission denied" &&
        grep '^3 files of 4 bytes, 2 bad$' "$work/err"
}

plan 133

printf '%b' "$good" > "$inputs/good.png"
{ printf 'P6\n60 60\n255\n'; printf '%010800d' 0; } > "$inputs/good.ppm"
"$examples/mkmatrix" -k 10 -e 8 -o "$good_matrix" > /dev/null || exit 99

many_files || exit 99
for program in median spmv sort; do
    expect "$program: no such file" rejects_input $program \
        "$inputs/nothing: " "No such file or directory" "$inputs/nothing"
    expect "$program: a folder" rejects_input $program \
        "$inputs: " "Is a directory" "$inputs"
done

expect "hash-tree: no such folder" rejects_input hash-tree \
    "$inputs/nothing: " "No such file or directory" "$inputs/nothing"
expect "hash-tree: a file" rejects_input hash-tree \
    "$inputs/good.ppm: " "Not a directory" "$inputs/good.ppm"

bad_picture "an empty file" "the file is empty" ''
bad_picture "one byte" "neither a PNG nor a PPM (P6)" 'P'
bad_picture "text" "neither a PNG nor a PPM (P6)" 'Once upon a time.\n'
bad_picture "another PPM" "neither a PNG nor a PPM (P6)" 'P3\n1 1\n255\n1 2 3\n'

header="the header of the PPM is broken"
bad_picture "PPM: nothing else" "$header" 'P6'
bad_picture "PPM: no height" "$header" 'P6\n5'
bad_picture "PPM: no maximum" "$header" 'P6\n5 5\n'
bad_picture "PPM: no end of the header" "$header" 'P6\n5 5\n255'
bad_picture "PPM: a comment without an end" "$header" 'P6\n5 5 # and'
bad_picture "PPM: not a number" "$header" 'P6\n5x5\n255\n'
bad_picture "PPM: a negative number" "$header" 'P6\n5 -5\n255\n'
bad_picture "PPM: a number too large" "$header" 'P6\n99999999999 1\n255\n'
bad_picture "PPM: no pixels" "the picture has no pixels (0x5)" 'P6\n0 5\n255\n'
bad_picture "PPM: 16 bits" "PPM with values up to 65535" \
    'P6\n1 1\n65535\n123456'
bad_picture "PPM: large, and nothing there" "out of memory" \
    'P6\n99999999 99999999\n255\nabc'
bad_picture "PPM: a byte less" "the file ends too early" \
    'P6\n2 2\n255\n01234567890'
bad_picture "PPM: no byte" "the file ends too early" 'P6\n2 2\n255\n'

expect "PNG: seven bytes, and fewer" \
    cut_off_at "neither a PNG nor a PPM (P6)" 1 2 4 7
if have_png; then
    expect "PNG: a good one" good_is_good
    # 8 of signature; 25, 34 and 12 of the three chunks
    expect "PNG: cut off in the header" \
        cut_off_at "the file ends too early" 8 9 15 20 32
    expect "PNG: cut off in the pixels" \
        cut_off_at "the file ends too early" 33 41 50 62 66
    expect "PNG: cut off at the end" \
        cut_off_at "the file ends too early" 67 74 75 78
    expect "PNG: another byte in the header" corrupted_at 11 13 18 22 24 25 30
    expect "PNG: another byte in the pixels" corrupted_at 36 38 41 50 63 66
    expect "PNG: another byte in the end" corrupted_at 71 78
    bad_picture "PNG: no pixels" "" "$none"
    bad_picture "PNG: as large as can be" "" "$huge"
    bad_picture "PNG: large, and nothing there" "out of memory" "$large"
else
    bad_picture "a PNG, without libpng" \
        "a PNG, but this program was built without libpng" "$good"
    skip 9 "built without libpng"
fi

real='%%MatrixMarket matrix coordinate real general\n'
bad_matrix "an empty file" "the file is empty" ''
bad_matrix "no banner" "not a Matrix Market file" '2 2 1\n1 1 1\n'
bad_matrix "garbage" "not a Matrix Market file" '\0001\0377\n%%MatrixMarket'
bad_matrix "garbage with a NUL" "line 1: longer than" '\0000\0001\0377\n'
bad_matrix "a NUL in a line" "line 2: " "$real"'2 2\0000 1\n1 1 1\n'
bad_matrix "a line without an end" "line 2: longer than 1024 characters" \
    "$real%$(printf '%01100d' 0)"'\n1 1 0\n'
bad_matrix "an array" "line 1: 'matrix array', not" \
    '%%MatrixMarket matrix array real general\n1 1\n1\n'
bad_matrix "complex numbers" "line 1: 'complex' values, not" \
    '%%MatrixMarket matrix coordinate complex general\n1 1 0\n'
bad_matrix "another symmetry" "line 1: 'hermitian', not" \
    '%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n'
bad_matrix "half a banner" "line 1: '', not" \
    '%%MatrixMarket matrix coordinate real\n1 1 0\n'
bad_matrix "no size" "the file ends before the matrix's size" \
    "$real"'%% but words\n\n'
bad_matrix "two sizes" "line 2: the number of entries is not an integer" \
    "$real"'2 2\n1 1 1\n'
bad_matrix "four sizes" "line 2: more on the line" "$real"'2 2 0 0\n'
bad_matrix "broken sizes" "line 2: the number of rows is not an integer" \
    "$real"'2.5 2 0\n'
bad_matrix "a negative size" "line 2: -2 rows and 2 columns" "$real"'-2 2 0\n'
bad_matrix "no columns" "line 2: 2 rows and 0 columns" "$real"'2 0 0\n'
bad_matrix "2^31 rows" "line 2: 2147483648 rows" "$real"'2147483648 1 0\n'
bad_matrix "2^64 columns" "line 2: the number of columns is too large" \
    "$real"'1 18446744073709551616 0\n'
bad_matrix "entries less than none" "line 2: -1 entries" "$real"'1 1 -1\n'
bad_matrix "one entry less" "the file ends after 1 of 2 entries" \
    "$real"'2 2 2\n1 1 1\n'
bad_matrix "2^63 - 2 entries less" \
    "the file ends after 1 of 9223372036854775807 entries" \
    "$real"'2 2 9223372036854775807\n1 1 1\n'
bad_matrix "one entry more" "line 4: more than the 1 entries" \
    "$real"'2 2 1\n1 1 1\n2 2 1\n'
bad_matrix "a row too large" "line 4: row 3 is not within 1 to 2" \
    "$real"'2 9 2\n1 1 1\n3 1 1\n'
bad_matrix "a column too large" "line 3: column 3 is not within 1 to 2" \
    "$real"'9 2 1\n1 3 1\n'
bad_matrix "row 0" "line 3: row 0 is not within" "$real"'2 2 1\n0 1 1\n'
bad_matrix "column 0" "line 3: column 0 is not within" "$real"'2 2 1\n1 0 1\n'
bad_matrix "a negative row" "line 3: row -1 is not" "$real"'2 2 1\n-1 1 1\n'
bad_matrix "2^32 + 1, not 1" "line 3: row 4294967297 is not" \
    "$real"'2 2 1\n4294967297 1 1\n'
bad_matrix "2^64 + 1, not 1" "line 3: the row is too large" \
    "$real"'2 2 1\n18446744073709551617 1 1\n'
bad_matrix "words" "line 3: the column is not an integer" \
    "$real"'2 2 1\n1 a 1\n'
bad_matrix "no value" "line 3: the value is not a number" "$real"'2 2 1\n1 1\n'
bad_matrix "not a value" "line 3: the value is not a number" \
    "$real"'2 2 1\n1 1 nan\n'
bad_matrix "not a value any more" "line 3: the value is not a number" \
    "$real"'2 2 1\n1 1 1e999\n'
bad_matrix "two values" "line 3: more on the line" "$real"'2 2 1\n1 1 1 1\n'
bad_matrix "a value in a pattern" "line 3: more on the line" \
    '%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n'
bad_matrix "symmetric, not square" "line 2: symmetric, but not square" \
    '%%MatrixMarket matrix coordinate real symmetric\n1 2 0\n'
bad_matrix "symmetric, in the upper half" "line 3: an entry in the upper half" \
    '%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n'
bad_matrix "skew-symmetric, on the diagonal" \
    "line 3: an entry on the diagonal" \
    '%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n'

bad_number "a word" "line 2: 'two' is not a number" '1\ntwo\n3\n'
bad_number "the last line has no end" "line 2: 'x' is not a number" '1\nx'
bad_number "an empty line" "line 2: '' is not a number" '1\n\n3\n'
bad_number "blanks" "line 1: '  ' is not a number" '  \n3\n'
bad_number "two numbers" "line 1: '1 2' is not a number" '1 2\n'
bad_number "a NUL" "line 2: '3" '1\n3\0000\n'
bad_number "not a number, says the line" "line 1: 'nan' is" 'nan\n'
bad_number "too large a number" "line 1: '1e999' is" '1e999\n'
bad_number "a long line" "line 1: '$(printf '%040d' 0)' is" \
    "$(printf '%01100d' 0)x\n"

# have --output
write="mandelbrot median heat spmv sort hash-tree mkpicture mkmatrix"
all="$write queens"
expect "an unknown option" each_rejects "unknown option --what" "" --what $all
expect "an unknown letter" each_rejects "unknown option -Z" "" -Z $all
expect "a lone dash" each_rejects "unknown option -" "" - $all
expect "half an option" each_rejects "unknown option --outpu" "" --outpu $all
expect "more than an option" \
    each_rejects "unknown option --outputs=x" "" --outputs=x $write
expect "an option without its value" \
    each_rejects "--output" " needs a value" --output $write
expect "a name that is empty" \
    each_rejects "output: " "the name is empty" --output= $write
expect "an argument too many" \
    each_rejects "unexpected argument 'what'" "" what \
    mandelbrot heat queens mkpicture mkmatrix
expect "another one" rejects spmv "unexpected argument 'b'" "" "$good_matrix" b
expect "no picture" rejects median "no PICTURE given" ""
expect "no matrix" rejects spmv "no MATRIX given" "" --times 3 --
expect "no lines" rejects sort "no FILE given" "" --numeric
expect "no folder" rejects hash-tree "no FOLDER given" "" --row
expect "boards out of range" bad_numbers queens queens "" 0 -1 21
expect "a value for a switch" rejects heat "--row" " takes no value" --row=1
expect "not integers" bad_numbers mandelbrot width "'" '' x 12x 1.5 0x10 ' ' --
expect "integers out of range" bad_numbers mandelbrot width "" \
    0 -1 100001 4294967297 18446744073709551617
expect "not reals" bad_numbers heat cooling "'" '' x 1x nan inf
expect "reals out of range" bad_numbers heat cooling "" -0.01 4.01 1e300
expect "repeats out of range" bad_numbers spmv repeats "0 is not within 1 to" 0

expect "output: no such folder" rejects mandelbrot \
    "nowhere/new.ppm: " "No such file or directory" -o nowhere/new.ppm
expect "output: a folder that is none" rejects mandelbrot \
    "old.ppm/new.ppm: " "Not a directory" -o old.ppm/new.ppm
mkdir "$inputs/folder.ppm"
for program in mandelbrot heat mkpicture mkmatrix; do
    expect "output: a folder, $program" rejects $program \
        "$inputs/folder.ppm: " "Is a directory" -o "$inputs/folder.ppm"
done
expect "output: a file too large, mandelbrot" too_large mandelbrot $mandelbrot
expect "output: a file too large, median" \
    too_large median $measured "$inputs/good.ppm"
expect "output: a file too large, heat" \
    too_large heat $measured -w 60 -h 60 -s 1 -m 5
expect "output: a file too large, spmv" too_large spmv $measured "$good_matrix"
expect "output: a file too large, sort" too_large sort $measured "$good_matrix"
expect "output: a file too large, hash-tree" too_large hash-tree $measured "$work/many"
expect "output: a file too large, mkpicture" too_large mkpicture -w 60 -h 60
expect "output: a file too large, mkmatrix" too_large mkmatrix -k 10 -e 8
if [ -c /dev/full ]; then
    full="No space left on device"
    expect "output: a full disk, mandelbrot" dies mandelbrot \
        "/dev/full: " "$full" $mandelbrot -o /dev/full
    expect "output: a full disk, spmv" dies spmv \
        "/dev/full: " "$full" $measured -o /dev/full "$good_matrix"
    expect "output: a full disk, mkpicture" dies mkpicture \
        "/dev/full: " "$full" -w 60 -h 60 -o /dev/full
    expect "output: a full disk, mkmatrix" dies mkmatrix \
        "/dev/full: " "$full" -k 6 -e 4 -o /dev/full
    expect "output: a full disk, sort" dies sort \
        "/dev/full: " "$full" $measured -o /dev/full "$good_matrix"
    expect "output: a full disk, hash-tree" dies hash-tree \
        "/dev/full: " "$full" $measured -o /dev/full "$inputs"
    expect "stdout: a full disk" full_stdout "standard output" \
        mandelbrot $mandelbrot -o "$work/good.ppm"
    expect "stdout: a full disk, the header" \
        full_stdout "standard output" heat --header
    expect "stdout: a full disk, --help" \
        full_stdout "standard output" mkmatrix --help
    expect "stdout: a full disk, and the output is there" \
        full_stdout /dev/stdout mkpicture -w 60 -h 60 -o /dev/stdout
else
    skip 10 "no /dev/full"
fi
expect "stdout: there is none" no_stdout
expect "and nothing was left by all these" nothing_changed

if find_somebody > /dev/null 2>&1; then
    expect "no write permission for the folder" locked_folder
    expect "no write permission for the file" read_only_output
    expect "no read permission" unreadable
    expect "no read permission for some of many" some_unreadable
else
    skip 4 "root, and nobody else can run the programs"
fi
as=
finish
