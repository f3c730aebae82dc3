# The plan as it came (src/model/run-plan.ts) made into %plan and @ranks, and the environment of each rank.

package RunHere;

my @inherited;      # the caller's own variables, `NAME=value`
my @common;         # what all ranks are told
my %is_list = map { $_ => 1 } qw(argument cgroup unset set);

sub read_plan {
    my ($text, $environment) = @_;
    # What was said to another job that we are part of does not hold for this one.
    @inherited = grep { /^[^=]+=/ && !/^TRAINYARD_/ } split /\0/, $environment;
    my @words = split /\0/, $text, -1;
    my $about = \%plan;
    while (@words > 1) {
        my ($word, $value) = splice @words, 0, 2;
        if ($word eq 'rank') {
            $about = { number => $value, argument => [], cgroup => [], unset => [], set => [] };
            push @ranks, $about;
        }
        elsif ($about == \%plan && $word eq 'set') { push @common, $value }
        elsif ($is_list{$word}) { push @{ $about->{$word} }, $value }
        else { $about->{$word} = $value }
    }
    # What is said is then all that there is.
    @inherited = () if $plan{alone};
}

# `NAME=value` for each variable: the caller's own, then what all are told, then what this one is. It is asked for
# in the rank's own process, whose number is $$.
sub environment_of {
    my ($rank) = @_;
    my %is_unset = map { $_ => 1 } @{ $rank->{unset} };
    my (%at, @environment);
    my $pid = defined $plan{pidVariable} ? ["$plan{pidVariable}=$$"] : [];
    for my $source (\@inherited, \@common, $rank->{set}, $pid) {
        for my $variable (@$source) {
            my $name = substr $variable, 0, index $variable, '=';
            next if $source == \@inherited && ($is_unset{$name} || defined $at{$name});
            $at{$name} = @environment if !defined $at{$name};
            $environment[ $at{$name} ] = $variable;
        }
    }
    if (defined $plan{pathEnd} && defined $at{PATH}) {
        my $path = $environment[ $at{PATH} ];
        my @missing = grep { index(":" . substr($path, 5) . ":", ":$_:") < 0 } split /:/, $plan{pathEnd};
        $environment[ $at{PATH} ] = join ':', $path, @missing;
    }
    if (defined $plan{pythonEnd}) {
        my $at = defined $at{PYTHONPATH} ? $at{PYTHONPATH} : @environment;
        my @path = split /:/, substr($environment[$at] // 'PYTHONPATH=', length 'PYTHONPATH='), -1;
        push @path, $plan{pythonEnd} if !grep { $_ eq $plan{pythonEnd} } @path;
        $environment[$at] = 'PYTHONPATH=' . join ':', @path;
    }
    return \@environment;
}

# Where the program of a rank is: as the kernel will be given it. Nothing when a search for it was in vain.
sub find_program {
    my ($rank) = @_;
    my $name = $rank->{argument}[0];
    return $name if $name =~ m{^/};
    return "$rank->{directory}/$name" if $name =~ m{/};
    my ($path) = map { /^PATH=(.*)\z/s ? $1 : () } @{ environment_of($rank) };
    for my $directory (split /:/, defined $path ? $path : '/usr/local/bin:/usr/bin:/bin') {
        my $program = ($directory eq '' ? $rank->{directory} : $directory) . "/$name";
        return $program if -f $program && -x _;
    }
    return;
}

1;
