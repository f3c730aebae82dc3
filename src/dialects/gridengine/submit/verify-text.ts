/** `-verify`: the job as it would be submitted, one line for each thing, as `qstat -j` has them. */

import { printable, textFromBytes } from '../../../model/bytes.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { fullMoment } from '../moments.ts';
import type { GridEngineWord } from '../words.ts';
import type { Executable } from './script.ts';
import type { SubmitterFacts } from './submitter.ts';

export interface Verified {
  readonly spec: JobSpec;
  readonly executable: Executable;
  readonly submitter: SubmitterFacts;
  readonly isImmediate: boolean;
  readonly deadlineAt: number | null;
  readonly zone: string;
}

const NAME_WIDTH = 28;

/** Null: there is nothing to say. */
type Row = readonly [name: string, value: string | null];

export function verifyText(verified: Verified): string {
  const rows = [...headRows(verified), ...jobRows(verified)];
  const lines = rows.flatMap(([name, value]) =>
    value === null ? [] : [`${`${name}:`.padEnd(NAME_WIDTH)}${printable(value)}`],
  );
  // A script has lines of its own.
  return [...lines, ...scriptLines(verified), ...tailLines(verified).map(printable)]
    .map((line) => `${line}\n`)
    .join('');
}

function wordIn({ spec }: Verified, word: GridEngineWord): string | null {
  return spec.origin.words[word] ?? null;
}

/** Who it is the master finds out, so that this is not known yet. */
function headRows(verified: Verified): readonly Row[] {
  const { submitter, spec, deadlineAt, zone } = verified;
  return [
    ['job_number', 'unassigned'],
    ['deadline', deadlineAt === null ? null : fullMoment(deadlineAt, zone)],
    ['owner', ''],
    ['uid', '0'],
    ['group', ''],
    ['gid', '0'],
    ['sge_o_home', submitter.HOME],
    ['sge_o_log_name', submitter.LOGNAME ?? null],
    ['sge_o_path', submitter.PATH ?? null],
    ['sge_o_shell', submitter.SHELL ?? null],
    ['sge_o_mail', submitter.MAIL ?? null],
    ['sge_o_tz', submitter.TZ ?? null],
    ['sge_o_workdir', submitter.WORKDIR],
    ['sge_o_host', submitter.HOST],
    ['execution_time', spec.beginAt === null ? null : fullMoment(spec.beginAt, zone)],
  ];
}

function jobRows(verified: Verified): readonly Row[] {
  const { spec, submitter, executable } = verified;
  const word = (name: GridEngineWord) => wordIn(verified, name);
  const paths = (name: GridEngineWord) => {
    const path = word(name);
    return path === null ? null : pathsText(path);
  };
  return [
    ['account', word('account')],
    ['checkpoint_object', word('checkpoint')],
    ['cwd', word('ownDirectory') === null ? null : spec.workDir],
    ['directive_prefix', word('directivePrefix')],
    ['stderr_path_list', paths('errorPath')],
    ['reserve', word('reserve')],
    ['merge', word('isMerged')],
    ['hard resource_list', word('resources')],
    ['soft resource_list', word('softResources')],
    ['mail_options', word('mailOptions')],
    ['mail_list', mailText(word('mailList'), spec.user, submitter.HOST)],
    ['notify', word('notify') === null ? 'FALSE' : 'TRUE'],
    ['job_name', spec.name],
    ['stdout_path_list', paths('outputPath')],
    ['stdin_path_list', paths('inputPath')],
    ['priority', word('priority')],
    ['jobshare', word('jobShare') ?? '0'],
    ['hard_queue_list', word('queues')],
    ['soft_queue_list', word('softQueues')],
    ['restart', word('rerun')],
    ['shell_list', word('shell') === null ? null : shellsText(word('shell') ?? '')],
    ['verify', '-verify'],
    ['env_list', ['TERM', ...(word('variables') === null ? [] : [word('variables')])].join(',')],
    ['job_args', executable.args.length === 0 ? null : executable.args.join(',')],
    ['master hard queue_list', word('masterQueues')],
    ['script_size', executable.kind === 'script' ? `${executable.bytes.length}` : null],
    ['script_file', executable.called],
  ];
}

/** The script as it is, after a heading that is shorter than the others. */
function scriptLines({ executable }: Verified): readonly string[] {
  if (executable.kind !== 'script') return [];
  return ['script_ptr:            ', textFromBytes(executable.bytes)];
}

function tailLines(verified: Verified): readonly string[] {
  const word = (name: GridEngineWord) => wordIn(verified, name);
  const line = (name: string, value: string | null) =>
    value === null ? [] : [`${`${name}:`.padEnd(NAME_WIDTH)}${value}`];
  const { spec } = verified;
  const pe = word('pe');
  const throttle = spec.array?.throttle ?? null;
  return [
    ...(pe === null ? [] : [`parallel environment:  ${pe} range: ${word('slotRange') ?? ''}`]),
    ...line('jid_predecessor_list (req)', word('holdJobs')),
    ...line('ja_ad_predecessor_list (req)', word('holdArrayJobs')),
    ...line('project', word('project')),
    ...line('job-array tasks', word('taskRange')),
    ...line('maximum concurrency', throttle === null ? null : `${throttle}`),
    ...line('context', word('context')),
    ...line('job_type', jobType(verified)),
  ];
}

function jobType({ executable, spec, isImmediate }: Verified): string {
  const types = [
    ...(executable.kind === 'command' ? ['binary'] : []),
    ...(executable.kind === 'command' && spec.program.argv[0] === executable.called ? ['noshell'] : []),
    ...(isImmediate ? ['immediate'] : []),
  ];
  return types.length === 0 ? 'NONE' : types.join(',');
}

/** `NONE:NONE:/tmp/e`: host, the path as it was, and as it will be. */
function pathsText(list: string): string {
  return list
    .split(',')
    .map((part) => {
      const colon = part.indexOf(':');
      if (colon < 0) return `NONE:NONE:${part}`;
      return `${part.slice(0, colon) || 'NONE'}:NONE:${part.slice(colon + 1)}`;
    })
    .join(',');
}

function shellsText(list: string): string {
  return list
    .split(',')
    .map((part) => (part.includes(':') ? part : `NONE:${part}`))
    .join(',');
}

function mailText(list: string | null, user: string, host: string): string {
  if (list === null) return `${user}@${host}`;
  return list
    .split(',')
    .map((address) => (address.includes('@') ? address : `${address}@NONE`))
    .join(',');
}
