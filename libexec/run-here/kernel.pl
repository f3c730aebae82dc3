# What perl has no words for, asked of the kernel directly, by the numbers that it has on x64 and arm64. Where the
# machine is another, each of these does without: processes then have groups rather than sessions of their own,
# run on any CPU, and do not tell what they used.

package RunHere;

my %NUMBERS = (
    62 => {
        execve => 59, wait4 => 61, prctl => 157, setsid => 112, sched_setaffinity => 203, rt_sigprocmask => 14,
        signalfd4 => 289, prlimit64 => 302, clock_gettime => 228,
    },
    183 => {
        execve => 221, wait4 => 260, prctl => 167, setsid => 157, sched_setaffinity => 122, rt_sigprocmask => 135,
        signalfd4 => 74, prlimit64 => 261, clock_gettime => 113,
    },
);
my ($PR_SET_PDEATHSIG, $SIGKILL, $RLIMIT_NOFILE, $CLOCK_MONOTONIC) = (1, 9, 7, 1);
my ($TIOCGPGRP, $TIOCSPGRP, $TCGETS, $TCSETSW) = (0x540F, 0x5410, 0x5401, 0x5403);
our ($WNOHANG, $WUNTRACED) = (1, 2);
our ($EINTR, $EAGAIN, $EPIPE) = (4, 11, 32);
# For tests: as if the machine were one that we know nothing of.
our $ON_UNKNOWN_MACHINE;

my $numbers = numbers();

# The kind of machine is said in the head of every program, ours included.
sub numbers {
    return {} if $ON_UNKNOWN_MACHINE;
    open my $file, '<', '/proc/self/exe' or return {};
    my $got = sysread $file, my $head, 20;
    return {} if !$got || $got < 20;
    return $NUMBERS{ unpack 'x18S', $head } || {};
}

sub knows { return defined $numbers->{ $_[0] } }

# Like the call itself: -1 and $! when it failed. Numbers must be numbers and buffers strings.
sub call {
    my ($name) = shift;
    return -1 if !defined $numbers->{$name};
    return syscall($numbers->{$name}, $_[0]) if @_ == 1;
    return syscall($numbers->{$name}, $_[0], $_[1]) if @_ == 2;
    return syscall($numbers->{$name}, $_[0], $_[1], $_[2]) if @_ == 3;
    return syscall($numbers->{$name}, $_[0], $_[1], $_[2], $_[3]) if @_ == 4;
    return syscall($numbers->{$name});
}

sub clock {
    my $buffer = "\0" x 16;
    return time if call('clock_gettime', $CLOCK_MONOTONIC, $buffer) != 0;
    my ($seconds, $nanoseconds) = unpack 'qq', $buffer;
    return $seconds + $nanoseconds / 1e9;
}

# The next child that has ended (or stopped, if that is asked for), or nothing: its number, its status and what it used.
sub reap_one {
    my ($options) = @_;
    if (!knows('wait4')) {
        my $pid = waitpid -1, $options;
        return $pid > 0 ? ($pid, $?) : ();
    }
    my ($status, $usage) = ("\0" x 4, "\0" x 144);
    my $pid = call('wait4', -1, $status, $options, $usage);
    return if $pid <= 0;
    my ($user, $user_micro, $system, $system_micro, $peak) = unpack 'q5', $usage;
    return (
        $pid,
        unpack('i', $status),
        $user * 1000 + int($user_micro / 1000),
        $system * 1000 + int($system_micro / 1000),
        $peak * 1024,
    );
}

# A rank that outlived us would be nobody's.
sub die_with_parent {
    my ($parent) = @_;
    call('prctl', $PR_SET_PDEATHSIG, $SIGKILL);
    exit 1 if getppid != $parent;
}

sub own_session {
    setpgrp 0, 0 if call('setsid') < 0;
}

sub bind_to {
    my ($cpus) = @_;
    my $mask = "\0" x 128;
    vec($mask, $_, 1) = 1 for split /,/, $cpus;
    call('sched_setaffinity', 0, length $mask, $mask);
}

# Byte for byte what it is given. Comes back only when that failed.
sub execute {
    my ($path, $arguments, $environment) = @_;
    if (!knows('execve')) {
        %ENV = map { /^([^=]+)=(.*)\z/s ? ($1, $2) : () } @$environment;
        exec { $path } @$arguments;
        return;
    }
    my @arguments = map { "$_\0" } @$arguments;
    my @environment = map { "$_\0" } @$environment;
    my $program = "$path\0";
    call('execve', $program, pack('p*', @arguments) . pack('J', 0), pack('p*', @environment) . pack('J', 0));
}

# So many files may be open; asks for more where they are needed. The child gets back what we had.
my $limit_before;

sub allow_files {
    my ($count) = @_;
    my $limit = "\0" x 16;
    return if call('prlimit64', 0, $RLIMIT_NOFILE, 0, $limit) != 0;
    my ($soft, $hard) = unpack 'QQ', $limit;
    return if $soft >= $count;
    my $wanted = pack 'QQ', $hard < $count ? $hard : $count, $hard;
    $limit_before = $limit if call('prlimit64', 0, $RLIMIT_NOFILE, $wanted, 0) == 0;
}

sub restore_files_limit {
    call('prlimit64', 0, $RLIMIT_NOFILE, $limit_before, 0) if defined $limit_before;
}

sub set_blocking {
    my ($handle, $is_blocking) = @_;
    my ($F_GETFL, $F_SETFL, $O_NONBLOCK) = (3, 4, 04000);
    my $flags = fcntl $handle, $F_GETFL, 0 or return;
    fcntl $handle, $F_SETFL, $is_blocking ? $flags & ~$O_NONBLOCK : $flags | $O_NONBLOCK;
}

# The process group that has the terminal; nothing when the handle is no terminal of ours.
sub foreground_group {
    my ($handle) = @_;
    my $group = pack 'i', 0;
    return ioctl($handle, $TIOCGPGRP, $group) ? unpack('i', $group) : undef;
}

sub set_foreground_group {
    my ($handle, $group) = @_;
    my $packed = pack 'i', $group;
    return ioctl $handle, $TIOCSPGRP, $packed;
}

sub terminal_settings {
    my ($handle) = @_;
    my $settings = "\0" x 64;
    return ioctl($handle, $TCGETS, $settings) ? $settings : undef;
}

sub set_terminal_settings {
    my ($handle, $settings) = @_;
    ioctl $handle, $TCSETSW, $settings;
}

1;
