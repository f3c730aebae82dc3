/** For tests: a yard in which every text that somebody could choose is hostile, and what no command may print. */

import {
  aJob,
  anAttempt,
  aStep,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  NOW,
} from '../src/dialects/fake-yard.ts';
import { aNodeView, aQueueView } from '../src/dialects/gridengine/fake-hosts.ts';
import { GRID_ENGINE, type GridEngineWord } from '../src/dialects/gridengine/words.ts';
import type { SlurmWord } from '../src/dialects/slurm/words.ts';
import type { EventBody } from '../src/model/event.ts';
import type { Attempt, Job } from '../src/model/job.ts';
import type { JobSpec, Origin } from '../src/model/job-spec.ts';
import type { Reason } from '../src/model/reason.ts';

/** Clears a screen, in both ways to say so; ends lines, for every reader; turns text round; is no UTF-8; is no XML. */
export const HOSTILE =
  'é\u001b[2J\u009b2J\u0085\u007f\u0007\rback\nFORGED:1:2\tx\u2028FORGED\u202elive\u2066\udc9b<&"\']]>\uffff';

/** A line that only such a text could have begun. */
export const FORGED_LINE = /^FORGED/m;

/** Control characters, the ends of lines that not every program knows, and what turns text round. */
// oxlint-disable-next-line no-control-regex
export const ACTS_ON_A_TERMINAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

const SLURM_WORDS: readonly SlurmWord[] = [
  ...(['command', 'submitLine', 'submitDir', 'submitHost', 'export', 'gres', 'gpus', 'licenses'] as const),
  ...(['network', 'wckey', 'reservation', 'clusters', 'mcsLabel', 'hint', 'cpuBind', 'memBind'] as const),
  ...([
    'gpuBind',
    'profile',
    'power',
    'burstBuffer',
    'adminComment',
    'extra',
    'dependency',
    'switches',
  ] as const),
  ...(['distribution', 'cpuFrequency', 'gpuFrequency', 'tmp', 'timeMin', 'gpusPerNode', 'signal'] as const),
];

const GRID_ENGINE_WORDS: readonly GridEngineWord[] = [
  ...([
    'queues',
    'softQueues',
    'masterQueues',
    'resources',
    'softResources',
    'pe',
    'script',
    'shell',
  ] as const),
  ...(['directivePrefix', 'project', 'account', 'binding', 'checkpoint', 'mailList', 'context'] as const),
  ...(['holdJobs', 'holdArrayJobs', 'variables', 'outputPath', 'errorPath', 'inputPath'] as const),
];

const ORIGINS: readonly Origin[] = [
  { dialect: 'slurm', words: { by: 'sbatch', ...wordsOf(SLURM_WORDS) } },
  { dialect: GRID_ENGINE, words: { by: 'qsub', slotRange: '1', ...wordsOf(GRID_ENGINE_WORDS) } },
  { dialect: 'native', words: { script: HOSTILE } },
  { dialect: 'api', words: {} },
];

function wordsOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, HOSTILE]));
}

export function hostileSpec(origin: Origin): Partial<JobSpec> {
  const plain = aJob().spec;
  return {
    name: HOSTILE,
    user: HOSTILE,
    account: HOSTILE,
    qos: HOSTILE,
    queue: HOSTILE,
    program: { ...plain.program, argv: [HOSTILE, HOSTILE], interpreter: [HOSTILE] },
    workDir: `/${HOSTILE}`,
    streams: { ...plain.streams, stdin: HOSTILE, stdout: HOSTILE, stderr: `${HOSTILE}2` },
    resources: {
      ...plain.resources,
      constraint: HOSTILE,
      onlyNodes: [HOSTILE],
      exceptNodes: [HOSTILE],
      gpus: { count: 1, per: 'job', kind: HOSTILE, shareMillis: 1000 },
    },
    kind: HOSTILE,
    gpuLog: HOSTILE,
    comment: HOSTILE,
    mail: { to: HOSTILE, on: ['begin', 'end', 'fail'] },
    origin,
  };
}

