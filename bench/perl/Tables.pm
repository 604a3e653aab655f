# Tables.pm - what the tables say, whatever they are written as.
#
# SPDX-License-Identifier: MIT
package Tables;

use strict;
use warnings;
use Exporter 'import';
use Bars;
use Results;

our @EXPORT = qw(figure ratio machine_text notices runtime_table suite_table
    matrix_table ratio_table means_table means_text verdict_table count_text);

# A table is { columns => [name, ...], rows => [[cell, ...], ...] }; a cell is a
# text or { text, title (more of it), class, span ([low, middle, high]) }.
# Classes: left (words), met, unmet, best, wrong, failed, quiet.

my $least_rounds = 7; # for medians to rely on

# ---- numbers ----

sub figure # three digits that count
{
    my ($n) = @_;
    return '' if !defined $n;
    my $size = abs $n;
    my $digits = $size >= 100 ? 0 : $size >= 10 ? 1 : $size >= 1 ? 2 : 3;
    my $text = sprintf '%.*f', $digits, $n;
    1 while $text =~ s/^(-?\d+)(\d{3})/$1,$2/;
    return $text;
}

sub ratio
{
    my ($n) = @_;
    return defined $n && abs $n < 10 ? sprintf('%.3f', $n) : figure($n);
}

sub count_text # a mean over runs, so it may have a fraction: 1234.5 is 1.23 k
{
    my ($n) = @_;
    $n = sprintf '%.3g', $n;
    for my $unit ([1e9, ' G'], [1e6, ' M'], [1e3, ' k']) {
        my ($size, $letter) = @$unit;
        return sprintf('%.3g', $n / $size) . $letter if $n >= $size;
    }
    return $n;
}

sub spread
{
    my ($low, $high, $words) = @_;
    return '' if !defined $low || !defined $high;
    return $words->($low) . ' - ' . $words->($high);
}

# ---- cells ----

# A run's figure, or why there is none.
sub run_cell
{
    my ($run, $unit, $text) = @_;
    return { text => '', class => 'quiet', title => 'not measured' } if !$run;
    my $name = label($run);
    return { text => 'failed', class => 'failed',
        title => "$name: $run->{failed}" }
        if defined $run->{failed};
    return { text => 'WRONG', class => 'wrong', title => "$name: wrong answer" }
        if !$run->{right};
    my $title = "$name: $run->{median} $unit";
    $title .= ", quartiles $run->{q1} and $run->{q3}"
        if defined $run->{q1} && defined $run->{q3} && !$run->{once};
    $text //= figure($run->{median});
    return { text => $text . ($run->{once} ? ' (once)' : ''), title => $title };
}

sub name_cell
{
    my ($row) = @_;
    return { text => row_name($row), class => 'left', title => $row->{what} };
}

