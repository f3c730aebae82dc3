/** What `sacctmgr --help` says. */

export const HELP = `sacctmgr [OPTION]... show|list ENTITY [CONDITION]... [format=LIST]   who may charge what to which account

Entities
  account, association, cluster, qos, tres, user
  federation, problem, reservation, resource, runawayjobs, wckey: there are none of these in a yard

Conditions
  NAME                     the thing of that name
  names=LIST               any of these
  accounts=LIST users=LIST clusters=LIST qoslevel=LIST
                           with any of these
  withassoc                with a line for each association
  tree                     of associations: accounts with those below them
  format=LIST              fields; NAME%20 is 20 wide, NAME%-20 starts at the left

Options
  -n, --noheader           without headings
  -p, --parsable           a | after every value
  -P, --parsable2          a | between values
  -s, --associations       the same as withassoc
  -V, --version            print the version
  -h, --help, --usage      print this
  -i, --immediate, -o, --oneliner, -Q, --quiet, -r, --readonly, -v, --verbose
                           mean nothing more here

Accounts, users and QOS are written in trainyard.toml: add, modify, delete and the like are refused.
`;
