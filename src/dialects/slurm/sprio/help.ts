/** What `sprio --help` and `--usage` say. */

export const USAGE = `Usage: sprio [-j jid[s]] [-u user_name[s]] [-o format] [-p partitions]
   [--federation] [--local] [--sibling] [--usage] [-hlnvVw]
`;

export const HELP = `Usage: sprio [OPTION]...   what the priorities of waiting jobs are made of

Which jobs
  -j, --jobs[=LIST]        these jobs; otherwise all that wait
  -p, --partition=LIST     of these partitions
  -u, --user=LIST          of these users, by name or number
  -M, --clusters=NAME      of this cluster: the yard's name
      --federation, --local, --sibling
                           mean nothing more here: a yard is one cluster

What to show
  -l, --long               everything
  -n, --norm               factors, as they are before they are weighted
  -w, --weights            only the weights
  -o, --format=FORMAT      fields of the form %[.][WIDTH]LETTER, a point for the right side of the column:
                             i job      r partition   u user       Y, y priority
                             A, a age   B, b association   F, f fair share   J, j size
                             P, p partition   Q, q quality of service   S site   N nice   T, t resources
                           capital letters are weighted, small ones are factors
  -S, --sort=LIST          order by letters of -o, a - before one for descending
  -h, --noheader           without headings

  -v, --verbose            say more
  -V, --version            print the version
      --help               print this
      --usage              print the options
`;
