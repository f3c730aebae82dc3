/** What `sshare --help` says. */

export const HELP = `Usage: sshare [OPTION]...   what everybody may use, and has used lately

Whose
  -a, --all              everybody's; otherwise your own
  -u, --users=LIST       of these users
  -U, --Users            only lines of users, without their accounts
  -A, --accounts=LIST    in these accounts
  -M, --clusters=NAME    of this cluster: the yard's name

What to show
  -l, --long             normalized usage too, and how usage compares to shares
  -m, --partition        a column for partitions; shares are not divided by them here
  -o, --format=LIST      fields; NAME%20 is 20 wide, NAME%-20 starts at the left
  -e, --helpformat       list the fields
  -n, --noheader         without headings
  -p, --parsable         a | after every value
  -P, --parsable2        a | between values

  -v, --verbose          say whose shares were asked for
  -V, --version          print the version
      --help, --usage    print this
`;
