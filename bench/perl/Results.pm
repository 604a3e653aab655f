# Results.pm - a results file, read and checked: one JSON object a line.
#
# SPDX-License-Identifier: MIT
package Results;

use strict;
use warnings;
use Exporter 'import';
use JSON::PP;
use Scalar::Util 'looks_like_number';

our @EXPORT = qw(read_results rows_of runs_in label labels run_named is_good
    is_serial is_peer peers tweed row_name best_peer comparison);

my %groups = map { $_ => 1 } qw(suite overhead body trips);

# What a line of each type must have; '#': a number.
my %required = (
    machine => { cpus => '#', workers => '#', rounds => '#' },
    runtime => { name => '', version => '' },
    row => { kernel => '', form => '', group => '', unit => '' },
);
my @row_numbers = qw(x ideal ratio ratio_q1 ratio_q3);
my @run_numbers = qw(median q1 q3 ratio ratio_q1 ratio_q3);

# A file's machine, runtimes and rows.  Dies with one line that says what is
# wrong, and where.
sub read_results
{
    my ($file) = @_;
    my $json = JSON::PP->new->utf8;
    my %results = (runtimes => [], rows => []);

    open my $in, '<', $file or die "$file: $!\n";
    while (my $line = <$in>) {
        next if $line !~ /\S/;
        my $object = eval { $json->decode($line) };
        die "$file:$.: not a JSON object\n" if ref $object ne 'HASH';
        my $problem = take($object, \%results);
        die "$file:$.: $problem\n" if $problem;
    }
    close $in or die "$file: $!\n";
    die "$file: no machine line\n" if !$results{machine};
    die "$file: no rows\n" if !@{ $results{rows} };
    return \%results;
}

# Adds one line's object to the results, or says what is wrong with it.
sub take
{
    my ($object, $results) = @_;
    my $type = $object->{type} // '';
    my $required = $required{$type} or return "unknown type '$type'";

    for my $key (sort keys %$required) {
        my $value = $object->{$key};
        return "$type without $key" if !defined $value || ref $value;
        return "$type: $key is not a number"
            if $required->{$key} && !looks_like_number($value);
    }
    if ($type eq 'machine') {
        return 'a second machine line' if $results->{machine};
        $results->{machine} = $object;
    } elsif ($type eq 'runtime') {
        push @{ $results->{runtimes} }, $object;
    } else {
        push @{ $results->{rows} }, $object;
        return row_problem($object);
    }
    return;
}

sub row_problem
{
    my ($row) = @_;
    my $name = "row $row->{kernel}";

    return "$name: unknown group '$row->{group}'" if !$groups{ $row->{group} };
    return "$name: no runs"
        if ref $row->{runs} ne 'ARRAY' || !@{ $row->{runs} };
    my $problem = no_number($row, @row_numbers);
    return "$name: $problem" if $problem;
    for my $run (@{ $row->{runs} }) {
        return "$name: a run without runtime"
            if ref $run ne 'HASH' || !defined $run->{runtime};
        next if defined $run->{failed};
        my $what = "$name, " . label($run);
        return "$what: neither median and right nor failed"
            if !defined $run->{median} || !defined $run->{right};
        $problem = no_number($run, @run_numbers)
            || no_number($run->{counts} // {}, keys %{ $run->{counts} // {} })
            || no_samples($run->{samples} // []);
        return "$what: $problem" if $problem;
    }
    return;
}

sub no_number
{
    my ($object, @keys) = @_;
    for my $key (@keys) {
        my $value = $object->{$key};
        return "$key is not a number"
            if defined $value && !looks_like_number($value);
    }
    return;
}

sub no_samples
{
    my ($samples) = @_;
    return 'samples is not an array' if ref $samples ne 'ARRAY';
    return 'a sample is not a number'
        if grep { !looks_like_number($_) } @$samples;
    return;
}

# ---- rows and runs ----

sub rows_of
{
    my ($results, $group) = @_;
    return grep { $_->{group} eq $group } @{ $results->{rows} };
}

# "libgomp static"; a schedule that is the only one or the default goes unsaid.
sub label
{
    my ($run) = @_;
    return short_label("$run->{runtime} " . ($run->{schedule} // ''));
}

sub short_label
{
    my ($label) = @_;
    $label =~ s/ (default)?$//;
    return $label;
}

sub runs_in
{
    return map { @{ $_->{runs} } } @_;
}

# All labels of these runs: tweed first, serial last, else as they come.
sub labels
{
    my (%place, @labels);
    for my $run (@_) {
        my $label = label($run);
        push @labels, $label if !exists $place{$label};
        $place{$label} = is_serial($run) ? 2 : is_peer($run) ? 1 : 0;
    }
    return sort { $place{$a} <=> $place{$b} } @labels; # is stable
}

sub run_named
{
    my ($row, $label) = @_;
    my ($run) = grep { label($_) eq $label } @{ $row->{runs} };
    return $run;
}

# Its time counts: it ended, with the right answer.
sub is_good
{
    my ($run) = @_;
    return $run && !defined $run->{failed} && $run->{right};
}

# The loop without a runtime: shown, but it does not compete.
sub is_serial
{
    my ($run) = @_;
    return $run && $run->{runtime} eq 'serial';
}

sub is_peer
{
    my ($run) = @_;
    return $run->{runtime} ne 'tweed' && !is_serial($run);
}

sub peers # the good ones
{
    my ($row) = @_;
    return grep { is_peer($_) && is_good($_) } @{ $row->{runs} };
}

# tweed as a user gets it.
sub tweed
{
    my ($row) = @_;
    return run_named($row, 'tweed');
}

# The run that the harness has named, or nothing.
sub best_peer
{
    my ($row) = @_;
    return run_named($row, short_label($row->{best_peer} // ''));
}

# "triad, range": the form unless it is the usual one.
sub row_name
{
    my ($row) = @_;
    return $row->{kernel} . ($row->{form} eq 'index' ? '' : ", $row->{form}");
}

# How many times the second run's time the first one's is: { value }, with q1
# and q3 if it is taken by round; undef if one of them does not count.
sub comparison
{
    my ($run, $other) = @_;
    return undef if !is_good($run) || !is_good($other);
    return undef if $run->{median} <= 0 || $other->{median} <= 0;

    my @ratios = sort { $a <=> $b } ratios_by_round($run, $other);
    my $n = @ratios;
    return { value => $run->{median} / $other->{median} } if !$n;
    return { value => ($ratios[$n / 2] + $ratios[($n - 1) / 2]) / 2,
        q1 => $ratios[$n / 4], q3 => $ratios[$n - 1 - int($n / 4)] };
}

# Two samples of one round were taken side by side, and a machine's slow drift
# is in both.  None if there are no such pairs.
sub ratios_by_round
{
    my ($run, $other) = @_;
    return if $run->{once} || $other->{once};
    my @over = @{ $run->{samples} // [] };
    my @under = @{ $other->{samples} // [] };
    return if @over != @under || grep { $_ <= 0 } @over, @under;
    return map { $over[$_] / $under[$_] } 0 .. $#over;
}

1;
