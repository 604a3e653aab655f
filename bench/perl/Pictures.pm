# Pictures.pm - the pictures, drawn by gnuplot as SVG.
#
# SPDX-License-Identifier: MIT
package Pictures;

use strict;
use warnings;
use Exporter 'import';
use File::Temp;
use List::Util qw(min max);
use Bars;
use Results;
use Tables;

our @EXPORT = qw(find_gnuplot draw_all for_page);

# Each colour is drawn as it is here, for a light page; on the page itself it is
# a variable of the style sheet, by this name.
my %colour = (
    text => '#212529', grid => '#dee2e6', bar => '#c92a2a', paper => '#ffffff',
    tweed => '#d6246e', serial => '#868e96', libgomp => '#1971c2',
    libomp => '#7048e8', tbb => '#2b8a3e', pthreadpool => '#d9730d',
    other => '#0b7285',
);

my $clip = 3; # ratios above are drawn here

# GNUPLOT or the one in PATH; nothing if there is none.
sub find_gnuplot
{
    my $name = $ENV{GNUPLOT} // 'gnuplot';
    my @places = $name =~ m{/} ? ($name)
        : map { "$_/$name" } split /:/, $ENV{PATH} // '';
    my ($found) = grep { length $name && -f && -x } @places;
    return $found;
}

# What the body costs where no runtime takes part, its call included.
sub alone
{
    my ($row) = @_;
    my ($serial) = grep { is_serial($_) } @{ $row->{runs} };
    return is_good($serial) && $serial->{median} || $row->{x};
}

# name => SVG of all that the results have rows for.
sub draw_all
{
    my ($gnuplot, $results) = @_;
    my %script;
    $script{ratio} = ratio_script(rows_of($results, 'suite'));
    $script{body} = curve_script('body', 'body, ns',
        'cost of an index / body alone',
        sub { $_[0]{median} / alone($_[1]) }, rows_of($results, 'body'));
    $script{trips} = curve_script('trips', 'indices of the loop', 'us a loop',
        sub { $_[0]{median} }, rows_of($results, 'trips'));

    my %pictures;
    for my $name (grep { defined $script{$_} } sort keys %script) {
        $pictures{$name} = draw($gnuplot, $name, $script{$name});
    }
    return \%pictures;
}

sub draw
{
    my ($gnuplot, $name, $script) = @_;
    my $file = File::Temp->new(SUFFIX => '.gp');
    binmode $file, ':utf8';
    print $file $script;
    close $file or die "$file: $!\n";

    open my $pipe, '-|', $gnuplot, "$file" or die "$gnuplot: $!\n";
    binmode $pipe, ':utf8';
    my $svg = do { local $/; <$pipe> };
    close $pipe or die "$gnuplot could not draw $name\n";
    return titled($svg, $name);
}

# gnuplot's hover texts need its script; those of SVG itself need none.  Several
# pictures on one page must not share an id.
sub titled
{
    my ($svg, $name) = @_;
    $svg =~ s{<g[ ]onmousemove="gnuplot_svg\.showHypertext\(evt,'([^"]*)'\)"
        [^>]*><title>\s*</title>}{<g><title>$1</title>}gx;
    $svg =~ s{<title>(gnuplot_plot_\d+|Gnuplot)</title>}{}g;
    $svg =~ s{\b(gpDot|gpPt\d|gnuplot_|textbox|greybox)}{$name-$1}g;
    return $svg;
}

