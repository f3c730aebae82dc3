/** One job in full, as `qstat -j` prints it: a label and a value in a line, in the original's order. */

import { printable } from '../../../model/bytes.ts';
import { memoryText, timeText } from '../host-values.ts';
import { type JobFacts, taskNumber } from '../job-facts.ts';
import { fullMoment } from '../moments.ts';
import { askedPriority } from '../priorities.ts';
import {
  type AskedResource,
  askedEnvironment,
  askedQueues,
  bindingText,
  deadlineOf,
  hardResources,
  slotRangeText,
  softResources,
} from '../requested.ts';
import type { Message } from '../scheduling-info.ts';
import type { SubmitterFacts } from '../submit/submitter.ts';
import { wordOf } from '../words.ts';
import type { FailedTask, JobInFull } from './known.ts';
import {
  accountOf,
  argumentsOf,
  directoryOf,
  type HostedPath,
  isSet,
  mailAddresses,
  pairsOf,
  pathsOf,
  scriptOf,
  taskRangeOf,
} from './said-back.ts';
import type { Scene } from './scene.ts';

const LABEL_WIDTH = 28;
const NO_MESSAGES = 'There are no messages available';

export function jobText(full: JobInFull, scene: Scene, withBinding: boolean): string {
  const lines: string[] = ['='.repeat(62)];
  const add = (label: string, value: string | number | null) => {
    if (value !== null) lines.push(`${`${label}:`.padEnd(LABEL_WIDTH)}${printable(`${value}`)}`);
  };
  const addList = (label: string, values: readonly (string | number)[]) => {
    if (values.length > 0) add(label, values.join(','));
  };
  addIdentity(full, scene, add);
  addRequests(full, add, addList);
  const { job, predecessors, arrayPredecessors } = full;
  add('script_file', scriptOf(job));
  const environment = askedEnvironment(job);
  if (environment !== null) {
    lines.push(printable(`parallel environment:  ${environment.name} range: ${slotRangeText(environment)}`));
  }
  addList('jid_predecessor_list (req)', predecessors.asked);
  addList('jid_predecessor_list', predecessors.left);
  addList('jid_successor_list', full.successors);
  addList('ja_ad_predecessor_list', arrayPredecessors.left);
  add('project', wordOf(job, 'project'));
  const tasks = taskRangeOf(job);
  if (tasks !== null) add('job-array tasks', `${tasks.first}-${tasks.last}:${tasks.step}`);
  add('maximum concurrency', job.spec.array?.throttle ?? null);
  addList('context', pairsText(wordOf(job, 'context')));
  if (withBinding) add('binding', bindingText(job));
  add('job_type', jobType(full));
  for (const failed of full.failed) lines.push(errorLine(failed));
  for (const facts of full.running) lines.push(usageLine(facts, full));
  if (withBinding) for (const facts of full.running) lines.push(taskLine('binding', facts, 15, 'NONE'));
  return `${lines.join('\n')}\n${schedulingText([...full.general, ...full.own])}`;
}

/** Each on a line of its own, below each other. */
export function schedulingText(messages: readonly Message[]): string {
  const texts = messages.length === 0 ? [NO_MESSAGES] : messages.map(({ text }) => printable(text));
  return texts
    .map((text, i) => `${(i === 0 ? 'scheduling info:' : '').padEnd(LABEL_WIDTH)}${text}\n`)
    .join('');
}

type Add = (label: string, value: string | number | null) => void;
type AddList = (label: string, values: readonly (string | number)[]) => void;

const SUBMITTER_FIELDS: readonly (readonly [label: string, of: keyof SubmitterFacts])[] = [
  ['sge_o_home', 'HOME'],
  ['sge_o_log_name', 'LOGNAME'],
  ['sge_o_path', 'PATH'],
  ['sge_o_shell', 'SHELL'],
  ['sge_o_tz', 'TZ'],
  ['sge_o_workdir', 'WORKDIR'],
  ['sge_o_host', 'HOST'],
];

function addIdentity({ number, job, owner, submitter }: JobInFull, { zone }: Scene, add: Add): void {
  const { spec } = job;
  add('job_number', number);
  add('exec_file', `job_scripts/${number}`);
  add('submission_time', fullMoment(job.submittedAt, zone));
  const deadlineAt = deadlineOf(job);
  if (deadlineAt !== null) add('deadline', fullMoment(deadlineAt, zone));
  add('owner', spec.user);
  add('uid', owner?.uid ?? null);
  add('group', owner?.group ?? null);
  add('gid', owner?.gid ?? null);
  for (const [label, of] of SUBMITTER_FIELDS) add(label, submitter?.[of] ?? null);
  if (submitter === null) add('sge_o_workdir', spec.workDir);
  if (spec.beginAt !== null) add('execution_time', fullMoment(spec.beginAt, zone));
}

