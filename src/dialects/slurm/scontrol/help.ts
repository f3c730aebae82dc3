/** What `scontrol --help` says. */

export const HELP = `Usage: scontrol [OPTIONS] [KEYWORD ...]

Without a keyword, commands are read from stdin, one on each line, until quit.

About jobs (JOB is 17, 4_1, 4_[1-3], or several of these with commas):
  hold JOB...                   keep waiting jobs from starting
  release JOB...                let held jobs start
  requeue [incomplete] JOB...   run them once more; a running one is stopped first
  requeuehold JOB...            the same, but hold them
  suspend JOB...                stop every process of running jobs where it is
  resume JOB...                 let them go on
  top JOB...                    put them before your other jobs
  update JobId=JOB NAME=VALUE   change what a job asked for
  notify JOB MESSAGE            write a line into the output of a running job
  wait_job JOB                  wait until a job runs, or has ended
  listpids [JOB[.STEP]]         the processes of running jobs
  pidinfo PID                   which job a process belongs to
  write batch_script JOB [FILE] write its script into FILE (slurm-JOB.sh), or - for stdout

About what there is:
  show job|node|partition|step [ID]
  show config|reservation|licenses|topology|aliases|daemons
  show hostnames|hostlist|hostlistsorted LIST
  completing                    jobs that are coming to their end
  ping                          whether the yard answers
  version

About nodes:
  update NodeName=LIST State=DRAIN Reason=TEXT
  update NodeName=LIST State=RESUME

Options:
  -o, --oneliner       one line for each record
  -d, --details        show more
  -a, --all            show everything (it always does)
  -Q, --quiet          say nothing when something cannot be done
  -v, --verbose        say more
  -M, --clusters=NAME  only the yard's own name is known
      --json, --yaml   jobs, nodes and partitions for programs
  -V, --version
  -h, --help

While commands are read from stdin: oneliner, details, quiet and verbose set the
option, !! repeats the last command, quit and exit end it.
`;
