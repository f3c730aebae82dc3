# All that is said on the caller's stderr, in the words of Slurm: tools look for them.

package RunHere;

my $GATHER_SECONDS = 0.1;
my @SIGNAL_WORDS = split /\|/, '|Hangup|Interrupt|Quit|Illegal instruction|Trace/breakpoint trap|Aborted|Bus error'
    . '|Floating point exception|Killed|User defined signal 1|Segmentation fault|User defined signal 2|Broken pipe'
    . '|Alarm clock|Terminated|Stack fault|Child exited|Continued|Stopped (signal)|Stopped|Stopped (tty input)'
    . '|Stopped (tty output)|Urgent I/O condition|CPU time limit exceeded|File size limit exceeded'
    . '|Virtual timer expired|Profiling timer expired|Window changed|I/O possible|Power failure|Bad system call';
my ($SIGKILL, $SIGTERM) = (9, 15);
my @unreported;     # ranks that have ended since something was said about that
my $report_at;
our $aborted = 0;   # it was said that the step is being ended
our $interrupted = 0;

# `srun: …`
sub remark { aside("$plan{name}: $_[0]\n") if !$plan{quiet} }
sub complain { aside("$plan{name}: error: $_[0]\n") }
sub step_id { return "StepId=$plan{stepName}" }

# Whole lines, past everything that may be waiting to be written.
sub aside {
    my ($bytes) = @_;
    while (length $bytes) {
        my $count = syswrite STDERR, $bytes;
        if (defined $count) { substr $bytes, 0, $count, '' }
        elsif ($! == $EAGAIN) { select undef, undef, undef, 0.01 }
        elsif ($! != $EINTR) { return }
    }
}

sub say_aside { aside($_[0]) }

sub say_aborted {
    my $seconds = int($plan{graceMs} / 1000) + 2;
    remark("Job step aborted: Waiting up to $seconds seconds for job step to finish.") if !$aborted;
    $aborted = 1;
}

# As the keeper of the step would on each node.
sub say_cancelled {
    my ($reason) = @_;
    $reason = '' if !defined $reason;
    my ($second, $minute, $hour, $day, $month, $year) = localtime;
    my $at = sprintf '%04d-%02d-%02dT%02d:%02d:%02d', $year + 1900, $month + 1, $day, $hour, $minute, $second;
    my $node = $ranks[0]{node};
    aside("slurmstepd-$node: error: *** STEP $plan{stepName} ON $node CANCELLED AT $at$reason ***\n");
}

sub say_states {
    my (%numbers);
    for my $rank (@ranks) {
        my $state = !defined $rank->{status} ? 'running' : $rank->{status} == 0 ? 'exited' : 'exited abnormally';
        push @{ $numbers{$state} }, $rank->{number};
    }
    for my $state (grep { defined $numbers{$_} } 'running', 'exited abnormally', 'exited') {
        remark(step_id() . ' ' . tasks(@{ $numbers{$state} }) . ": $state");
    }
}

# `task 0`, `tasks 0-2,5`
sub tasks {
    my @numbers = sort { $a <=> $b } @_;
    my @runs;
    for my $number (@numbers) {
        if (@runs && $runs[-1][1] == $number - 1) { $runs[-1][1] = $number }
        else { push @runs, [$number, $number] }
    }
    my $list = join ',', map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @runs;
    return (@numbers == 1 ? 'task ' : 'tasks ') . $list;
}

# Ranks that end together are spoken of together.
sub note_end {
    push @unreported, $_[0];
    $report_at = $now + $GATHER_SECONDS if !defined $report_at;
}

sub report_due { return $report_at }

sub report_ends {
    my @ended = splice @unreported;
    undef $report_at;
    return if is_shell();
    my (%members, @order);
    for my $rank (sort { $a->{number} <=> $b->{number} } @ended) {
        my $words = end_words($rank);
        next if !defined $words;
        push @order, "$rank->{node}\0$words" if !defined $members{"$rank->{node}\0$words"};
        push @{ $members{"$rank->{node}\0$words"} }, $rank->{number};
    }
    for my $key (@order) {
        my ($node, $words) = split /\0/, $key;
        complain("$node: " . tasks(@{ $members{$key} }) . ": $words");
    }
}

sub end_words {
    my ($rank) = @_;
    return if $rank->{status} == 0 || $interrupted && $rank->{signal};
    return "Exited with exit code $rank->{code}" if !$rank->{signal};
    my $words = $SIGNAL_WORDS[ $rank->{signal} ];
    $words = 'Real-time signal ' . ($rank->{signal} - 34) if !defined $words;
    return $words . ($rank->{dumped} ? ' (core dumped)' : '');
}

sub say_farewell {
    if (!is_shell()) {
        my $forced = grep { ($_->{signal} || 0) == $SIGKILL || ($_->{signal} || 0) == $SIGTERM } @ranks;
        remark('Force Terminated ' . step_id()) if $forced && !$aborted;
    }
    # Whoever was told that the place is gone need not give it back.
    aside("$plan{farewell}\n") if defined $plan{farewell} && !$stopped_by_yard;
}

# What we were to run was taken back before we came.
sub refused {
    my ($job) = $plan{attempt} =~ /^(\d+)/;
    if ($plan{plain}) { aside("error: job $job has ended\n") }
    elsif (is_shell()) { remark("Job allocation $job has been revoked.") }
    else { complain(step_id() . ' was cancelled before it began') }
    return 1;
}

1;
