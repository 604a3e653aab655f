# Bars.pm - what tweed has to reach, and whether it did.
#
# SPDX-License-Identifier: MIT
package Bars;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any sum);
use Results;

our @EXPORT = qw(verdicts means row_count wrong_runs failed_runs %bar);

our %bar = (
    suite => 1.03,   # the best of all peers' schedules times this, at most
    mean => 1,       # the best single peer schedule: below it
    noop => {        # libgomp static's time for an index of it, at most
        index => 1.10,
        inlined => 1.02,
    },
    dynamic => 40,   # dynamic,1 is at least this many times dearer
    empty => 1,      # the best peer: below it
);

# Everything that has a bar and was measured:
#   { name, bar (in words), value, q1, q3, met, row (where it is one row's),
#     note }
sub verdicts
{
    my ($results) = @_;
    my @overhead = rows_of($results, 'overhead');

    return (
        (map { suite($_) } rows_of($results, 'suite')),
        geometric_mean($results),
        (map { noop($_) } grep { $_->{kernel} eq 'noop' } @overhead),
        (map { empty($_) } grep { $_->{kernel} eq 'empty' } @overhead),
    );
}

# `compared`: { value, q1, q3 }; `met` tells of a value whether it will do.
sub verdict
{
    my ($row, $name, $words, $compared, $met, $note) = @_;
    my $run = tweed($row);
    my %verdict = (row => $row, name => $name, bar => $words, note => $note);

    if (is_good($run)) {
        return if !$compared; # there is nothing to compare with
        return { %verdict, %$compared, met => $met->($compared->{value}) };
    }
    return if !$run; # not measured
    return { %verdict, met => 0,
        note => $run->{failed} // 'tweed gave a wrong answer' };
}

sub suite
{
    my ($row) = @_;
    my %compared = (value => $row->{ratio}, q1 => $row->{ratio_q1},
        q3 => $row->{ratio_q3});

    return verdict($row, row_name($row), "at most $bar{suite} x the best peer",
        defined $row->{ratio} ? \%compared : undef,
        sub { $_[0] <= $bar{suite} }, $row->{best_peer});
}

sub noop
{
    my ($row) = @_;
    my ($name, @verdicts) = row_name($row);

    if (my $limit = $bar{noop}{ $row->{form} }) {
        push @verdicts, verdict($row, $name,
            sprintf('at most %.2f x libgomp static', $limit),
            comparison(tweed($row), run_named($row, 'libgomp static')),
            sub { $_[0] <= $limit });
    }
    return @verdicts if $row->{form} ne 'index';
    for my $peer ('libgomp dynamic,1', 'libomp dynamic,1') {
        my $run = run_named($row, $peer);
        push @verdicts, verdict($row, "$name, $peer",
            "at least $bar{dynamic} x tweed", comparison($run, tweed($row)),
            sub { $_[0] >= $bar{dynamic} },
            $run && $run->{once} ? 'measured once' : '');
    }
    return @verdicts;
}

sub empty
{
    my ($row) = @_;
    my ($best) = sort { $a->{median} <=> $b->{median} } peers($row);

    return verdict($row, row_name($row), 'below every peer',
        comparison(tweed($row), $best), sub { $_[0] < $bar{empty} },
        $best && label($best));
}

# ---- one peer for the whole suite ----

# A suite row's kernel: once in the mean, however many rows it has.  The loads
# by formula are one kernel: every shape with every mean is a row, and these
# would count for as much as all others.
sub kernel_of
{
    my ($row) = @_;
    return $row->{kernel} =~ /-(?:50ns|1us|50us)$/ ? 'synthetic'
        : $row->{kernel};
}

sub average
{
    return sum(@_) / @_;
}

# tweed against each single schedule (and serial) on the suite, the strongest
# first: { peer, serial, mean, kernels and rows (that both have), whole (these
# are all that tweed has) }
sub means
{
    my ($results) = @_;
    my @rows = grep { is_good(tweed($_)) } rows_of($results, 'suite');
    my @runs = grep { is_peer($_) || is_serial($_) } runs_in(@rows);
    my @means;

    for my $label (labels(@runs)) {
        my (%logs, $count);
        for my $row (@rows) {
            my $ratio = comparison(tweed($row), run_named($row, $label));
            next if !$ratio;
            push @{ $logs{ kernel_of($row) } }, log $ratio->{value};
            $count++;
        }
        next if !$count;
        my $serial = any { is_serial($_) && label($_) eq $label } @runs;
        push @means, { peer => $label, serial => $serial,
            mean => exp(average(map { average(@$_) } values %logs)),
            kernels => scalar keys %logs, rows => $count,
            whole => $count == @rows };
    }
    return sort { $b->{mean} <=> $a->{mean} } @means;
}

# A peer that has no time for some rows cannot be the strongest by the others.
sub geometric_mean
{
    my ($results) = @_;
    my @peers = grep { !$_->{serial} } means($results);
    my ($best) = grep { $_->{whole} } @peers;
    my %verdict = (name => 'geometric mean of the suite',
        bar => 'below 1 against the strongest single peer');

    return if !@peers;
    return { %verdict, met => 0, note => 'no peer has all rows' } if !$best;
    return { %verdict, value => $best->{mean},
        met => $best->{mean} < $bar{mean},
        note => "$best->{peer}, " . row_count($best) };
}

sub row_count
{
    my ($mean) = @_;
    return "$mean->{kernels} kernel" . ($mean->{kernels} == 1 ? '' : 's')
        . " in $mean->{rows} row" . ($mean->{rows} == 1 ? '' : 's');
}

# [row, run] of those whose answer was wrong, and of those that gave none.
sub wrong_runs
{
    my ($results) = @_;
    return pick($results, sub { !defined $_[0]{failed} && !$_[0]{right} });
}

sub failed_runs
{
    my ($results) = @_;
    return pick($results, sub { defined $_[0]{failed} });
}

sub pick
{
    my ($results, $wanted) = @_;
    my @picked;
    for my $row (@{ $results->{rows} }) {
        push @picked, map { [$row, $_] }
            grep { $wanted->($_) } @{ $row->{runs} };
    }
    return @picked;
}

1;
