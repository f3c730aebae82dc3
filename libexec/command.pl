# The quick client: carries one command to the yard and brings its output and exit code back. The protocol is
# described in src/model/frames.ts, where yards are looked for in src/client/places.ts; the same client in
# TypeScript is src/client/command-client.ts. It loads no module at all, since loading one costs more than
# everything else here, and therefore carries the few numbers of Linux (x64 and arm64) that it needs.
# What a yard hands over to be run here is the business of libexec/run-here.pl, which other commands do not read.
# bin/trainyard runs it with: our directory, the witness's process id, the name we were called by, arguments.

my ($ROOT, $WITNESS, $NAME, @ARGUMENTS) = @ARGV;

my $AF_UNIX = 1;
my $SOCK_STREAM = 1;
my ($SOL_SOCKET, $SO_PEERCRED, $SO_SNDTIMEO) = (1, 17, 21);
my $SEND_FLAGS = 0x4000 | 0x40;    # MSG_NOSIGNAL | MSG_DONTWAIT
my ($O_NONBLOCK, $O_PATH) = (04000, 010000000);
my ($O_DIRECTORY, $O_NOFOLLOW) = flags_of_this_machine();
my $TIOCGWINSZ = 0x5413;
my ($EINTR, $EAGAIN, $EPIPE) = (4, 11, 32);
my $CHUNK_BYTES = 65536;
my $POINTER_BYTES = 4096;
my $MAX_FRAME_BYTES = 16 * 1024 * 1024;
my $CONNECT_SECONDS = 10;
my %SIGNALS = (HUP => 1, INT => 2, QUIT => 3, USR1 => 10, USR2 => 12, TERM => 15);
my %ENDING = (HUP => 1, INT => 1, QUIT => 1, TERM => 1);
# Only this client can run what these are given, so it stays although there is no yard yet.
my $RUNS_HERE = $NAME =~ /^(?:srun|salloc|qrsh|qlogin)\z/;
# Node does these, whether or not there is a yard.
my $IS_NODES = $NAME =~ /^glb-(?:start|run)\z/
    || $NAME =~ /^(?:trainyard|yard)\z/ && ((grep { !/^-/ } @ARGUMENTS)[0] || '') =~ /^(?:up|down|top)\z/;
my ($LOOKS_FOR_A_YARD, $LOOK_SECONDS, $MOST_RETURNS) = (25, 0.05, 20);

my $yard;               # the connection
my $listener;           # the user who listens at its other end
my $to_yard = '';       # bytes not sent yet
my $from_yard = '';     # bytes of an unfinished header or frame
my $sending = 0;
my ($ended_by, $ended_at);  # the signal that asked us to end, and when
my $environment;        # the caller's own
my $request;            # all but its end
my $ticket;             # by which the next yard knows what this one began for us
my $returns = 0;        # how often we had to look for the next yard

become_node() if $IS_NODES;
if (!connect_to_a_yard()) {
    become_node() if !$RUNS_HERE;
    start_a_yard();
}
$request = request();
dismiss_the_witness();
forward_signals();
ask();
relay();

sub become_node {
    $SIG{$_} = 'DEFAULT' for grep { ($SIG{$_} || '') ne 'IGNORE' } keys %SIGNALS;
    exec { 'node' } 'node', "${ROOT}libexec/client.cjs", $WITNESS, $NAME, @ARGUMENTS
        or complain('this needs Node.js 20 or newer to start a yard, and there is no node in PATH', 127);
}

# As a child, which ends when there is one, or has said why there is none.
sub start_a_yard {
    my $child = fork;
    if (defined $child && !$child) {
        exec { 'node' } 'node', "${ROOT}libexec/client.cjs", 0, 'trainyard', 'up', '--quiet'
            or complain('this needs Node.js 20 or newer to start a yard, and there is no node in PATH', 127);
    }
    1 while defined $child && waitpid($child, 0) < 0 && $! == $EINTR;
    my $failed = !defined $child || $?;
    return if !$failed && connect_to_a_yard();
    dismiss_the_witness();
    exit 1 if $failed;
    complain('the yard that was started does not answer', 1);
}

