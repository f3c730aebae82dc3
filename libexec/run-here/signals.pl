# Signals that we get, and what becomes of them. They wait in the kernel until they are asked for, so that none is
# missed between two looks; where the kernel cannot be asked, perl's own handlers have to do.

package RunHere;

my %NUMBERS = (HUP => 1, INT => 2, QUIT => 3, USR1 => 10, USR2 => 12, ALRM => 14, TERM => 15, CHLD => 17, CONT => 18);
my ($SIG_BLOCK, $SIG_SETMASK, $SFD_FLAGS, $SIGINFO_BYTES) = (0, 2, 02000000 | 04000, 128);
my $INTERRUPT_SECONDS = 1;
our $SIGCONT_NUMBER = 18;
my $handle;
my $mask_before;
my $ignores_pipe;
my @caught;
my $interrupted_at;

# What the caller had told us to ignore (nohup, a job in the background) stays ignored, by us and by the ranks.
sub begin_to_hear_signals {
    my @heard = grep { ($SIG{$_} || '') ne 'IGNORE' || $_ eq 'CHLD' } keys %NUMBERS;
    $ignores_pipe = ($SIG{PIPE} || '') eq 'IGNORE';
    $SIG{PIPE} = 'IGNORE';
    $SIG{WINCH} = 'DEFAULT';
    return if hear_through_kernel(@heard);
    for my $name (@heard) { $SIG{$name} = sub { push @caught, $NUMBERS{ $_[0] } } }
}

sub hear_through_kernel {
    my (@names) = @_;
    my $bits = 0;
    $bits |= 1 << ($NUMBERS{$_} - 1) for @names;
    my ($mask, $before) = (pack('Q', $bits), "\0" x 8);
    return 0 if call('rt_sigprocmask', $SIG_BLOCK, $mask, $before, 8) != 0;
    my $fd = call('signalfd4', -1, $mask, 8, $SFD_FLAGS);
    if ($fd < 0 || !open $handle, '<&=', $fd) {
        call('rt_sigprocmask', $SIG_SETMASK, $before, 0, 8);
        undef $handle;
        return 0;
    }
    $mask_before = $before;
    $SIG{$_} = 'DEFAULT' for @names;
    return 1;
}

sub signals_handle { return $handle }

# In a rank's own process, before it becomes one.
sub restore_signals {
    $SIG{$_} = 'DEFAULT' for 'FPE', 'TTOU', ($ignores_pipe ? () : 'PIPE');
    if (defined $mask_before) { call('rt_sigprocmask', $SIG_SETMASK, $mask_before, 0, 8) }
    else { $SIG{$_} = 'DEFAULT' for grep { ref $SIG{$_} } keys %NUMBERS }
}

# Numbers, in the order in which they came. That a child has ended is seen elsewhere.
sub waiting_signals {
    if (defined $handle) {
        while (sysread $handle, my $bytes, 16 * $SIGINFO_BYTES) {
            push @caught, unpack 'L', substr $bytes, 0, $SIGINFO_BYTES, '' while length $bytes >= $SIGINFO_BYTES;
        }
    }
    return grep { $_ != $NUMBERS{CHLD} } splice @caught;
}

sub take_signal {
    my ($signal) = @_;
    return if $signal == $NUMBERS{ALRM};
    return signal_ranks($signal) if is_shell();
    if ($signal == $NUMBERS{INT}) { interrupt() }
    elsif ($signal == $NUMBERS{TERM} || $signal == $NUMBERS{HUP} || $signal == $NUMBERS{QUIT}) { force() }
    else {
        remark('got SIGCONT') if $signal == $NUMBERS{CONT};
        signal_ranks($signal);
    }
}

# One Ctrl-C asks how things are, two in a row end them.
sub interrupt {
    if ($plan{quitOnInterrupt}) {
        remark('sending Ctrl-C to ' . step_id());
        return signal_ranks($NUMBERS{INT});
    }
    if (!defined $interrupted_at || $now - $interrupted_at > $INTERRUPT_SECONDS) {
        $interrupted_at = $now;
        remark('interrupt (one more within 1 sec to abort)');
        return say_states();
    }
    return force() if $interrupted;
    $interrupted = 1;
    remark('sending Ctrl-C to ' . step_id());
    signal_ranks($NUMBERS{INT});
    remark('forcing job termination');
    say_aborted();
    say_cancelled();
    kill_ranks_in(0.2);
}

sub force {
    remark('forcing job termination');
    say_aborted();
    say_cancelled();
    kill_ranks_in(0);
}

1;