# The same for the page: colours that its style sheet decides.
sub for_page
{
    my ($svg) = @_;
    my %name = reverse %colour;
    my $variable = sub {
        my ($property, $all, @rgb) = @_;
        my $name = $name{ sprintf '#%02x%02x%02x', @rgb };
        return $name ? "style=\"$property:var(--$name)\"" : $all;
    };
    $svg =~ s/^.*?(?=<svg)//s;
    $svg =~ s{<rect x="0" y="0"[^>]*fill="$colour{paper}"/>}{};
    $svg =~ s{((stroke|fill|color)=["']rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)["'])}
        {$variable->($2, $1, $3, $4, $5)}gex;
    return $svg;
}

# ---- scripts ----

sub head
{
    my ($height, $xlabel, $ylabel) = @_;
    return <<"END";
set encoding utf8
set terminal svg size 860,$height font "sans-serif,13" noenhanced \\
    background rgb "$colour{paper}"
set border 3 lc rgb "$colour{text}"
set tics nomirror out scale 0.5,0.25 textcolor rgb "$colour{text}"
set grid lt 1 lw 1 lc rgb "$colour{grid}"
set key textcolor rgb "$colour{text}"
set xlabel "$xlabel" textcolor rgb "$colour{text}"
set ylabel "$ylabel" textcolor rgb "$colour{text}"
END
}

sub clean # as text in gnuplot's quotes
{
    my ($text) = @_;
    $text =~ tr/"'\\`\n/ /;
    return $text;
}

# A line's or point's look: the colour tells the runtime, the rest its schedule.
sub looks
{
    my (@labels) = @_;
    my (%seen, %look);
    for my $label (@labels) {
        my ($runtime) = $label =~ /^(\S+)/;
        my $nth = $seen{$runtime}++;
        my $own = $runtime eq 'tweed';
        $look{$label} = {
            colour => $colour{$runtime} // $colour{other},
            point => ($own ? (7, 9) : (5, 9, 13, 11))[$nth] // 1,
            dash => (1, '(8,4)', '(2,3)', '(8,3,2,3)')[$nth] // 1,
            width => $own ? 3 : 1.5,
        };
    }
    return %look;
}

# A dot for each run, at the row's height; whiskers for tweed's.  A script is
# undef if there is nothing to draw.
sub ratio_script
{
    my (@rows) = sort { $a->{ratio} <=> $b->{ratio} }
        grep { ($_->{ratio} // 0) > 0 && is_good(tweed($_)) } @_;
    return undef if !@rows;
    my @labels = labels(grep { !is_serial($_) } runs_in(@rows));
    my %look = looks(@labels);
    my $left = min(0.9, map { 0.97 * ($_->{ratio_q1} || $_->{ratio}) } @rows);
    my $top = @rows + 1;
    my $tics = join ', ',
        map { '"' . clean(row_name($rows[$_])) . '" ' . ($_ + 1) } 0 .. $#rows;
    my @plots = (
        line_at(1, $top, 'text', 'best peer', 1),
        line_at($bar{suite}, $top, 'bar', "bar: $bar{suite}", '(6,3)'));
    push @plots, map { { data => "0 0\n",
        how => 'using (NaN):(NaN) with points '
        . "pt $look{$_}{point} ps 0.75 lc rgb \"$look{$_}{colour}\" "
        . 'title "' . clean($_) . '"' } } @labels;

    for my $label (reverse @labels) { # tweed on top of all
        my $own = $label eq 'tweed';
        my $data = join '', map { ratio_point($rows[$_], $label, $_ + 1) }
            0 .. $#rows;
        next if $data eq '';
        my ($colour, $size) = ($look{$label}{colour}, $own ? 0.75 : 0.55);
        push @plots, { data => $data, how => 'using 1:2:3:4 with xerrorbars '
            . "pt 0 ps 0 lw 2 lc rgb \"$colour\" notitle" } if $own;
        push @plots, points($data, '1:2:5', $look{$label}, $size);
    }
    return head(150 + 17 * @rows, 'time / time of the best peer, log scale; '
        . "what is beyond $clip is drawn there", '') . <<"END" . plot(@plots);
set logscale x
set xrange [$left:$clip * 1.03]
set yrange [0.3:$top - 0.3]
set xtics (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 1.75, 2, \\
    2.5, 3)
set ytics ($tics)
set key outside above horizontal Left reverse samplen 1.5 width -2 maxrows 4
END
}

sub ratio_point
{
    my ($row, $label, $y) = @_;
    my $run = run_named($row, $label);
    return '' if !is_good($run) || ($run->{ratio} // 0) <= 0;
    my @x = map { min($clip, $_ || $run->{ratio}) }
        map { $_ // 0 } @$run{qw(ratio ratio_q1 ratio_q3)};
    my $title = clean(row_name($row) . ": $label " . ratio($run->{ratio})
        . ' (' . figure($run->{median}) . " $row->{unit})");
    return "$x[0] $y $x[1] $x[2] \"$title\"\n";
}

sub line_at
{
    my ($x, $top, $colour, $title, $dash) = @_;
    return { data => "$x 0.3\n$x " . ($top - 0.3) . "\n",
        how => 'using 1:2 with lines lw 1.5 '
        . "dt $dash lc rgb \"$colour{$colour}\" title \"$title\"" };
}

# Points that say what they are when pointed at.
sub points
{
    my ($data, $using, $look, $size) = @_;
    return { data => $data, how => "using $using with labels hypertext point "
        . "pt $look->{point} ps $size lc rgb \"$look->{colour}\" notitle" };
}

# A curve for each runtime over x, both axes logarithmic; undef if all of it is
# a point.
sub curve_script
{
    my ($name, $xlabel, $ylabel, $y_of, @rows) = @_;
    @rows = sort { $a->{x} <=> $b->{x} } grep { ($_->{x} // 0) > 0 } @rows;
    return undef if !@rows || $rows[0]{x} == $rows[-1]{x};
    my @labels = labels(runs_in(@rows));
    my %look = looks(@labels);
    my @plots;

    for my $label (reverse @labels) {
        my $data = join '', map { curve_point($_, $label, $y_of) } @rows;
        next if $data eq '';
        my $look = $look{$label};
        my $line = "lc rgb \"$look->{colour}\" lw $look->{width} "
            . "dt $look->{dash}";
        push @plots, { data => $data, how => "using 1:2 with lines $line "
            . 'title "' . clean($label) . '"' };
        push @plots, points($data, '1:2:3', $look, 0.45);
    }
    return undef if !@plots;
    my $corner = $name eq 'body' ? 'right' : 'left';
    return head(520, $xlabel, $ylabel) . <<"END" . plot(@plots);
set logscale xy
set format "%.10g"
set xrange [] noextend
set yrange [] noextend
set key invert top $corner Left reverse samplen 4
END
}

sub curve_point
{
    my ($row, $label, $y_of) = @_;
    my $run = run_named($row, $label);
    return '' if !is_good($run) || $run->{median} <= 0;
    my $title = clean("$label, x = " . figure($row->{x}) . ': '
        . figure($run->{median}) . " $row->{unit}");
    return "$row->{x} " . $y_of->($run, $row) . " \"$title\"\n";
}

sub plot
{
    my (@plots) = @_;
    my ($data, @parts) = ('');
    for my $n (0 .. $#plots) {
        $data .= "\$d$n << END\n$plots[$n]{data}END\n";
        push @parts, "\$d$n $plots[$n]{how}";
    }
    return $data . 'plot ' . join(", \\\n    ", @parts) . "\n";
}

1;
