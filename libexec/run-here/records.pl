# The files by which a yard knows who runs what and how it ended (src/agent/claim.ts, exit-record.ts, step-record.ts).
# Whoever writes the first line has it. A yard that stops what we run adds `say …` for us to pass on.

package RunHere;

my ($STEADY_TRIES, $TRY_SECONDS) = (60, 1);
my %records;        # by kind, job or step: path, handle, how much of it was read
my %heard;          # what the yard has said already
our $stopped_by_yard = 0;

# The job's first: who holds the job holds its steps. False when one of them is not ours to have.
sub claim_records {
    my $claim = claim_line();
    for my $kind (grep { defined $plan{"${_}Record"} } 'job', 'step') {
        my $path = $plan{"${kind}Record"};
        # Without a file it is over and forgotten.
        open my $file, '+<', $path or return not_ours();
        open my $end, '>>', $path or return not_ours();
        syswrite $end, $claim;
        my $first = first_line($file);
        return not_ours() if !defined $first || $first ne $claim;
        $records{$kind} = { path => $path, file => $file, end => $end, read => length $claim };
    }
    return 1;
}

sub not_ours {
    write_records({ status => 1, code => 1, signal => 0 });
    return 0;
}

# Our number alone would not do: another process may have it one day.
sub claim_line {
    my $stat = contents('/proc/self/stat');
    my $start_ticks = (split ' ', substr $stat, rindex($stat, ')') + 2)[19];
    my ($uptime) = contents('/proc/uptime') =~ /^(\S+)/;
    my ($boot) = contents('/proc/sys/kernel/random/boot_id') =~ /^(\S+)/;
    return "$$ $boot $start_ticks " . (int($uptime * 100) - 1) . " 0\n";
}

sub first_line {
    my ($file) = @_;
    sysread $file, my $bytes, 4096;
    return defined $bytes && $bytes =~ /^(.*\n)/ ? $1 : undef;
}

sub contents {
    my ($path) = @_;
    open my $file, '<', $path or return '';
    local $/;
    my $bytes = <$file>;
    return defined $bytes ? $bytes : '';
}

# Passes on what the yard has added since we looked last.
sub hear_the_yard {
    my $kind = defined $records{step} ? 'step' : 'job';
    my $record = $records{$kind} or return;
    return if (-s $record->{file} || 0) <= $record->{read};
    sysseek $record->{file}, $record->{read}, 0;
    sysread $record->{file}, my $bytes, 65536;
    return if !defined $bytes;
    # What is not a whole line yet is left for the next time.
    $bytes =~ s/[^\n]*\z//;
    $record->{read} += length $bytes;
    for my $line (grep { !$heard{$_}++ } $bytes =~ /^say (.*\n)/mg) {
        say_aborted() if !$stopped_by_yard++ && !is_shell();
        say_aside($line);
    }
}

# The status is known nowhere else, so a disk that is full is waited for, though not for ever. Without the lines of
# the ranks the record fits into what the file has already.
sub write_records {
    my ($end) = @_;
    add_to($records{step}, rank_lines(), "exit $end->{code} $end->{signal}\nend\n") if defined $records{step};
    add_to($records{job}, '', times_lines() . "status $end->{status}\nend\n") if defined $records{job};
}

sub add_to {
    my ($record, $details, $essence) = @_;
    return if written($record, $details . $essence);
    for (1 .. $STEADY_TRIES) {
        return if written($record, "\n$essence") || !-e $record->{path} || waiting_signals();
        select undef, undef, undef, $TRY_SECONDS;
    }
}

sub written {
    my ($record, $bytes) = @_;
    my $count = syswrite $record->{end}, $bytes;
    return defined $count && $count == length $bytes;
}

sub rank_lines {
    my $known = sub { defined $_[0] ? $_[0] : '-' };
    return join '', map {
        "rank $_->{number} $_->{status} " . join(' ', map { $known->($_) } @$_{qw(user system peak)}) . "\n"
    } grep { defined $_->{status} } @ranks;
}

# As a shell's `times` prints them: its own, which are nothing here, and its children's.
sub times_lines {
    my ($user, $system) = (0, 0);
    $user += $_->{user} || 0, $system += $_->{system} || 0 for @ranks;
    my $text = sub { sprintf '%dm%.3fs', int($_[0] / 60000), $_[0] % 60000 / 1000 };
    return "0m0s 0m0s\n" . $text->($user) . ' ' . $text->($system) . "\n";
}

1;