sub connect_to_a_yard {
    my $is_named = length($ENV{TRAINYARD_DIR} || '');
    for my $place (places()) {
        my ($path, $trusted) = socket_of($place, $is_named, !$is_named && $place =~ m{^(?:/var)?/tmp/trainyard-\d+\z});
        return 1 if defined $path && connect_at($path, $trusted);
    }
    return 0;
}

# Two flags of open have other numbers on arm64. The kind of machine is said in the head of every program, ours included.
sub flags_of_this_machine {
    my $arm64 = 183;
    open my $file, '<', '/proc/self/exe' or return (0x10000, 0x20000);
    my $got = sysread $file, my $head, 20;
    return $got && $got == 20 && unpack('x18S', $head) == $arm64 ? (0x4000, 0x8000) : (0x10000, 0x20000);
}

# The same rule as in src/client/places.ts.
sub places {
    return $ENV{TRAINYARD_DIR} if length($ENV{TRAINYARD_DIR} || '');
    my @places = ("/var/tmp/trainyard-$>", "/tmp/trainyard-$>");
    if (($ENV{XDG_STATE_HOME} || '') =~ m{^/}) { unshift @places, "$ENV{XDG_STATE_HOME}/trainyard" }
    elsif (($ENV{HOME} || '') =~ m{^/}) { unshift @places, "$ENV{HOME}/.local/state/trainyard" }
    return @places;
}

# Where the yard of a directory listens, and who may listen there. Nothing where the directory or its pointer cannot be
# trusted: where somebody has named it, Node says why. Everything is read through the descriptor of the directory.
sub socket_of {
    my ($place, $is_named, $is_shared) = @_;
    sysopen my $directory, $place, $O_PATH | $O_DIRECTORY | ($is_shared ? $O_NOFOLLOW : 0) or return;
    my ($device, $inode, $mode, $owner) = (stat $directory)[0, 1, 2, 4];
    # Root may name the directory of anybody, and then talks to its owner.
    my $trusted = { 0 => 1, $> => 1, ($is_named && $> == 0 && defined $owner ? ($owner => 1) : ()) };
    return if !defined $owner || !$trusted->{$owner} || $mode & 022;
    # A fifo, a link or a device in the place of the file makes nobody wait.
    sysopen my $file, '/proc/self/fd/' . fileno($directory) . '/socket', $O_NOFOLLOW | $O_NONBLOCK or return;
    my ($file_mode, $file_owner) = (stat $file)[2, 4];
    return if !-f _ || !$trusted->{$file_owner} || $file_mode & 022;
    sysread $file, my $text, $POINTER_BYTES or return;
    my ($path, $identity) = split /\n/, $text, 3;
    # A pointer that was written for another directory has been copied along with it.
    return if $path !~ m{^/} || length $path > 107 || length($identity || '') && $identity ne "$device $inode";
    return ($path, $trusted);
}

# Connects, and asks the kernel who listens there: nobody but whom we trust is sent anything.
sub connect_at {
    my ($path, $trusted) = @_;
    socket $yard, $AF_UNIX, $SOCK_STREAM, 0 or return 0;
    setsockopt $yard, $SOL_SOCKET, $SO_SNDTIMEO, pack 'l!l!', $CONNECT_SECONDS, 0;
    if (connect $yard, pack 'Sa*x', $AF_UNIX, $path) {
        $listener = (unpack 'lLL', getsockopt($yard, $SOL_SOCKET, $SO_PEERCRED) || '')[1];
        return 1 if defined $listener && $trusted->{$listener};
    }
    close $yard;
    return 0;
}

