# Bars.pm - what tweed has to reach, and whether it did.
#
# SPDX-License-Identifier: MIT
package Bars;

use strict;
use warnings;
use Exporter 'import';
use List::Util 'sum';
use Results;

our @EXPORT = qw(verdicts means wrong_runs failed_runs %bar);

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
#   { name, bar (in words), value, met, row (where it is one row's), note }
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

sub verdict
{
    my ($row, $name, $words, $value, $met, $note) = @_;
    my $run = tweed($row);
    my %verdict = (row => $row, name => $name, bar => $words, note => $note);

    if (is_good($run)) {
        return if !defined $value; # there is nothing to compare with
        return { %verdict, value => $value, met => $met };
    }
    return if !$run; # not measured
    return { %verdict, met => 0,
        note => $run->{failed} // 'tweed gave a wrong answer' };
}

sub suite
{
    my ($row) = @_;
    my $ratio = $row->{ratio};

    return verdict($row, row_name($row), "at most $bar{suite} x the best peer",
        $ratio, defined $ratio && $ratio <= $bar{suite}, $row->{best_peer});
}

sub noop
{
    my ($row) = @_;
    my ($name, @verdicts) = row_name($row);

    if (my $limit = $bar{noop}{ $row->{form} }) {
        my $value = quotient(tweed($row), run_named($row, 'libgomp static'));
        push @verdicts, verdict($row, $name,
            sprintf('at most %.2f x libgomp static', $limit),
            $value, defined $value && $value <= $limit);
    }
    return @verdicts if $row->{form} ne 'index';
    for my $peer ('libgomp dynamic,1', 'libomp dynamic,1') {
        my $value = quotient(run_named($row, $peer), tweed($row));
        push @verdicts, verdict($row, "$name, $peer",
            "at least $bar{dynamic} x tweed",
            $value, defined $value && $value >= $bar{dynamic});
    }
    return @verdicts;
}

sub empty
{
    my ($row) = @_;
    my ($best) = sort { $a->{median} <=> $b->{median} } peers($row);
    my $value = quotient(tweed($row), $best);

    return verdict($row, row_name($row), 'below every peer', $value,
        defined $value && $value < $bar{empty}, $best && label($best));
}

# tweed against each single peer schedule (and serial) on the suite, the
# strongest first: { peer, mean, rows (that both have) }
sub means
{
    my ($results) = @_;
    my @rows = rows_of($results, 'suite');
    my @means;

    for my $label (labels_in(@rows)) {
        next if $label =~ /^tweed/;
        my @logs = map { log } grep { defined }
            map { scalar quotient(tweed($_), run_named($_, $label)) } @rows;
        push @means, { peer => $label, rows => scalar @logs,
            mean => exp(sum(@logs) / @logs) } if @logs;
    }
    return sort { $b->{mean} <=> $a->{mean} } @means;
}

sub geometric_mean
{
    my ($results) = @_;
    my ($best) = grep { $_->{peer} ne 'serial' } means($results);

    return if !$best;
    return { name => 'geometric mean of the suite',
        bar => 'below 1 against the best single peer schedule',
        value => $best->{mean}, met => $best->{mean} < $bar{mean},
        note => $best->{peer} };
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
