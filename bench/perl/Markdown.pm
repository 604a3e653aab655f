# Markdown.pm - the tables as plain text, for a document.
#
# SPDX-License-Identifier: MIT
package Markdown;

use strict;
use warnings;
use Exporter 'import';
use Bars;
use Results;
use Tables;

our @EXPORT = qw(markdown);

sub markdown
{
    my ($results) = @_;
    my @verdicts = verdicts($results);
    my @missed = grep { !$_->{met} } @verdicts;
    my @overhead = grep { $_->{row} && $_->{row}{group} eq 'overhead' }
        @verdicts;
    my $text = join '', (map { '**' . escape($_) . "**\n\n" }
            notices($results)),
        machine_text($results), ".\n\n", table(runtime_table($results));

    $text .= section('Wrong answers', join '', map {
        '- ' . row_name($_->[0]) . ': ' . label($_->[1]) . "\n" }
        wrong_runs($results));
    $text .= section('No answer', join '', map {
        '- ' . row_name($_->[0]) . ': ' . label($_->[1])
        . ", $_->[1]{failed}\n" }
        failed_runs($results));
    $text .= section('Bars', sprintf("%d of %d met%s\n", @verdicts - @missed,
        scalar @verdicts, @missed ? "; not met (!):\n\n"
        . table(verdict_table(@missed)) : '.'));
    $text .= section('Suite', table(suite_table($results, \@verdicts)));
    $text .= section('Suite: time / time of the best peer',
        table(ratio_table($results)));
    my $means = table(means_table($results));
    $text .= section('Suite: tweed against one peer for all kernels',
        $means && means_text() . "\n$means");
    $text .= section('Overheads', table(matrix_table($results, 'overhead')));
    $text .= section('Bars of the overheads',
        table(verdict_table(@overhead)));
    $text .= section('Cost of an index by cost of the body (not divided)',
        table(matrix_table($results, 'body')));
    $text .= section('Cost of a loop by number of indices',
        table(matrix_table($results, 'trips')));
    return $text;
}

sub section # nothing if there is nothing to show
{
    my ($title, $body) = @_;
    return $body eq '' ? '' : "\n## $title\n\n$body";
}

# What only a picture can show is left out: a column whose cells are all empty.
sub table
{
    my ($table) = @_;
    my @rows = map { [map { cell($_) } @$_] } @{ $table->{rows} };
    return '' if !@rows;
    my @used = grep { my $n = $_; grep { $_->[$n] ne '' } @rows }
        0 .. $#{ $table->{columns} };
    my @rule = map { my $first = $table->{rows}[0][$_];
        ref $first && ($first->{class} // '') eq 'left'
            ? '---' : '---:' } @used;

    return join '', map { '| ' . join(' | ', @$_) . " |\n" }
        [map { escape($_) } @{ $table->{columns} }[@used]], \@rule,
        map { [@$_[@used]] } @rows;
}

sub cell
{
    my ($cell) = @_;
    return escape($cell) if !ref $cell;
    my $class = $cell->{class} // '';
    my $text = escape($cell->{text});

    return "**$text !**" if $class eq 'unmet';
    return "**$text**" if $class eq 'best' || $class eq 'wrong';
    return $text;
}

sub escape
{
    my ($text) = @_;
    $text =~ s/([|*_`<\\])/\\$1/g;
    return $text;
}

1;
