# The processes themselves: how each is started, ended and remembered.

package RunHere;

my ($SIGKILL, $SIGTERM, $SIGCONT) = (9, 15, 18);
my $STOPPED = 0x7f;
my $KILL_AGAIN_SECONDS = 1;
my $OWN_ID = $$;
my %by_pid;
my $kill_at;
my $first_end_at;
my $began_at;
my $terminating = 0;
my $terminal_settings;      # as they were when a rank got the terminal; nothing when none has

sub start_ranks {
    $began_at = clock();
    for my $rank (@ranks) {
        open_streams($rank);
        prepare_terminal() if $rank == $ranks[0];
        my $pid = fork;
        if (defined $pid && !$pid) { become_rank($rank) }
        let_go_of_streams($rank);
        if (!defined $pid) {
            complain("$rank->{node}: fork: $!");
            end_rank($rank, 1 << 8);
            next;
        }
        $running++;
        $rank->{pid} = $pid;
        $by_pid{$pid} = $rank;
        give_terminal($rank) if has_terminal($rank);
    }
}

# In the new process. Does not come back.
sub become_rank {
    my ($rank) = @_;
    if (has_terminal($rank) || is_shell() && !$plan{plain}) { setpgrp 0, 0 }
    else { own_session() }
    set_foreground_group(\*STDIN, $$) if has_terminal($rank);
    die_with_parent($OWN_ID);
    open STDERR, '>&', $rank->{err} if $rank->{err} != \*STDERR;
    open STDOUT, '>&', $rank->{out} if $rank->{out} != \*STDOUT;
    open STDIN, '<&', $rank->{in} if $rank->{in} != \*STDIN;
    for my $group (@{ $rank->{cgroup} }) {
        my $file;
        next if open($file, '>', $group) && syswrite $file, '0';
        fail_rank("slurmstepd-$rank->{node}: error: cannot join $group: $!\n", 1);
    }
    bind_to($rank->{cpus}) if defined $rank->{cpus};
    enter_directory($rank);
    restore_files_limit();
    my $environment = environment_of($rank);
    my $program = find_program($rank);
    my ($name, @arguments) = @{ $rank->{argument} };
    $program = $name if !defined $program;
    restore_signals();
    execute($program, [$program, @arguments], $environment);
    my $number = $! + 0;
    fail_rank("$plan{name}_starter: executing child process $program failed: $!\n", 1) if $plan{plain};
    fail_rank("slurmstepd-$rank->{node}: error: execve(): $program: $!\n", $number);
}

sub fail_rank {
    my ($sentence, $code) = @_;
    syswrite STDERR, $sentence;
    exit $code;
}

sub enter_directory {
    my ($rank) = @_;
    return if chdir $rank->{directory};
    fail_rank("$plan{name}_starter: cannot change to directory $rank->{directory}: $!\n", 1) if $plan{plain};
    syswrite STDERR, "slurmstepd-$rank->{node}: error: couldn't chdir to `$rank->{directory}': $!: "
        . "going to /tmp instead\n";
    $rank->{directory} = '/tmp';
    chdir '/tmp';
}

sub reap_ranks {
    my $options = $WNOHANG | (defined $terminal_settings ? $WUNTRACED : 0);
    while (my ($pid, $status, @usage) = reap_one($options)) {
        my $rank = $by_pid{$pid};
        next if !defined $rank;
        if (($status & 0xff) == $STOPPED) { stop_along_with($rank); next }
        delete $by_pid{$pid};
        $running--;
        end_rank($rank, $status, @usage);
    }
}

sub end_rank {
    my ($rank, $status, $user, $system, $peak) = @_;
    @$rank{qw(signal dumped code user system peak)} = ($status & 127, $status & 128, $status >> 8, $user, $system, $peak);
    $rank->{status} = $rank->{signal} ? 128 + $rank->{signal} : $rank->{code};
    $first_end_at = $now if !defined $first_end_at;
    note_end($rank);
    terminate() if $plan{killOnBadExit} && $rank->{status} != 0 && $running && !$terminating;
}

# One of them has ended badly, and the others are to go with it.
sub terminate {
    $terminating = 1;
    report_ends();
    remark('launch/slurm: _step_signal: Terminating ' . step_id());
    say_cancelled();
    signal_ranks($SIGTERM);
    kill_ranks_in($plan{graceMs} / 1000);
}

