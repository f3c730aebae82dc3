/** What `scancel --help` and `--usage` say. */

export const USAGE = `Usage: scancel [-A account] [-b] [-f] [-i] [-M cluster] [-n name] [-p partition]
               [-Q] [-q qos] [-R reservation] [-s signal] [-t state] [-u user]
               [-v] [-w hosts] [--me] [--wckey=key] [JOB[_INDEX][.STEP] ...]
`;

export const HELP = `Usage: scancel [OPTIONS] [JOB ...]

Ends jobs and steps, or sends them a signal. JOB is 17, 4_1, 4_[1-3], 17.0 for a
step, 17.batch for the script, or several of these with commas.

Which jobs (all that are given must fit):
  -A, --account=NAME
  -n, --name=NAME           the name of the job
  -p, --partition=NAME
  -q, --qos=NAME
  -R, --reservation=NAME
  -t, --state=STATE         PENDING, RUNNING or SUSPENDED
  -u, --user=NAME
      --me                  your own
  -w, --nodelist=HOSTS      on any of these hosts
      --wckey=KEY

What is done:
  -s, --signal=SIGNAL       send it to the steps of a job instead of ending the job
  -b, --batch               with -s: to the script alone
  -f, --full                with -s: to the script and all below it
  -i, --interactive         ask before each
  -Q, --quiet               say nothing about jobs that are over
  -v, --verbose             say what is done
  -M, --clusters=NAME       only the yard's own name is known
  -V, --version
      --help, --usage

Taken without effect: -H --hurry, -c --cron, --ctld.
`;