function addRequests({ view, job, host }: JobInFull, add: Add, addList: AddList): void {
  add('account', accountOf(job));
  add('checkpoint_object', wordOf(job, 'checkpoint'));
  add('cwd', directoryOf(job));
  add('directive_prefix', wordOf(job, 'directivePrefix'));
  addList('stderr_path_list', pathTexts(pathsOf(view, 'errorPath')));
  add('reserve', isSet(job, 'reserve') ? 'y' : null);
  add('merge', isSet(job, 'isMerged') ? 'y' : null);
  addList('hard resource_list', resourceTexts(hardResources(job)));
  addList('soft resource_list', resourceTexts(softResources(job)));
  add('mail_options', wordOf(job, 'mailOptions'));
  addList(
    'mail_list',
    mailAddresses(job, host).map((address) => `${address.user}@${address.host ?? 'NONE'}`),
  );
  add('notify', isSet(job, 'notify') ? 'TRUE' : 'FALSE');
  add('job_name', job.spec.name);
  addList('stdout_path_list', pathTexts(pathsOf(view, 'outputPath')));
  addList('stdin_path_list', pathTexts(pathsOf(view, 'inputPath')));
  const priority = askedPriority({ job });
  add('priority', priority === 0 ? null : priority);
  add('jobshare', wordOf(job, 'jobShare') ?? 0);
  addList('hard_queue_list', askedQueues(job, 'queues'));
  addList('soft_queue_list', askedQueues(job, 'softQueues'));
  add('restart', wordOf(job, 'rerun'));
  const shell = wordOf(job, 'shell');
  if (shell !== null) {
    addList(
      'shell_list',
      shell.split(',').map((part) => `${hostOf(part)}:${part.slice(part.indexOf(':') + 1)}`),
    );
  }
  addList('env_list', ['TERM=NONE', ...pairsText(wordOf(job, 'variables'))]);
  addList('job_args', argumentsOf(job));
  addList('master hard queue_list', askedQueues(job, 'masterQueues'));
}

function hostOf(part: string): string {
  const colon = part.indexOf(':');
  return colon <= 0 ? 'NONE' : part.slice(0, colon);
}

function pathTexts(paths: readonly HostedPath[]): readonly string[] {
  return paths.map(({ host, path }) => `${host ?? 'NONE'}:NONE:${path}`);
}

function resourceTexts(resources: readonly AskedResource[]): readonly string[] {
  return resources.map(({ name, value }) => `${name}=${value}`);
}

function pairsText(list: string | null): readonly string[] {
  return pairsOf(list).map(([name, value]) => `${name}=${value ?? 'NONE'}`);
}

function jobType({ job }: JobInFull): string {
  if (!isSet(job, 'isBinary') && job.spec.program.script !== null) return 'NONE';
  return job.spec.program.argv[0] === scriptOf(job) ? 'binary,noshell' : 'binary';
}

/** `usage       100:            …`: the numbers of tasks end where they do in the original. */
function taskLine(label: string, facts: JobFacts, width: number, text: string): string {
  const number = `${taskNumber(facts.job)}`;
  return `${label}${number.padStart(width - label.length)}:${' '.repeat(12)}${text}`;
}

function usageLine(facts: JobFacts, { measured }: JobInFull): string {
  const use = measured.get(facts);
  const parts =
    use === undefined
      ? ['cpu=00:00:00', 'mem=0.00000 GB s', 'io=0.00000 GB', 'vmem=N/A', 'maxvmem=N/A']
      : [
          `cpu=${cpuClock(use.cpuMs)}`,
          `mem=${use.memoryGbSeconds.toFixed(5)} GB s`,
          'io=0.00000 GB',
          `vmem=${memoryText(use.memoryBytes, 3)}`,
          `maxvmem=${memoryText(use.peakMemoryBytes, 3)}`,
        ];
  return taskLine('usage', facts, 15, parts.join(', '));
}

/** `00:01:07`, with the days in front where there are some. */
function cpuClock(cpuMs: number): string {
  const seconds = Math.floor(cpuMs / 1000);
  const days = Math.floor(seconds / 86_400);
  return `${days === 0 ? '' : `${days}:`}${timeText(seconds % 86_400)}`;
}

function errorLine({ task, reason }: FailedTask): string {
  return `error reason${`${task}`.padStart(11)}:      ${printable(reason)}`;
}
