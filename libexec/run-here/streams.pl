# Where ranks read from and write to. Mostly they have the caller's own streams, and nothing passes through here; only
# lines that are to be labelled do, and input that several ranks are to have.

package RunHere;

my ($O_WRONLY, $O_CREAT, $O_TRUNC, $O_APPEND) = (1, 0100, 01000, 02000);
my ($CHUNK_BYTES, $PIPE_BYTES, $MOST_WAITING_BYTES) = (65536, 4096, 1 << 20);
my $SPARE_FILES = 64;
my %files;          # output files that are open, by path
my %sinks;          # where labelled lines go: handle, what is waiting to be written, whether that is in vain
my @sources;        # where they come from: handle, sink, label, an unfinished line
my @readers;        # ranks that get the caller's input from us: handle, what is waiting
my $input_is_open = 0;
my $label_width;

# Gives a sentence when something cannot be had.
sub prepare_streams {
    for my $rank (@ranks) {
        for my $stream ('stdout', 'stderr') {
            my ($mode, $path) = output_file($rank, $stream) or next;
            next if defined $files{$path};
            my $flags = $O_WRONLY | $O_CREAT | $O_APPEND | ($mode eq 'truncate' ? $O_TRUNC : 0);
            sysopen $files{$path}, $path, $flags, 0666 or return "Could not open $stream file: $!";
        }
    }
    for my $path (map { input_file($_) } $plan{input} eq 'files' ? @ranks : $ranks[0]) {
        open my $file, '<', $path or return "Could not open stdin file: $!";
    }
    open $files{'/dev/null'}, '+<', '/dev/null' or return "Could not open /dev/null: $!";
    $label_width = length((sort { $b <=> $a } map { $_->{number} } @ranks)[0]);
    $input_is_open = $plan{input} eq 'all' && @ranks > 1;
    my $each = ($plan{label} ? 2 : 0) + ($input_is_open ? 1 : 0);
    allow_files($each * @ranks + keys(%files) + $SPARE_FILES) if $each;
    return;
}

sub output_file {
    my ($rank, $stream) = @_;
    my ($mode, $path) = ($rank->{$stream} || '') =~ /^(truncate|append) (.*)\z/s or return;
    return ($mode, $path =~ m{^/} ? $path : "$rank->{directory}/$path");
}

# Nothing when it reads from no file.
sub input_file {
    my ($rank) = @_;
    return $rank->{stdin} if defined $rank->{stdin};
    return $plan{input} =~ /^file (.*)\z/s ? $1 : ();
}

# What a rank is to have as 0, 1 and 2. To be called just before it is started, and let go of just after.
sub open_streams {
    my ($rank) = @_;
    $rank->{in} = input_for($rank);
    $rank->{out} = output_for($rank, 'stdout', \*STDOUT);
    $rank->{err} = defined $rank->{stderr} ? output_for($rank, 'stderr', \*STDERR) : $rank->{out};
}

sub let_go_of_streams {
    my ($rank) = @_;
    delete @$rank{qw(in out err)};
}

sub output_for {
    my ($rank, $stream, $callers) = @_;
    my (undef, $path) = output_file($rank, $stream);
    my $target = defined $path ? $files{$path} : $rank->{$stream} eq 'none' ? $files{'/dev/null'} : $callers;
    return $target if !$plan{label} || $rank->{$stream} eq 'none';
    pipe my $read, my $write or return $target;
    set_blocking($read, 0);
    my $key = defined $path ? $path : $stream;
    my $sink = $sinks{$key} ||= { handle => $target, waiting => '', closed => 0, is_file => -f $target };
    push @sources, {
        handle => $read, sink => $sink, line => '', label => sprintf("%${label_width}d: ", $rank->{number}),
    };
    return $write;
}

sub input_for {
    my ($rank) = @_;
    if (defined(my $path = input_file($rank))) {
        open my $file, '<', $path or return $files{'/dev/null'};
        return $file;
    }
    my ($only) = $plan{input} =~ /^rank (\d+)\z/;
    my $gets_it = $plan{input} eq 'all' || defined $only && $only == $rank->{number};
    return $files{'/dev/null'} if !$gets_it || $plan{terminal} && $rank != $ranks[0];
    return may_read_input() ? \*STDIN : $files{'/dev/null'} if !$input_is_open || $plan{terminal};
    pipe my $read, my $write or return $files{'/dev/null'};
    set_blocking($write, 0);
    push @readers, { handle => $write, waiting => '' };
    return $read;
}

