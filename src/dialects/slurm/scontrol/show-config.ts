/**
 * `scontrol show config`: what of a yard has a name in Slurm's configuration. Keys that mean nothing here are left
 * out; clients look for MinJobAge, MaxArraySize and the like by name.
 */

import { printable } from '../../../model/bytes.ts';
import type { Policy } from '../../../model/policy.ts';
import type { NodeView, YardView } from '../../../model/query.ts';
import { type Asking, clock, printOut, query } from '../../program.ts';
import { SLURM_VERSION } from '../command.ts';
import { fullClockText } from '../durations.ts';
import { REMEMBERED_MS } from '../squeue/look-up.ts';
import { type Call, EXIT_OK } from './call.ts';
import { pingText } from './ping.ts';
import { toldMoments } from './told-moments.ts';

interface ConfigSources {
  readonly policy: Policy;
  readonly yard: YardView;
  readonly nodes: readonly NodeView[];
  readonly uid: number;
  readonly moment: (at: number) => string;
}

const NAME_WIDTH = 23;

export function* showConfig(call: Call): Asking<number> {
  const now = yield* clock();
  const yard = yield* query('yard', {});
  const moment = yield* toldMoments(call);
  const sources = {
    policy: yield* query('policy', {}),
    yard,
    nodes: yield* query('nodes', { names: null }),
    uid: (yield* query('users', { names: [yard.user] }))[0]?.uid ?? call.invocation.uid,
    moment,
  };
  const lines = Object.entries(VALUES).map(
    ([name, value]) => `${name.padEnd(NAME_WIDTH)} = ${printable(`${value(sources)}`)}\n`,
  );
  yield* printOut(`Configuration data as of ${moment(now)}\n${lines.join('')}\n${pingText(yard.host)}`);
  return EXIT_OK;
}

/** In Slurm's own order, which is that of the alphabet but for a few. */
const VALUES: Readonly<Record<string, (sources: ConfigSources) => string | number>> = {
  AccountingStorageEnforce: ({ policy }) => (policy.accounts === null ? 'none' : 'associations'),
  AccountingStorageHost: ({ yard }) => yard.host,
  AccountingStorageTRES: () => 'cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu',
  BOOT_TIME: ({ yard, moment }) => moment(yard.startedAt),
  ClusterName: ({ yard }) => yard.name,
  EnforcePartLimits: () => 'ALL',
  FirstJobId: () => 1,
  GresTypes: ({ nodes }) => (nodes.some(({ node }) => node.devices.length > 0) ? 'gpu' : '(null)'),
  JobFileAppend: () => 0,
  JobRequeue: () => 1,
  KillOnBadExit: () => 0,
  KillWait: ({ policy }) => seconds(policy.graceMs),
  MailProg: ({ yard }) => yard.mail ?? '(null)',
  MaxArraySize: ({ policy }) => policy.maxArraySize,
  MaxJobCount: ({ policy }) => policy.maxQueuedJobs,
  MaxMemPerNode: () => 'UNLIMITED',
  MaxNodeCount: ({ nodes }) => nodes.length,
  MinJobAge: () => seconds(REMEMBERED_MS),
  PreemptMode: ({ policy }) => preemptMode(policy),
  PreemptType: ({ policy }) => preemptType(policy),
  PriorityDecayHalfLife: ({ policy }) => fullClockText(policy.fairShareHalfLifeMs),
  PriorityMaxAge: ({ policy }) => fullClockText(policy.ageFullMs),
  PriorityType: () => 'priority/multifactor',
  PriorityWeightAge: ({ policy }) => policy.weights.age,
  PriorityWeightFairShare: ({ policy }) => policy.weights.fairShare,
  PriorityWeightJobSize: ({ policy }) => policy.weights.size,
  PriorityWeightPartition: ({ policy }) => policy.weights.queue,
  PriorityWeightQOS: ({ policy }) => policy.weights.qos,
  PropagateResourceLimits: () => 'ALL',
  RequeueExit: ({ policy }) => codes(policy.requeueExitCodes),
  RequeueExitHold: ({ policy }) => codes(policy.requeueHoldExitCodes),
  SchedulerType: ({ policy }) => (policy.backfill ? 'sched/backfill' : 'sched/builtin'),
  SelectType: () => 'select/cons_tres',
  SelectTypeParameters: () => 'CR_CPU_MEMORY',
  SlurmUser: ({ yard, uid }) => `${yard.user}(${uid})`,
  'SlurmctldHost[0]': ({ yard }) => yard.host,
  SlurmctldLogFile: ({ yard }) => `${yard.directory}/yard.log`,
  SlurmdUser: ({ yard, uid }) => `${yard.user}(${uid})`,
  SLURM_CONF: ({ yard }) => `${yard.directory}/trainyard.toml`,
  SLURM_VERSION: () => SLURM_VERSION,
  StateSaveLocation: ({ yard }) => yard.directory,
  SwitchType: () => 'switch/none',
  TopologyPlugin: () => 'topology/none',
  TrackWCKey: () => 'No',
};

function seconds(durationMs: number): string {
  return `${Math.round(durationMs / 1000)} sec`;
}

function codes(exitCodes: readonly number[]): string {
  return exitCodes.length === 0 ? '(null)' : exitCodes.join(',');
}

function preemptType({ queues, qos }: Policy): string {
  if (queues.some(({ preempt }) => preempt !== 'off')) return 'preempt/partition_prio';
  return qos.some(({ preempts }) => preempts !== undefined) ? 'preempt/qos' : 'preempt/none';
}

/** Of several ways the one that most jobs will meet. Slurm has suspension together with gang scheduling only. */
function preemptMode({ queues, qos }: Policy): string {
  const preempted = qos.flatMap(({ preempts = [] }) => preempts);
  const modes = new Set<string>([
    ...queues.map(({ preempt }) => preempt),
    ...qos.filter(({ name }) => preempted.includes(name)).map(({ preempt = 'requeue' }) => preempt),
  ]);
  if (modes.has('requeue')) return 'REQUEUE';
  if (modes.has('suspend')) return 'GANG,SUSPEND';
  return modes.has('cancel') ? 'CANCEL' : 'OFF';
}