export function hostileAttempt(id: number, changes: Partial<Attempt> = {}): Attempt {
  const plain = anAttempt({ id: `${id}.1` });
  const shares = plain.placement.nodes.map((share) => ({ ...share, node: HOSTILE }));
  return {
    ...plain,
    placement: { ...plain.placement, nodes: shares },
    fault: HOSTILE,
    trouble: HOSTILE,
    ...changes,
  };
}

/** One waiting, one held, one running and one ended, of each dialect. */
export function hostileJobs(): readonly Job[] {
  return ORIGINS.flatMap((origin, at) => {
    const spec = hostileSpec(origin);
    const first = at * 10;
    const ended = {
      phase: 'ended',
      endedAt: NOW,
      exit: { code: 1, signal: null, outOfMemory: false },
    } as const;
    const jobs = [
      aJob({ id: first + 1 }, spec),
      aJob({ id: first + 2, phase: 'held', hold: { by: 'yard', reason: HOSTILE, isError: true } }, spec),
      aJob({ id: first + 3, phase: 'active', attempt: hostileAttempt(first + 3) }, spec),
      endedJob(first + 4, { note: HOSTILE, endedBy: HOSTILE, outcome: 'failed' }),
    ];
    return jobs.map((job) =>
      job.phase === 'ended'
        ? { ...job, spec: { ...job.spec, ...spec }, attempt: hostileAttempt(job.id, ended) }
        : job,
    );
  });
}

function reasonOf({ id, phase }: Job): Reason | null {
  if (phase === 'held') return { kind: 'held', by: 'yard', note: HOSTILE };
  if (phase !== 'pending') return null;
  return id > 20 ? { kind: 'nodesUnavailable', nodes: [HOSTILE] } : { kind: 'neverPossible', why: HOSTILE };
}

export function hostileYard(): FakeYard {
  const jobs = hostileJobs();
  const views = jobs.map((job) =>
    aView(job, { reason: reasonOf(job), stdoutPath: `/${HOSTILE}`, stderrPath: HOSTILE }),
  );
  const bodies = jobs.flatMap(({ id, spec }): readonly EventBody[] => [
    { type: 'jobSubmitted', job: id, spec, phase: 'pending' },
    { type: 'jobHeld', job: id, hold: { by: 'yard', reason: HOSTILE } },
    { type: 'jobUpdated', job: id, changes: { name: HOSTILE, comment: HOSTILE }, by: HOSTILE },
  ]);
  const base = fakeYard();
  const queues = [aQueueView('main', { isDefault: true }), aQueueView(HOSTILE)];
  return {
    ...base,
    views,
    nodes: [
      aNodeView(HOSTILE, {
        reason: HOSTILE,
        state: 'draining',
        features: [HOSTILE],
        devices: [{ index: 0, kind: HOSTILE, memoryBytes: 2 ** 30, simulated: true, uuid: HOSTILE }],
      }),
    ],
    queues,
    policy: { ...base.policy, queues: queues.map(({ queue }) => queue) },
    events: bodies.map((body, at) => ({ seq: at + 1, event: { at: NOW, ...body } })),
    explanations: new Map(
      views.map(({ job, reason }) => [job.id, { reason, expectedStartAt: null, priority: null, ahead: 0 }]),
    ),
    config: { file: HOSTILE, values: [{ key: 'name', value: HOSTILE, from: HOSTILE }] },
    steps: new Map(
      jobs.map(({ id }) => [id, [aStep({ attempt: `${id}.1`, name: HOSTILE, command: [HOSTILE] })]]),
    ),
    users: [{ name: HOSTILE, uid: 1000, gid: 1000, group: HOSTILE }],
    shares: [{ user: HOSTILE, shares: 1, usedSeconds: 1, factor: 1 }],
    mail: HOSTILE,
  };
}
