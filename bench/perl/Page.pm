# Page.pm - the results as one HTML page that needs no other file.
#
# SPDX-License-Identifier: MIT
package Page;

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use Bars;
use Pictures;
use Results;
use Tables;

our @EXPORT = qw(page);

# `pictures`: name => SVG; `gnuplot`: whether there was one to draw them.
sub page
{
    my ($results, $pictures, $gnuplot) = @_;
    my @verdicts = verdicts($results);
    my ($tweed) = grep { $_->{name} eq 'tweed' } @{ $results->{runtimes} };
    my $title = join ' ', 'tweed', $tweed ? $tweed->{version} : (),
        'against its peers';

    return join '', head($title), '<header><h1>', escape($title), '</h1><p>',
        escape(machine_text($results)), "</p></header>\n",
        (map { '<p class="notice"><strong>' . escape($_) . "</strong></p>\n" }
            notices($results)),
        summary($results, @verdicts),
        $gnuplot ? '' : "<p class=\"notice\">No pictures: there was no gnuplot "
            . "when this page was made. The tables have all the figures.</p>\n",
        suite($results, $pictures, \@verdicts),
        overheads($results, $pictures, @verdicts),
        section('The runtimes', '', table(runtime_table($results))),
        "</main></body></html>\n";
}

sub head
{
    my ($title) = @_;
    my $file = "$FindBin::RealBin/perl/page.css";
    open my $in, '<', $file or die "$file: $!\n";
    my $style = do { local $/; <$in> };
    close $in;
    return <<"END";
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>@{[escape($title)]}</title>
<style>
$style</style></head>
<body><main>
END
}

# ---- the top: all in a few numbers ----

sub summary
{
    my ($results, @verdicts) = @_;
    my @missed = grep { !$_->{met} } @verdicts;
    my @suite = grep { $_->{row} && $_->{row}{group} eq 'suite' } @verdicts;
    my $within = grep { $_->{met} } @suite;
    my ($mean) = grep { !$_->{row} } @verdicts;
    my @wrong = wrong_runs($results);
    my @tiles;

    push @tiles, tile(@verdicts - @missed . ' of ' . @verdicts, 'bars met',
        !@missed)
        if @verdicts;
    push @tiles, tile("$within of " . @suite,
        "rows of the suite within $bar{suite} of the best peer",
        $within == @suite)
        if @suite;
    push @tiles, tile(defined $mean->{value} ? ratio($mean->{value}) : 'none',
        "geometric mean of the suite's times "
        . "against the strongest single peer: $mean->{note}", $mean->{met})
        if $mean;
    push @tiles, tile(scalar @wrong,
        @wrong == 1 ? 'wrong answer' : 'wrong answers',
        !@wrong);

    return '<section class="tiles">' . join('', @tiles) . "</section>\n"
        . complaint('wrong', 'Wrong answers: these times count for nothing',
            map { row_name($_->[0]) . ': ' . label($_->[1]) } @wrong)
        . (@missed ? section('Bars that are not met', '',
            table(verdict_table(@missed))) : '')
        . complaint('notice', 'No answer', map { row_name($_->[0]) . ': '
            . label($_->[1]) . ", $_->[1]{failed}" } failed_runs($results));
}

sub tile
{
    my ($number, $words, $good) = @_;
    my $class = $good ? 'met' : 'unmet';
    return "<div class=\"tile $class\"><b>" . mark($class) . escape($number)
        . '</b><span>' . escape($words) . '</span></div>';
}

sub complaint
{
    my ($class, $title, @lines) = @_;
    return '' if !@lines;
    return "<section class=\"$class\"><strong>" . escape($title)
        . '</strong><ul>'
        . join('', map { '<li>' . escape($_) . '</li>' } @lines)
        . "</ul></section>\n";
}

# ---- pictures and tables ----

sub suite
{
    my ($results, $pictures, $verdicts) = @_;
    return '' if !rows_of($results, 'suite');
    return section('The suite', <<'END', picture($pictures->{ratio}))
Each kernel's time, as a part of the time of the peer that was the fastest at
this very kernel: median of the ratios by round, and quartiles.  Left of 1:
faster than every peer.
END
        . section('The suite in figures', <<'END',
tweed with default options.  Ideal: the serial work divided among the workers,
or the heaviest index.  The last columns are tweed's own counts for one run of
the kernel.
END
            table(suite_table($results, $verdicts)))
        . section('No peer for everything', <<'END',
Every runtime's time divided by that of the best peer of the row.  Once: so slow
that it was measured only once.
END
            table(ratio_table($results)))
        . section('One peer for everything', means_text(),
            table(means_table($results)));
}