sub ask {
    $from_yard = '';
    $to_yard = $request . (defined $ticket ? frame('k', "ticket=$ticket") : '') . frame('g', '');
    # What will be needed is read while the yard is at work.
    if ($RUNS_HERE) { send_waiting(); learn_to_run_here() }
    receive_the_upgrade();
}

# The yard has gone, and what it began for us is with the one that comes next.
sub ask_the_next_yard {
    complain('the yard goes away again and again', 1) if ++$returns > $MOST_RETURNS;
    close $yard;
    for my $look (1 .. $LOOKS_FOR_A_YARD) {
        return ask() if connect_to_a_yard();
        select undef, undef, undef, $LOOK_SECONDS;
        die_by($ended_by) if defined $ended_by;
    }
    start_a_yard();
    ask();
}

sub request {
    my $request = "GET /v1/command HTTP/1.1\r\nHost: yard\r\nConnection: Upgrade\r\n"
        . "Upgrade: trainyard-command\r\n\r\n";
    $request .= frame('a', $_) for $NAME, @ARGUMENTS;
    $request .= frame('d', readlink '/proc/self/cwd');
    $environment = of_the_caller('environ');
    $request .= frame('v', $environment);
    $request .= frame('k', $_) for facts();
    return $request;
}

sub frame {
    my ($type, $payload) = @_;
    $payload = '' if !defined $payload;
    return pack('aN', $type, length $payload) . $payload;
}

sub of_the_caller {
    my ($what) = @_;
    my $bytes = contents("/proc/$WITNESS/$what");
    return length $bytes ? $bytes : contents("/proc/self/$what");
}

sub contents {
    my ($path) = @_;
    open my $file, '<', $path or return '';
    local $/;
    my $bytes = <$file>;
    return defined $bytes ? $bytes : '';
}

sub dismiss_the_witness {
    return if $WITNESS !~ /^[1-9]\d*\z/;
    kill 'KILL', $WITNESS;
    waitpid $WITNESS, 0;
    $WITNESS = '';
}

sub facts {
    my $terminals = join '', grep { -t ((\*STDIN, \*STDOUT, \*STDERR)[$_]) } 0 .. 2;
    my ($columns) = window_size();
    my $zone = zone();
    return (
        sprintf('umask=%04o', umask),
        "tty=$terminals",
        ($columns ? "columns=$columns" : ()),
        (length $zone ? "zone=$zone" : ()),
        limits(),
    );
}

sub window_size {
    for my $stream (\*STDOUT, \*STDERR, \*STDIN) {
        my $size = "\0" x 8;
        next if !-t $stream || !ioctl $stream, $TIOCGWINSZ, $size;
        my ($rows, $columns) = unpack 'SS', $size;
        return ($columns, $rows) if $columns;
    }
    return;
}

sub zone {
    my $zone = $ENV{TZ};
    return length $zone ? zone_name($zone) : 'UTC' if defined $zone;
    $zone = readlink '/etc/localtime';
    return zone_name($zone) if defined $zone && $zone =~ m{zoneinfo/};
    return (split /\n/, contents('/etc/timezone'))[0] || '';
}

sub zone_name {
    my ($zone) = @_;
    $zone =~ s{^:}{};
    $zone =~ s{^.*zoneinfo/(?:posix/|right/)?}{};
    return $zone;
}

# Soft limits in the units of a POSIX shell's `ulimit`; the same table as in src/client/limits.ts.
sub limits {
    my %letters = (
        'cpu time' => ['t', 1], 'file size' => ['f', 512], 'data size' => ['d', 1024],
        'stack size' => ['s', 1024], 'core file size' => ['c', 512], 'resident set' => ['m', 1024],
        'open files' => ['n', 1], 'locked memory' => ['l', 1024], 'address space' => ['v', 1024],
        'realtime priority' => ['r', 1],
    );
    my @limits;
    for (split /\n/, of_the_caller('limits')) {
        my ($name, $soft) = /^Max (.*?) +(unlimited|\d+) / or next;
        my ($letter, $unit) = @{ $letters{$name} || next };
        push @limits, "ulimit-$letter=" . ($soft eq 'unlimited' ? $soft : sprintf '%.0f', int($soft / $unit));
    }
    return @limits;
}

