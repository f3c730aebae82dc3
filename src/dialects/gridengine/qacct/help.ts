/** The text of `qacct -help`. */

import { type HelpRow, helpText } from '../help-text.ts';

const FLAGS: readonly HelpRow[] = [
  ['[-ar [ar_id]]', 'by advance reservation, or for one of them'],
  ['[-A [account]]', 'by account, or for one of them'],
  ['[-b time]', 'only what started at this time or later'],
  ['[-d days]', 'only what started in so many days'],
  ['[-D [department]]', 'by department, or for one of them'],
  ['[-e time]', 'only what started until this time'],
  ['[-E]', '-b, -d and -e look at the end, not at the start'],
  ['[[-f] file]', 'read this accounting file; - is the standard input'],
  ['[-g [group]]', 'by group, or for one of them (name or number)'],
  ['[-h [host]]', 'by host, or for one of them'],
  ['[-help]', 'this text'],
  ['[-j [job[,job...]|name|pattern]]', 'what is known of each of these jobs, or of all'],
  ['[-l attribute=value,...]', 'only what ran where these attributes are offered'],
  ['[-m]', 'leave out the tasks of parallel jobs'],
  ['[-o [owner]]', 'by owner, or for one of them'],
  ['[-u [owner]]', 'the same'],
  ['[-pe [name]]', 'by parallel environment, or for one of them'],
  ['[-P [project]]', 'by project, or for one of them'],
  ['[-q [queue]]', 'by queue, or by queue instance for those that match'],
  ['[-slots [number]]', 'by number of slots, or for one of them'],
  ['[-t first[-last[:step]]]', 'only these tasks (with -j and a job)'],
];

const NOTES: readonly HelpRow[] = [
  ['time', '[[CC]YY]MMDDhhmm[.SS]'],
  ['queue', 'cpu, cpu@host, @host or cpu@@hostgroup, with * and ? for any letters'],
];

export const QACCT_HELP = helpText('qacct [options]', FLAGS, NOTES);
