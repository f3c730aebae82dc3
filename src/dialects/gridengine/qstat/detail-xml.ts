/** `qstat -j -xml`: what is known of jobs, with the names that Grid Engine's own lists have inside. */

import type { JobId } from '../../../model/ids.ts';
import { taskNumber } from '../job-facts.ts';
import { askedPriority } from '../priorities.ts';
import {
  askedEnvironment,
  askedQueues,
  deadlineOf,
  hardResources,
  type QueueList,
  softResources,
} from '../requested.ts';
import { wordOf } from '../words.ts';
import type { FailedTask, JobInFull } from './known.ts';
import { messagesNode } from './messages-xml.ts';
import { resourceNode } from './resource-xml.ts';
import {
  accountOf,
  argumentsOf,
  directoryOf,
  type HostedPath,
  hostedPath,
  isSet,
  mailAddresses,
  pairsOf,
  pathsOf,
  scriptOf,
  taskRangeOf,
} from './said-back.ts';
import { element, opening, type XmlNode, xmlText } from './xml.ts';

export function* detailsXml(jobs: readonly JobInFull[], withBinding: boolean): Generator<string> {
  yield opening('detailed_job_info', 'detailed_job_info');
  yield '  <djob_info>\n';
  for (const full of jobs) yield xmlText(jobNode(full, withBinding), 2);
  yield '  </djob_info>\n';
  const [first] = jobs;
  const own = jobs.flatMap(({ number, own: messages }) =>
    messages.map((message) => ({ ...message, jobs: [number] })),
  );
  yield xmlText(element('messages', [messagesNode(first?.general ?? [], own)]), 1);
  yield '</detailed_job_info>\n';
}

/** What stands in one place only where there is something in it. */
function list(name: string, items: readonly XmlNode[]): readonly XmlNode[] {
  return items.length === 0 ? [] : [element(name, items)];
}

const truth = (is: boolean) => (is ? 'true' : 'false');
const seconds = (at: number | null) => (at === null ? 0 : Math.floor(at / 1000));

/** What `-r` said, as a number. */
const RESTARTS: Readonly<Record<string, number>> = { y: 1, n: 2 };
/** What `-m` said, as the sum of these. */
const MAIL_OPTIONS: Readonly<Record<string, number>> = { a: 262_144, b: 524_288, e: 1_048_576, s: 4_194_304 };
const TYPE_BINARY = 64;
const TYPE_ARRAY = 128;
const LOWEST_PRIORITY = 1024;