sub words
{
    return { text => $_[0] // '', class => 'left' };
}

# ---- tables ----

sub machine_text
{
    my ($results) = @_;
    my %m = %{ $results->{machine} };
    my @parts = ($m{cpu}, "$m{cpus} CPUs");

    push @parts, "$m{nodes} NUMA nodes" if ($m{nodes} // 1) > 1;
    push @parts, sprintf '%.1f GiB', $m{memory} / 2**30 if $m{memory};
    push @parts, $m{system};
    push @parts, $m{compiler};
    push @parts, "$m{workers} workers", "$m{rounds} rounds";
    push @parts, "size $m{size}" if defined $m{size};
    push @parts, $m{date};
    return join '; ', grep { defined && length } @parts;
}

# What keeps the figures from being what they seem.
sub notices
{
    my ($results) = @_;
    my %m = %{ $results->{machine} };
    my @notices;

    push @notices, 'Set in the environment, which changes what was measured: '
        . $m{environment}
        if length($m{environment} // '');
    push @notices, "Fewer than $least_rounds rounds: "
        . 'not figures to rely on.'
        if $m{rounds} < $least_rounds;
    return @notices;
}

sub runtime_table
{
    my ($results) = @_;
    return { columns => ['runtime', 'version', 'schedules'],
        rows => [map { [words($_->{name}), words($_->{version}),
            words(join '; ', @{ $_->{schedules} // [] })] }
            @{ $results->{runtimes} }] };
}

sub suite_table
{
    my ($results, $verdicts) = @_;
    my @rows = rows_of($results, 'suite');
    my %verdict = map { $_->{row} ? ($_->{row} => $_) : () } @$verdicts;
    my @counts = qw(loops steals fences proposals returns);

    return { columns => ['kernel', 'size', 'tweed', 'quartiles', 'ideal',
            '/ ideal', 'best peer', 'its time', '/ best peer', 'quartiles',
            '0.8 to 1.25', @counts],
        rows => [map { [suite_cells($_, $verdict{$_}),
            count_cells($_, @counts)] }
            @rows] };
}

sub suite_cells
{
    my ($row, $verdict) = @_;
    my $run = tweed($row);
    my $best = best_peer($row);
    my $good = is_good($run) ? $run : {};
    my $ideal = $row->{ideal};
    my $compared = %$good ? $row : {};
    my ($q1, $middle, $q3) = @$compared{qw(ratio_q1 ratio ratio_q3)};

    return (name_cell($row), words($row->{size}),
        run_cell($run, $row->{unit}, figure($good->{median}) . " $row->{unit}"),
        $good->{once} ? '' : spread($good->{q1}, $good->{q3}, \&figure),
        figure($ideal),
        %$good && $ideal ? ratio($good->{median} / $ideal) : '',
        words($best && label($best)),
        $best ? run_cell($best, $row->{unit}) : '',
        { text => ratio($middle), title => $verdict && $verdict->{bar},
            class => !$verdict ? '' : $verdict->{met} ? 'met' : 'unmet' },
        spread($q1, $q3, \&ratio),
        { text => '', span => [$q1 // $middle, $middle, $q3 // $middle] });
}

sub count_cells
{
    my ($row, @names) = @_;
    my $run = tweed($row);
    my $counts = is_good($run) ? $run->{counts} // {} : {};

    return map { !defined $counts->{$_} ? '' :
        { text => count_text($counts->{$_}), class => 'quiet',
            title => "$_: $counts->{$_}" } } @names;
}

# All runtimes' figures, the best marked.  Serial does not compete: it has no
# other threads to start or to wait for.
sub matrix_table
{
    my ($results, $group) = @_;
    my @rows = rows_of($results, $group);
    my @labels = labels(runs_in(@rows));
    my $curve = grep { $_->{x} } @rows;
    my @cells;

    for my $row (@rows) {
        my ($best) = sort { $a <=> $b } map { $_->{median} }
            grep { is_good($_) && !is_serial($_) } runs_in($row);
        my @line = (name_cell($row));
        push @line, $curve ? figure($row->{x}) : words($row->{size});
        push @line, words($row->{unit});
        for my $run (map { run_named($row, $_) } @labels) {
            my $cell = run_cell($run, $row->{unit});
            $cell->{class} = 'best' if is_good($run) && defined $best
                && !is_serial($run) && $run->{median} == $best;
            push @line, $cell;
        }
        push @cells, \@line;
    }
    return { columns => ['', $curve ? 'x' : 'size', 'unit', @labels],
        rows => \@cells };
}

# The suite again: every runtime's time against the best peer's.
sub ratio_table
{
    my ($results) = @_;
    my @rows = rows_of($results, 'suite');
    my @labels = labels(runs_in(@rows));
    my @cells;

    for my $row (@rows) {
        my @line = (name_cell($row));
        for my $run (map { run_named($row, $_) } @labels) {
            my $n = is_good($run) ? $run->{ratio} : undef;
            my $cell = run_cell($run, $row->{unit},
                defined $n ? sprintf('%.2f', $n) : undef);
            $cell->{class} = heat($n) if defined $n && !is_serial($run);
            push @line, $cell;
        }
        push @cells, \@line;
    }
    return { columns => ['kernel', @labels], rows => \@cells };
}

# How far above the best: as far as the bar, 10%, 30%, twice, more.
sub heat
{
    my ($ratio) = @_;
    my @limits = ($bar{suite}, 1.1, 1.3, 2);
    return 'heat' . grep { $ratio > $_ } @limits;
}

sub means_table
{
    my ($results) = @_;
    my $all = rows_of($results, 'suite');

    return { columns => ['against', 'geometric mean', 'kernels', 'rows'],
        rows => [map { [words($_->{peer}),
            { text => ratio($_->{mean}), class => mean_class($_) },
            $_->{kernels}, "$_->{rows} of $all"] } means($results)] };
}

# Only peers that have all rows are judged.
sub mean_class
{
    my ($mean) = @_;
    return 'quiet' if $mean->{serial} || !$mean->{whole};
    return $mean->{mean} < $bar{mean} ? 'met' : 'unmet';
}

sub means_text
{
    return <<'END';
Geometric mean of tweed's time divided by that of one runtime and schedule, the
same for all kernels.  Each kernel counts once: first the mean over its rows is
taken (two forms; all shapes and means of the synthetic loads, which are one
kernel), then that over the kernels.  The strongest single peer is the one with
the highest mean among those that have a time for every row.  This is not the
geometric mean at the end of bench's own output: that is over rows, against the
best peer of each row.
END
}

sub verdict_table
{
    my (@verdicts) = @_;
    return { columns => ['what', 'bar', 'reached', 'quartiles', ''],
        rows => [map { [words($_->{name}), words($_->{bar}),
            { text => defined $_->{value} ? ratio($_->{value}) : 'nothing',
                class => $_->{met} ? 'met' : 'unmet' },
            spread($_->{q1}, $_->{q3}, \&ratio), words($_->{note})] }
            @verdicts] };
}

1;
