/** What `sstat --help` and `--usage` say. */

export const USAGE = 'Usage: sstat [options] -j <job(.stepid)>\n\tUse --help for help\n';

export const HELP = `sstat [OPTION]... -j JOB[.STEP][,...]   what running jobs use at this moment

  -j, --jobs=LIST            jobs and steps: 17, 17.batch, 17.0, 4_1; without a step the first srun of the job
  -a, --allsteps             all steps of a job that is named without one, its batch script too
  -o, --format, --fields=LIST
                             fields; NAME%20 is 20 wide, NAME%-20 starts at the left
  -e, --helpformat           list the fields
  -i, --pidformat            job, nodes and process numbers
  -n, --noheader             without headings
  -p, --parsable             a | after every value
  -P, --parsable2            a | between values
      --noconvert            amounts in bytes

  -v, --verbose              say more
  -V, --version              print the version
  -h, --help                 print this
      --usage                print one line
`;