# Behind the back of a terminal's foreground nobody may read from it: it would be somebody else's input.
sub may_read_input {
    return 1 if !-t STDIN;
    my $group = foreground_group(\*STDIN);
    return !defined $group || $group == getpgrp;
}

# Waits at most so long for something to happen, and moves what can be moved.
sub move_bytes {
    my ($seconds) = @_;
    my ($readable, $writable) = ('', '');
    my $signals = signals_handle();
    vec($readable, fileno $signals, 1) = 1 if defined $signals;
    for my $source (@sources) {
        vec($readable, fileno $source->{handle}, 1) = 1 if length $source->{sink}{waiting} < $MOST_WAITING_BYTES;
    }
    my $reads_input = $input_is_open && !grep({ length $_->{waiting} >= $MOST_WAITING_BYTES } @readers)
        && may_read_input();
    vec($readable, 0, 1) = 1 if $reads_input;
    for my $target (values %sinks, @readers) {
        vec($writable, fileno $target->{handle}, 1) = 1 if length $target->{waiting};
    }
    my $count = select $readable, $writable, undef, $seconds;
    return if $count <= 0;
    read_source($_) for grep { vec $readable, fileno $_->{handle}, 1 } @sources;
    @sources = grep { defined $_->{handle} } @sources;
    read_input() if $reads_input && vec $readable, 0, 1;
    write_waiting($_) for grep { vec $writable, fileno $_->{handle}, 1 } values %sinks, @readers;
    forget_closed_readers();
}

sub read_source {
    my ($source) = @_;
    my $got = sysread $source->{handle}, my $bytes, $CHUNK_BYTES;
    return if !defined $got && ($! == $EAGAIN || $! == $EINTR);
    if ($source->{sink}{closed}) { undef $source->{handle}; return }
    if (!$got) {
        end_line($source);
        undef $source->{handle};
        return;
    }
    $source->{line} .= $bytes;
    my $end = rindex $source->{line}, "\n";
    if ($end < 0) {
        # A line without end is not kept for ever.
        end_line($source) if length $source->{line} >= $MOST_WAITING_BYTES;
        return;
    }
    my @lines = split /\n/, substr($source->{line}, 0, $end, ''), -1;
    substr $source->{line}, 0, 1, '';
    $source->{sink}{waiting} .= $source->{label} . join("\n$source->{label}", @lines ? @lines : '') . "\n";
}

sub end_line {
    my ($source) = @_;
    return if $source->{line} eq '';
    $source->{sink}{waiting} .= "$source->{label}$source->{line}\n";
    $source->{line} = '';
}

# So much as a pipe takes without making us wait, once it takes anything at all.
sub write_waiting {
    my ($target) = @_;
    my $most = $target->{is_file} ? length $target->{waiting} : $PIPE_BYTES;
    my $count = syswrite $target->{handle}, $target->{waiting}, $most;
    if (defined $count) { substr $target->{waiting}, 0, $count, ''; return }
    return if $! == $EAGAIN || $! == $EINTR;
    complain("cannot write: $!") if $! != $EPIPE;
    # Whoever writes to it is to notice.
    @$target{qw(waiting closed)} = ('', 1);
    for my $source (grep { $_->{sink} == $target } @sources) { undef $source->{handle} }
    @sources = grep { defined $_->{handle} } @sources;
}

sub read_input {
    my $got = sysread STDIN, my $bytes, $CHUNK_BYTES;
    return if !defined $got && ($! == $EAGAIN || $! == $EINTR);
    if ($got) { $_->{waiting} .= $bytes for @readers }
    else { $input_is_open = 0 }
}

# A rank that has closed its input needs no more; at the end of ours, neither do the others.
sub forget_closed_readers {
    @readers = grep { !$_->{closed} && ($input_is_open || length $_->{waiting}) } @readers;
    $input_is_open = 0 if !@readers;
}

# The ranks have ended. What is still in their pipes is theirs; what somebody they left behind might yet write is not.
sub drain_streams {
    @readers = ();
    $input_is_open = 0;
    for my $source (@sources) {
        while (defined $source->{handle}) {
            my $before = length($source->{line}) + length $source->{sink}{waiting};
            read_source($source);
            last if defined $source->{handle} && length($source->{line}) + length($source->{sink}{waiting}) == $before;
        }
        end_line($source);
    }
    @sources = ();
    while (grep { length $_->{waiting} } values %sinks) {
        move_bytes(1);
        last if grep { $_ != $SIGCONT_NUMBER } waiting_signals();
    }
}

1;