function jobNode(full: JobInFull, withBinding: boolean): XmlNode {
  const { number, view, job, owner, predecessors, arrayPredecessors, successors } = full;
  const { spec } = job;
  const isBinary = isSet(job, 'isBinary') || spec.program.script === null;
  return element('element', [
    element('JB_job_number', number),
    element('JB_ar', 0),
    element('JB_exec_file', `job_scripts/${number}`),
    element('JB_submission_time', seconds(job.submittedAt)),
    element('JB_owner', spec.user),
    ...(owner === null
      ? []
      : [element('JB_uid', owner.uid), element('JB_group', owner.group), element('JB_gid', owner.gid)]),
    element('JB_account', accountOf(job)),
    element('JB_merge_stderr', truth(isSet(job, 'isMerged'))),
    element('JB_mail_list', mailNodes(full)),
    ...texts('JB_project', wordOf(job, 'project')),
    element('JB_notify', truth(isSet(job, 'notify'))),
    element('JB_job_name', spec.name),
    ...paths(full, 'JB_stdout_path_list', 'outputPath'),
    element('JB_jobshare', wordOf(job, 'jobShare') ?? 0),
    ...list('JB_hard_resource_list', hardResources(job).map(resourceNode)),
    ...list('JB_soft_resource_list', softResources(job).map(resourceNode)),
    ...queues(full, 'JB_hard_queue_list', 'queues'),
    ...queues(full, 'JB_soft_queue_list', 'softQueues'),
    ...list('JB_shell_list', shellNodes(full)),
    element('JB_env_list', environmentNodes(full)),
    ...list(
      'JB_job_args',
      argumentsOf(job).map((word) => element('element', [element('ST_name', word)])),
    ),
    element('JB_script_file', scriptOf(job)),
    ...list('JB_ja_tasks', [
      ...full.running.map((facts) => taskNode(full, facts)),
      ...full.failed.map(failedNode),
    ]),
    ...list('JB_context', pairsOf(wordOf(job, 'context')).map(variableNode('context_list'))),
    ...texts('JB_cwd', directoryOf(job)),
    ...paths(full, 'JB_stderr_path_list', 'errorPath'),
    ...list('JB_jid_predecessor_list', predecessors.left.map(reference('job_predecessors'))),
    ...list('JB_ja_ad_predecessor_list', arrayPredecessors.left.map(reference('job_predecessors_ad'))),
    ...list('JB_jid_request_list', predecessors.asked.map(named)),
    ...list('JB_ja_ad_request_list', arrayPredecessors.asked.map(named)),
    ...list('JB_jid_successor_list', successors.map(reference('ulong_sublist'))),
    element('JB_deadline', seconds(deadlineOf(job))),
    element('JB_execution_time', seconds(spec.beginAt)),
    element('JB_checkpoint_attr', 0),
    element('JB_checkpoint_interval', 0),
    ...texts('JB_directive_prefix', wordOf(job, 'directivePrefix')),
    element('JB_reserve', truth(isSet(job, 'reserve'))),
    element('JB_mail_options', mailOptionsNumber(wordOf(job, 'mailOptions') ?? '')),
    ...paths(full, 'JB_stdin_path_list', 'inputPath'),
    element('JB_priority', LOWEST_PRIORITY + askedPriority({ job })),
    element('JB_restart', RESTARTS[wordOf(job, 'rerun') ?? ''] ?? 0),
    element('JB_verify', 0),
    ...queues(full, 'JB_master_hard_queue_list', 'masterQueues'),
    element('JB_script_size', 0),
    ...environmentOf(full),
    // Once more, as in the original.
    ...list('JB_jid_request_list', predecessors.asked.map(named)),
    element('JB_verify_suitable_queues', 0),
    element('JB_soft_wallclock_gmt', 0),
    element('JB_hard_wallclock_gmt', 0),
    element('JB_override_tickets', 0),
    element('JB_version', 0),
    element('JB_ja_structure', [rangeNode('task_id_range', taskRangeOf(view.job) ?? ONE_TASK)]),
    element('JB_type', (isBinary ? TYPE_BINARY : 0) + (spec.array === null ? 0 : TYPE_ARRAY)),
    ...(withBinding ? [NO_BINDING] : []),
    element('JB_ja_task_concurrency', spec.array?.throttle ?? 0),
    element('JB_nurg', full.urgency.toFixed(6)),
  ]);
}

const ONE_TASK = { first: 1, last: 1, step: 1 };

const NO_BINDING = element('JB_binding', [
  element('element', [
    element('BN_strategy', 'no_job_binding'),
    element('BN_type', 0),
    element('BN_parameter_n', 0),
    element('BN_parameter_socket_offset', 0),
    element('BN_parameter_core_offset', 0),
    element('BN_parameter_striding_step_size', 0),
    element('BN_parameter_explicit', 'no_explicit_binding'),
  ]),
]);

function texts(name: string, value: string | null): readonly XmlNode[] {
  return value === null ? [] : [element(name, value)];
}

function mailOptionsNumber(letters: string): number {
  return [...new Set(letters)].reduce((sum, letter) => sum + (MAIL_OPTIONS[letter] ?? 0), 0);
}

function mailNodes({ job, host }: JobInFull): readonly XmlNode[] {
  const name = wordOf(job, 'mailList') === null ? 'element' : 'mail_list';
  return mailAddresses(job, host).map((address) =>
    element(name, [element('MR_user', address.user), element('MR_host', address.host ?? '')]),
  );
}

function paths(
  { view }: JobInFull,
  name: string,
  word: 'outputPath' | 'errorPath' | 'inputPath',
): readonly XmlNode[] {
  return list(name, pathsOf(view, word).map(pathNode));
}

