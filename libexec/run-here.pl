# Runs what a yard has handed over: the ranks of a step, or the shell of an allocation, as children of this process
# and in its own terminal. The yard is not in the way of a single byte, and may die and come back meanwhile. Who runs
# what, and how it ended, is written into files that a yard finds whenever it looks (docs/decisions/005-steps.md).
# Read by libexec/command.pl when a plan has come; like that, it loads no module.

package RunHere;

our %plan;          # what is said about all ranks
our @ranks;         # one hash each: what is said about it, and what has become of it
our $now = 0;       # seconds of a clock that nobody sets
our $running = 0;   # ranks that have not ended
my $ROOT = __FILE__;
$ROOT =~ s{\.pl\z}{/};
for my $part (qw(kernel plan records words streams ranks signals)) {
    do "$ROOT$part.pl" or die "cannot read $ROOT$part.pl: " . ($@ || $!) . "\n";
}

# Gives the exit status. The yard's connection is closed once it can see that we have begun.
sub run {
    my ($plan, $environment, $yard, @signals) = @_;
    begin_to_hear_signals();
    read_plan($plan, $environment);
    if (!claim_records()) {
        close $yard if defined $yard;
        return refused();
    }
    close $yard if defined $yard;
    $now = clock();
    my $obstacle = prepare_streams();
    return end_without_ranks($obstacle) if defined $obstacle;
    if (is_shell() && !$plan{plain} && !defined find_program($ranks[0])) {
        return end_without_ranks(qq{_fork_command: Unable to find command "$ranks[0]{argument}[0]"});
    }
    start_ranks();
    take_signal($_) for @signals;
    watch_over_ranks() while $running;
    write_records(step_end());
    drain_streams();
    report_ends();
    take_terminal_back();
    say_farewell();
    return exit_status();
}

# One round: what has happened since the last one, then the wait for the next.
sub watch_over_ranks {
    $now = clock();
    take_signal($_) for waiting_signals();
    reap_ranks();
    hear_the_yard();
    keep_time();
    return if !$running;
    move_bytes(wait_seconds());
}

sub end_without_ranks {
    my ($obstacle) = @_;
    complain($obstacle);
    write_records({ status => 1, code => 1, signal => 0 });
    say_farewell();
    return 1;
}

# Whether this is not spoken of as tasks: it is no step but the command of an allocation, or it is to be run plainly.
sub is_shell { return !defined $plan{step} || $plan{plain} }

1;