# What the caller had told us to ignore (nohup, a job in the background) stays ignored.
sub forward_signals {
    for my $name (keys %SIGNALS) {
        $SIG{$name} = \&on_signal if ($SIG{$name} || '') ne 'IGNORE';
    }
    $SIG{WINCH} = sub { tell_yard('w', join ' ', window_size()) };
}

# The end of a job may come to us in several ways at once. Who is still asked a second later shall not wait longer.
sub on_signal {
    my ($name) = @_;
    if ($ENDING{$name}) {
        return time - $ended_at > 1 ? raise($name) : () if defined $ended_by;
        ($ended_by, $ended_at) = ($name, time);
    }
    tell_yard('s', $SIGNALS{$name});
}

sub tell_yard {
    $to_yard .= frame(@_);
    send_waiting() if !$sending;
}

sub die_by {
    my ($name) = @_;
    raise($name);
    exit 128 + $SIGNALS{$name};
}

# Within its own handler a signal waits until the handler has returned.
sub raise {
    my ($name) = @_;
    $SIG{$name} = 'DEFAULT';
    kill $name, $$;
}

# A yard that has gone shows when reading; whatever it said before is still to be had.
sub send_waiting {
    $sending = 1;
    my $sent = send $yard, $to_yard, $SEND_FLAGS;
    if (defined $sent) { substr $to_yard, 0, $sent, '' }
    elsif ($! != $EAGAIN && $! != $EINTR) { $to_yard = '' }
    $sending = 0;
}

# Waits until something has come from the yard and gives true, or false at its end. Meanwhile what waits for
# the yard is sent, and input is read when the yard wants it.
sub receive {
    my ($on_input) = @_;
    while (1) {
        my ($readable, $writable) = ('', '');
        vec($readable, fileno $yard, 1) = 1;
        vec($readable, 0, 1) = 1 if defined $on_input && length $to_yard < $CHUNK_BYTES;
        vec($writable, fileno $yard, 1) = 1 if length $to_yard;
        # A signal that comes just before the call does not interrupt it: so the wait has an end.
        my $count = select $readable, $writable, undef, 1;
        next if $count <= 0;
        send_waiting() if vec $writable, fileno $yard, 1;
        if (vec $readable, fileno $yard, 1) {
            my $got = sysread $yard, $from_yard, $CHUNK_BYTES, length $from_yard;
            return $got if defined $got;
            return 0 if $! != $EINTR;
        }
        elsif (defined $on_input && vec $readable, 0, 1) {
            $on_input = undef if !$on_input->();
            return 1;
        }
    }
}

sub receive_the_upgrade {
    until ($from_yard =~ /\r\n\r\n/) {
        complain('the answer of the yard is too long', 1) if length $from_yard > $MAX_FRAME_BYTES;
        next if receive();
        die_by($ended_by) if defined $ended_by;
        return ask_the_next_yard() if $from_yard eq '' && ($RUNS_HERE || defined $ticket);
        become_node() if $from_yard eq '';
        complain('the yard answered with something that is not HTTP', 1);
    }
    my ($header) = $from_yard =~ /^(.*?\r\n\r\n)/s;
    if ($header =~ m{^HTTP/1\.1 101 }) { substr $from_yard, 0, length $header, ''; return }
    my ($length) = $header =~ /^Content-Length: *(\d+)/mi;
    complain('the answer of the yard is too long', 1) if defined $length && $length > $MAX_FRAME_BYTES;
    $length = $MAX_FRAME_BYTES if !defined $length;
    until (length $from_yard >= length($header) + $length) { last if !receive() }
    complain(sentence_of(substr $from_yard, length $header), 1);
}