function pathNode({ host, path }: HostedPath): XmlNode {
  return element('path_list', [
    element('PN_path', path),
    element('PN_host', host ?? ''),
    element('PN_file_host', ''),
    element('PN_file_staging', 'false'),
  ]);
}

function queues({ job }: JobInFull, name: string, which: QueueList): readonly XmlNode[] {
  return list(
    name,
    askedQueues(job, which).map((queue) => element('destin_ident_list', [element('QR_name', queue)])),
  );
}

function shellNodes({ job }: JobInFull): readonly XmlNode[] {
  const shell = wordOf(job, 'shell');
  return shell === null ? [] : shell.split(',').map((part) => pathNode(hostedPath(part)));
}

const SUBMITTER_VARIABLES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TZ'] as const;

function environmentNodes({ job, submitter }: JobInFull): readonly XmlNode[] {
  const own = (name: string, value: string | undefined) =>
    value === undefined ? [] : [variable(`__SGE_PREFIX__O_${name}`, value)];
  return [
    ...SUBMITTER_VARIABLES.flatMap((name) => own(name === 'LOGNAME' ? 'LOGNAME' : name, submitter?.[name])),
    variable('TERM', null),
    ...own('HOST', submitter?.HOST),
    ...own('WORKDIR', submitter?.WORKDIR ?? job.spec.workDir),
    ...pairsOf(wordOf(job, 'variables')).map(([name, value]) => variable(name, value)),
  ];
}

function variable(name: string, value: string | null): XmlNode {
  return variableNode('job_sublist')([name, value]);
}

function variableNode(of: string): (pair: readonly [string, string | null]) => XmlNode {
  return ([name, value]) => element(of, [element('VA_variable', name), ...texts('VA_value', value)]);
}

function reference(of: string): (id: JobId) => XmlNode {
  return (id) => element(of, [element('JRE_job_number', id)]);
}

function named(name: string): XmlNode {
  return element('element', [element('JRE_job_number', 0), element('JRE_job_name', name)]);
}

/** As the original counts kinds of messages about a task. */
const MESSAGE_ERROR = 1;
const WAITING = 0;

function failedNode({ task, reason }: FailedTask): XmlNode {
  return element('ulong_sublist', [
    element('JAT_status', WAITING),
    element('JAT_task_number', task),
    element('JAT_message_list', [
      element('ulong_sublist', [element('QIM_type', MESSAGE_ERROR), element('QIM_message', reason)]),
    ]),
    element('JAT_start_time', 0),
    element('JAT_ntix', '0.500000'),
  ]);
}

const RUNNING = 128;

function taskNode({ measured }: JobInFull, facts: JobInFull['running'][number]): XmlNode {
  const use = measured.get(facts);
  const scaled = (name: string, value: number) =>
    element('scaled', [element('UA_name', name), element('UA_value', value.toFixed(6))]);
  const usage =
    use === undefined
      ? []
      : [
          scaled('cpu', use.cpuMs / 1000),
          scaled('mem', use.memoryGbSeconds),
          scaled('io', 0),
          scaled('iow', 0),
          scaled('vmem', use.memoryBytes),
          scaled('maxvmem', use.peakMemoryBytes),
        ];
  return element('ulong_sublist', [
    element('JAT_status', RUNNING),
    element('JAT_task_number', taskNumber(facts.job)),
    ...list('JAT_scaled_usage_list', usage),
    element('JAT_start_time', seconds(facts.since)),
    element('JAT_ntix', '0.500000'),
  ]);
}

function environmentOf({ job }: JobInFull): readonly XmlNode[] {
  const environment = askedEnvironment(job);
  if (environment === null) return [];
  return [
    element('JB_pe', environment.name),
    element(
      'JB_pe_range',
      environment.ranges.map((range) => rangeNode('ranges', { ...range, step: 1 })),
    ),
  ];
}

function rangeNode(
  name: string,
  { first, last, step }: { readonly first: number; readonly last: number; readonly step: number },
): XmlNode {
  return element(name, [element('RN_min', first), element('RN_max', last), element('RN_step', step)]);
}
