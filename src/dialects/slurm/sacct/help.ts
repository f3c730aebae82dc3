/** What `sacct --help` and `--usage` say. */

export const USAGE = 'Usage: sacct [options]\n\tUse --help for help\n';

export const HELP = `sacct [OPTION]...   what became of jobs and their steps

Which jobs
  -j, --jobs=LIST            jobs, elements and steps: 17,17.batch,17.0,4_1
  -s, --state=LIST           jobs that were in one of these states (names or codes) in the time looked at
  -S, --starttime=TIME       from then on: HH:MM[:SS], MMDD[YY], YYYY-MM-DD[THH:MM[:SS]], midnight, now-2hours
  -E, --endtime=TIME         up to then
  -u, --uid, --user=LIST     of these users; otherwise your own, for root everybody's
  -a, --allusers             of all users
  -g, --gid, --group=LIST    of users with these groups
  -A, --accounts=LIST        charged to these accounts
  -r, --partition=LIST       of these partitions
  -q, --qos=LIST             of these classes of service
  -N, --nodelist=LIST        that ran on any of these nodes
  -C, --constraints=LIST     that asked for all of these features
  -F, --flags=LIST           started by SchedSubmit, SchedMain or SchedBackfill
      --name=LIST            with one of these names
      --reason=LIST          kept waiting by one of these reasons
  -W, --wckeys=LIST          with one of these workload keys
  -x, --associations=LIST    of these associations
  -i, --nnodes=MIN[-MAX]     that had so many nodes
  -I, --ncpus=MIN[-MAX]      that had so many CPUs
  -k, --timelimit-min=TIME   with this time limit, or from it on
  -K, --timelimit-max=TIME   with -k: up to this time limit
  -D, --duplicates           every run of a job that was requeued, not only the last
  -M, --clusters=LIST        of these clusters: the yard's name, or all
  -L, --allclusters, --federation, --local, --use-local-uid, --whole-hetjob[=yes|no]
                             mean nothing more here: a yard is one cluster, and has no heterogeneous jobs

What to show
  -o, --format=LIST          fields; NAME%20 is 20 wide, NAME%-20 starts at the left
  -e, --helpformat           list the fields
  -b, --brief                job, state and exit code
  -l, --long                 many fields
  -c, --completion           jobs that have ended, one line each
  -X, --allocations          jobs without their steps
  -T, --truncate             cut times to the time looked at
  -B, --batch-script         the scripts of the jobs named with -j
      --env-vars             the environments of the jobs named with -j
      --noconvert            amounts in the unit they are kept in
      --units=K|M|G|T|P      amounts in this unit

How to print it
  -n, --noheader             without headings
  -p, --parsable             a | after every value
  -P, --parsable2            a | between values
      --delimiter=TEXT       with -p or -P: this instead of |
      --json, --yaml         everything, for programs

  -v, --verbose              say which time is looked at
  -V, --version              print the version
  -h, --help                 print this
      --usage                print one line
`;