# `{"error":{"message":"…"}}`, or whatever else came.
sub sentence_of {
    my ($body) = @_;
    my ($message) = $body =~ /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/;
    return length $body ? $body : 'the yard refused the command' if !defined $message;
    $message =~ s/\\(["\\\/])/$1/g;
    return $message;
}

sub relay {
    my $input_wanted = 0;
    while (1) {
        while (length $from_yard >= 5) {
            my ($type, $length) = unpack 'aN', $from_yard;
            complain('the yard sent a frame that is too long', 1) if $length > $MAX_FRAME_BYTES;
            last if length $from_yard < 5 + $length;
            my $payload = substr $from_yard, 5, $length;
            substr $from_yard, 0, 5 + $length, '';
            if ($type eq 'o') { write_out(\*STDOUT, $payload) }
            elsif ($type eq 'e') { write_out(\*STDERR, $payload) }
            elsif ($type eq 'n') { $input_wanted = 1 }
            elsif ($type eq 't') { $ticket = $payload }
            elsif ($type eq 'p') { run_here($payload) }
            elsif ($type eq 'x') { leave($payload) }
        }
        my $on_input = $input_wanted ? sub { $input_wanted = pass_input_on() } : undef;
        next if receive($on_input);
        die_by($ended_by) if defined $ended_by;
        if (defined $ticket) { ask_the_next_yard(); next }
        complain('the yard went away before it answered; what was asked may or may not have been done', 1);
    }
}

# No reply makes a command run something that it did not ask for, or that another user would decide. A signal that came
# meanwhile is for what is run now.
sub run_here {
    my ($plan) = @_;
    complain('the yard answered with a program to run, which this command did not ask for: nothing was run', 1)
        if !$RUNS_HERE;
    complain("the yard belongs to user $listener, who would decide what runs as you: nothing was run", 1)
        if $listener != $> && $listener != 0;
    learn_to_run_here();
    exit RunHere::run($plan, $environment, $yard, defined $ended_by ? $SIGNALS{$ended_by} : ());
}

sub learn_to_run_here {
    return if defined &RunHere::run;
    do "${ROOT}libexec/run-here.pl" or complain("cannot read ${ROOT}libexec/run-here.pl: " . ($@ || $!), 1);
}

# A code that says "ended by that signal" is passed on as just that, so that a shell's loop ends as well.
sub leave {
    my ($code) = @_;
    die_by($ended_by) if defined $ended_by && $code == 128 + $SIGNALS{$ended_by};
    exit $code;
}

# False at the end of input.
sub pass_input_on {
    my $bytes;
    my $got = sysread STDIN, $bytes, $CHUNK_BYTES;
    return 1 if !defined $got && ($! == $EINTR || $! == $EAGAIN);
    $to_yard .= $got ? frame('i', $bytes) : frame('z', '');
    return $got ? 1 : 0;
}

# Waits for a slow reader; meanwhile the yard waits for us.
sub write_out {
    my ($stream, $bytes) = @_;
    while (length $bytes) {
        my $written = syswrite $stream, $bytes;
        if (defined $written) { substr $bytes, 0, $written, ''; next }
        next if $! == $EINTR;
        if ($! == $EAGAIN) {
            my $writable = '';
            vec($writable, fileno $stream, 1) = 1;
            select undef, $writable, undef, 1;
            next;
        }
        exit 141 if $! == $EPIPE;
        complain("cannot write: $!", 1);
    }
}

sub complain {
    my ($sentence, $code) = @_;
    dismiss_the_witness();
    $sentence =~ s/\s+\z//;
    my $prefix = $NAME =~ /^(?:trainyard|yard)\z/ ? 'trainyard: ' : "$NAME: error: ";
    syswrite STDERR, "$prefix$sentence\n";
    exit $code;
}
