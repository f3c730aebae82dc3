/** `scontrol update PartitionName=… State=…`: a partition starts no more jobs, or starts them again. */

import type { QueueState } from '../../../model/policy.ts';
import type { QueueView } from '../../../model/query.ts';
import { type Asking, command, printErr, query } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { type Call, complain, EXIT_FAILED, EXIT_OK } from './call.ts';
import type { Assignment } from './specification.ts';

interface Choice {
  readonly name: string;
  readonly change: Partial<QueueState>;
  /** What is not as it would be in the original. */
  readonly warning: string | null;
}

const DOWN = { disabled: true };

/** In the order in which beginnings of their names are tried. */
const STATES: readonly Choice[] = [
  { name: 'INACTIVE', change: DOWN, warning: 'it is DOWN: jobs may be submitted to it, and wait' },
  { name: 'DOWN', change: DOWN, warning: null },
  { name: 'UP', change: { disabled: false, suspended: false }, warning: null },
  {
    name: 'DRAIN',
    change: DOWN,
    warning: 'it is DOWN: jobs may be submitted to it, and none of those that wait starts',
  },
];

const FROM_CONFIG: ReadonlySet<string> = new Set(
  [
    ...['AllocNodes', 'AllowAccounts', 'AllowGroups', 'AllowQos', 'Alternate', 'CpuBind', 'Default'],
    ...['DefaultTime', 'DefMemPerCPU', 'DefMemPerNode', 'DenyAccounts', 'DenyQos', 'DisableRootJobs'],
    ...['ExclusiveUser', 'GraceTime', 'Hidden', 'JobDefaults', 'LLN', 'MaxCPUsPerNode', 'MaxMemPerCPU'],
    ...['MaxMemPerNode', 'MaxNodes', 'MaxTime', 'MinNodes', 'Nodes', 'OverSubscribe', 'OverTimeLimit'],
    ...['PowerDownOnIdle', 'PreemptMode', 'Priority', 'PriorityJobFactor', 'PriorityTier', 'QOS', 'ReqResv'],
    ...['ResumeTimeout', 'RootOnly', 'Shared', 'SuspendTime', 'SuspendTimeout', 'TRESBillingWeights'],
  ].map((name) => name.toLowerCase()),
);

export function* updatePartition(
  call: Call,
  assignments: readonly Assignment[],
  named: readonly Assignment[],
): Asking<number> {
  const others = assignments.filter((each) => !named.includes(each));
  const choice = others.map(stateIn).at(-1);
  if (choice === undefined) return yield* complain(call, 'scontrol: error: No changes specified');
  const name = named.at(-1)?.value ?? '';
  const view = (yield* query('queues', {})).find(({ queue }) => queue.name === name);
  if (view === undefined)
    return yield* complain(call, 'slurm_update error: Invalid partition name specified');
  const warning = warningOf(choice, view);
  if (warning !== null) yield* printErr(`scontrol: warning: partition ${name}: ${warning}\n`);
  const by = call.invocation.user;
  const result = yield* command({ type: 'setQueue', queue: name, by, ...choice.change });
  if (result.ok) return EXIT_OK;
  return yield* complain(call, `slurm_update error: ${result.refusal.message}`);
}

function warningOf({ name, warning }: Choice, { queue }: QueueView): string | null {
  return name === 'UP' && !queue.open ? 'it is closed in trainyard.toml, and stays DOWN' : warning;
}

/** Throws what it cannot do, before anything is done. */
function stateIn({ name, text, value }: Assignment): Choice {
  const key = name.toLowerCase();
  if (key === 'state') {
    if (value === null) throw refused(`Invalid input: ${text}  Request aborted`);
    const wanted = value.toUpperCase();
    const choice = STATES.find((each) => wanted !== '' && each.name.startsWith(wanted));
    if (choice !== undefined) return choice;
    throw refused(`Invalid input: ${text}`, 'Acceptable State values are UP, DOWN, DRAIN and INACTIVE');
  }
  if (FROM_CONFIG.has(key))
    throw refused(`${name} of a partition comes from trainyard.toml: change it there`, 'Request aborted');
  throw refused(`Update of this parameter is not supported: ${text}`, 'Request aborted');
}

function refused(...sentences: readonly string[]): SlurmFailure {
  return new SlurmFailure(
    sentences.map((sentence) => `scontrol: error: ${sentence}`),
    EXIT_FAILED,
  );
}
