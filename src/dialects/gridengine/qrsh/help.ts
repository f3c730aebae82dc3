/** `qrsh -help` and `qlogin -help`. */

import { type HelpRow, helpText } from '../help-text.ts';

/** What both have. */
const COMMON: readonly HelpRow[] = [
  ['[-A account_string]', 'account that is named in the records of accounting'],
  ['[-ac|-dc|-sc context_list]', 'add, delete or set variables of the context'],
  ['[-ar ar_id]', 'run in an advance reservation (there are none here)'],
  ['[-binding [env|pe|set] strategy]', 'bind it to cores (the yard chooses them itself)'],
  ['[-clear]', 'forget all flags that came before'],
  ['[-dl date_time]', 'deadline (no effect here)'],
  ['[-hard], [-soft]', 'requests after this are needed, or wishes'],
  ['[-help]', 'print this'],
  ['[-js job_share], [-jsv url]', 'no effect here'],
  ['[-l resource_list]', 'resources: time, memory, GPUs, hosts; see qconf -sc'],
  ['[-m b|e|a|s|n], [-M mail_list]', 'mail: when, and to whom'],
  ['[-masterq queue_list]', 'queues for the master of a parallel job'],
  ['[-N name]', 'name of the job'],
  ['[-now y[es]|n[o]]', 'y (the default): have a place at once or none; n: wait for it'],
  ['[-o|-e path_list], [-j y[es]|n[o]]', 'no effect here: output goes to where you are'],
  ['[-p priority]', 'before or after other jobs, from -1023 to 1024'],
  ['[-P project]', 'project that it belongs to'],
  ['[-pe name slot_range]', 'parallel environment, and how many slots in it'],
  ['[-pty y[es]|n[o]]', 'give your terminal to it, or not'],
  ['[-q queue_list]', 'queues that it may run in'],
  ['[-R y[es]|n[o]]', 'reserve resources (the yard does so for all)'],
  ['[-verify]', 'print the job instead of submitting it'],
  ['[-w e|w|n|p|v]', 'what can never run: refuse it, warn, do not look; or only look'],
  ['[-@ file]', 'read flags from a file'],
];

const QRSH_ONLY: readonly HelpRow[] = [
  ['[-b y[es]|n[o]]', 'no effect here: what is named is run where it is'],
  ['[-cwd], [-wd directory]', 'run where you are now, or there, not in your home directory'],
  ['[-display display]', 'DISPLAY of the command'],
  ['[-h]', 'hold the job until qrls releases it (with -now n)'],
  ['[-hold_jid job_list]', 'start after these jobs have ended (with -now n)'],
  ['[-inherit]', 'inside a job: run the command as a part of it, on one of its hosts'],
  ['[-noshell]', 'run the command without a shell'],
  ['[-nostdin]', 'the command has nothing to read'],
  ['[-notify]', 'send SIGUSR2 ahead of killing it'],
  ['[-v variable_list], [-V]', 'variables for the command, or all that you have now'],
  ['[-verbose]', 'say what is being done'],
];

const QUEUE_NOTE: HelpRow = [
  'queue_list',
  'cpu, cpu@host, @host or cpu@@hostgroup, with commas between them',
];
const VARIABLE_NOTE: HelpRow = ['variable_list', 'A=1,B: with a value, or as you have it'];

const byFlag = (a: HelpRow, b: HelpRow) => a[0].toLowerCase().localeCompare(b[0].toLowerCase());

export const QRSH_HELP = helpText(
  'qrsh [options] [command [arguments]]',
  [
    ...[...COMMON, ...QRSH_ONLY].sort(byFlag),
    ['[host] command', 'without one: your shell; a host with -inherit'],
  ],
  [QUEUE_NOTE, VARIABLE_NOTE],
);

export const QLOGIN_HELP = helpText('qlogin [options]', [...COMMON].sort(byFlag), [QUEUE_NOTE]);