# The first has ended some time ago, and the others have had their time.
sub end_stragglers {
    $terminating = 1;
    report_ends();
    remark('First task exited ' . int($plan{waitMs} / 1000) . 's ago');
    say_states();
    remark('launch/slurm: _step_signal: Terminating ' . step_id());
    say_cancelled();
    say_aborted();
    kill_ranks_in(0);
}

# They have had all the time that there was for them.
sub end_at_limit {
    $terminating = 1;
    report_ends();
    say_cancelled(' DUE TO TIME LIMIT');
    signal_ranks($SIGTERM);
    kill_ranks_in($plan{graceMs} / 1000);
}

sub limit_at {
    return if !defined $plan{limitMs} || $terminating || $aborted;
    return $began_at + $plan{limitMs} / 1000;
}

# To the whole group of each. One that has none of its own yet gets it alone.
sub signal_ranks {
    my ($signal) = @_;
    for my $pid (keys %by_pid) { kill($signal, -$pid) || kill $signal, $pid }
}

sub kill_ranks_in {
    my ($seconds) = @_;
    my $at = $now + $seconds;
    $kill_at = $at if !defined $kill_at || $at < $kill_at;
    keep_time() if !$seconds;
}

sub straggling_at {
    return if !defined $plan{waitMs} || !defined $first_end_at || $terminating || $aborted;
    return $first_end_at + $plan{waitMs} / 1000;
}

sub keep_time {
    my ($report_at, $straggling_at, $limit_at) = (scalar report_due(), scalar straggling_at(), scalar limit_at());
    report_ends() if defined $report_at && $now >= $report_at;
    end_stragglers() if $running && defined $straggling_at && $now >= $straggling_at;
    end_at_limit() if $running && defined $limit_at && $now >= $limit_at && !$terminating;
    return if !defined $kill_at || $now < $kill_at;
    signal_ranks($SIGKILL);
    $kill_at = $now + $KILL_AGAIN_SECONDS;
}

# Until the next thing that is to be done by the clock. What the yard has to say is looked for once a second.
sub wait_seconds {
    my $until = $now + (defined signals_handle() ? 1 : 0.1);
    for my $at (report_due(), straggling_at(), limit_at(), $kill_at) { $until = $at if defined $at && $at < $until }
    return $until > $now ? $until - $now : 0;
}

# The end of the whole is that of the rank that ended worst.
sub step_end {
    my ($worst) = sort { $b->{status} <=> $a->{status} } @ranks;
    return { status => $worst->{status}, code => $worst->{signal} ? 0 : $worst->{code}, signal => $worst->{signal} };
}

sub exit_status {
    my $end = step_end();
    return is_shell() && !$plan{plain} ? $end->{code} : $end->{status};
}

# A terminal has one group in its foreground: the rank that works with it, and us again when it has stopped or ended.
sub prepare_terminal {
    return if !$plan{terminal} || !-t STDIN;
    my $group = foreground_group(\*STDIN);
    return if !defined $group || $group != getpgrp;
    $terminal_settings = terminal_settings(\*STDIN);
    $SIG{TTOU} = 'IGNORE';
}

sub has_terminal {
    my ($rank) = @_;
    return defined $terminal_settings && $rank == $ranks[0];
}

sub give_terminal {
    my ($rank) = @_;
    setpgrp $rank->{pid}, $rank->{pid};
    set_foreground_group(\*STDIN, $rank->{pid});
}

sub take_terminal_back {
    return if !defined $terminal_settings;
    set_foreground_group(\*STDIN, getpgrp);
    set_terminal_settings(\*STDIN, $terminal_settings);
}

# Ctrl-Z stops what has the terminal; the shell that waits for us can only see that we stop.
sub stop_along_with {
    my ($rank) = @_;
    return if !has_terminal($rank);
    my $settings = terminal_settings(\*STDIN);
    take_terminal_back();
    kill 'STOP', $$;
    my $group = foreground_group(\*STDIN);
    if (defined $group && $group == getpgrp) {
        set_terminal_settings(\*STDIN, $settings) if defined $settings;
        give_terminal($rank);
    }
    kill $SIGCONT, -$rank->{pid};
}

1;