sub overheads
{
    my ($results, $pictures, @verdicts) = @_;
    my @overhead = grep { $_->{row} && $_->{row}{group} eq 'overhead' }
        @verdicts;

    return curve($results, $pictures, 'overhead', 'Overheads', <<'END')
What a loop and an index cost.  In bold the best; serial does not compete.
END
        . (@overhead ? section('Bars of the overheads', <<'END',
Median and quartiles of the ratios by round; where there are no rounds to
compare (one of the two was measured once), the quotient of the medians.
END
            table(verdict_table(@overhead))) : '')
        . curve($results, $pictures, 'body',
            'The cost of an index, by what its body costs', <<'END')
Wall time times workers, for an index, divided by what the body alone takes,
which is serial's time: serial is at 1, and 1 is free of overhead.  The folded
figures are not divided: nanoseconds.
END
        . curve($results, $pictures, 'trips',
            'The cost of a loop, by its number of indices', <<'END');
Where a curve meets that of serial a parallel loop begins to pay.
END
}

# A group's picture, with the figures behind it folded; or just the figures.
sub curve
{
    my ($results, $pictures, $group, $title, $text) = @_;
    return '' if !rows_of($results, $group);
    my $table = table(matrix_table($results, $group));
    my $picture = picture($pictures->{$group});

    $table = "<details><summary>The figures</summary>$table</details>"
        if $picture;
    return section($title, $text, $picture . $table);
}

sub section
{
    my ($title, $text, $body) = @_;
    $text = '<p>' . escape($text) . '</p>' if $text ne '';
    return '<section><h2>' . escape($title) . "</h2>$text$body</section>\n";
}

sub picture
{
    my ($svg) = @_;
    return '' if !$svg;
    return '<div class="scroll picture">' . for_page($svg) . "</div>\n";
}

sub table
{
    my ($table) = @_;
    my $html = '<div class="scroll"><table><thead><tr>';
    my $first = $table->{rows}[0] // [];

    for my $n (0 .. $#{ $table->{columns} }) {
        my $class = ref $first->[$n] && ($first->[$n]{class} // '') eq 'left'
            ? ' class="left"' : '';
        $html .= "<th$class>" . escape($table->{columns}[$n]) . '</th>';
    }
    $html .= "</tr></thead><tbody>\n";
    for my $row (@{ $table->{rows} }) {
        $html .= '<tr>' . join('', map { cell($_) } @$row) . "</tr>\n";
    }
    return "$html</tbody></table></div>\n";
}

sub cell
{
    my ($cell) = @_;
    $cell = { text => $cell } if !ref $cell;
    my $class = $cell->{class} // '';
    my $open = '<td';

    $open .= " class=\"$class\"" if $class ne '';
    $open .= ' title="' . escape($cell->{title}) . '"'
        if defined $cell->{title};
    return "$open>" . mark($class) . escape($cell->{text})
        . ($cell->{span} ? span_bar(@{ $cell->{span} }) : '') . '</td>';
}

# Met or not is to be seen without colours, too.
sub mark
{
    my ($class) = @_;
    return $class eq 'met' ? '&#10003; ' : $class eq 'unmet' ? '&#10007; ' : '';
}

# Quartiles and median on a line from 0.8 to 1.25, logarithmic: 1 in the middle.
sub span_bar
{
    my ($low, $middle, $high) = map {
        my $n = defined $_ && $_ > 0 ? log($_) / log(1.25) : undef;
        defined $n ? 50 + 50 * ($n < -1 ? -1 : $n > 1 ? 1 : $n) : undef } @_;
    return '' if !defined $low || !defined $middle || !defined $high;
    my $bar = 50 + 50 * log($bar{suite}) / log(1.25);
    my $class = $_[1] <= $bar{suite} ? 'met' : 'unmet';
    return sprintf '<div class="span %s"><s style="left:%.1f%%"></s>'
        . '<i style="left:%.1f%%;width:%.1f%%"></i>'
        . '<b style="left:%.1f%%"></b></div>',
        $class, $bar, $low, $high - $low, $middle;
}

sub escape
{
    my ($text) = @_;
    my %entity = ('&' => 'amp', '<' => 'lt', '>' => 'gt', '"' => 'quot');
    $text =~ s/([&<>"])/&$entity{$1};/g;
    return $text;
}

1;
