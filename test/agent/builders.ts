/** Jobs and attempts for tests that really run them, with one thing said at a time. */

import { createHash } from 'node:crypto';
import type { Observation } from '../../src/model/command.ts';
import { attemptId } from '../../src/model/ids.ts';
import type { Attempt, Job, NodeShare } from '../../src/model/job.ts';
import type { JobSpec, Program, ResourceRequest, Streams } from '../../src/model/job-spec.ts';
import type { Node } from '../../src/model/node.ts';

export interface Wish {
  readonly id?: number;
  readonly n?: number;
  readonly script?: string | Uint8Array;
  readonly argv?: readonly string[];
  readonly environment?: string | Uint8Array;
  readonly workDir: string;
  readonly program?: Partial<Program>;
  readonly streams?: Partial<Streams>;
  readonly resources?: Partial<ResourceRequest>;
  readonly spec?: Partial<JobSpec>;
  readonly job?: Partial<Job>;
  readonly attempt?: Partial<Attempt>;
  readonly nodes?: readonly Partial<NodeShare>[];
}

/** Scripts and environments by hash, as a store would keep them. */
export function createBlobs() {
  const kept = new Map<string, Uint8Array>();
  return {
    keep(content: string | Uint8Array): string {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const hash = createHash('sha256').update(bytes).digest('hex');
      kept.set(hash, bytes);
      return hash;
    },
    blob: (hash: string) => kept.get(hash) ?? null,
  };
}

export type Blobs = ReturnType<typeof createBlobs>;

export const PLAIN_ENVIRONMENT = 'PATH=/usr/bin:/bin\0HOME=/\0';

export function build(blobs: Blobs, wish: Wish): { readonly job: Job; readonly attempt: Attempt } {
  const id = wish.id ?? 17;
  const n = wish.n ?? 1;
  const shares = (wish.nodes ?? [{}]).map(shareOf);
  const attempt: Attempt = {
    id: attemptId(id, n),
    n,
    phase: 'assigned',
    placement: { nodes: shares },
    assignedAt: 0,
    startedAt: null,
    clockFrom: null,
    endedAt: null,
    warning: 'none',
    stop: null,
    signals: [],
    signalCount: 0,
    exit: null,
    usage: null,
    fault: null,
    ...wish.attempt,
  };
  const spec: JobSpec = {
    name: 'test',
    user: 'ada',
    account: null,
    queue: 'main',
    program: {
      script: wish.script === undefined ? null : blobs.keep(wish.script),
      argv: wish.argv ?? [],
      environment: blobs.keep(wish.environment ?? PLAIN_ENVIRONMENT),
      umask: 0o022,
      ulimits: {},
      spread: 'once',
      ...wish.program,
    },
    workDir: wish.workDir,
    streams: {
      stdin: null,
      stdout: 'out',
      stderr: null,
      openMode: 'truncate',
      makeDirectories: false,
      ...wish.streams,
    },
    resources: {
      nodes: { min: 1, max: 1 },
      ranks: 1,
      ranksPerNode: null,
      cpusPerRank: 1,
      cpusAsked: false,
      memory: null,
      gpus: null,
      exclusive: false,
      constraint: null,
      onlyNodes: [],
      exceptNodes: [],
      ...wish.resources,
    },
    limitMs: null,
    warning: null,
    array: null,
    dependencies: null,
    beginAt: null,
    deadlineAt: null,
    held: false,
    priority: 0,
    nice: 0,
    requeue: true,
    comment: null,
    origin: { dialect: 'native', words: {} },
    ...wish.spec,
  };
  const job: Job = {
    id,
    spec,
    submittedAt: 0,
    phase: 'active',
    hold: null,
    eligibleAt: 0,
    array: null,
    element: null,
    restarts: n - 1,
    attempt,
    outcome: null,
    endedAt: null,
    note: null,
    endedBy: null,
    ...wish.job,
  };
  return { job, attempt };
}

export function nodeOf(changes: Partial<Node> = {}): Node {
  return {
    name: 'box',
    cpus: 2,
    cpuIds: [],
    memoryBytes: 2 ** 30,
    devices: [],
    features: [],
    state: 'up',
    reason: null,
    ...changes,
  };
}

function shareOf(changes: Partial<NodeShare>): NodeShare {
  return { node: 'box', ranks: 1, cpus: 1, cpuIds: [], memoryBytes: 2 ** 30, devices: [], ...changes };
}

/** Collects observations and lets a test wait for one. */
export function createReports() {
  const seen: Observation[] = [];
  const waiting = new Set<() => void>();
  return {
    seen,
    report(observation: Observation) {
      seen.push(observation);
      for (const look of waiting) look();
    },
    next<T extends Observation['type']>(
      type: T,
      attempt?: string,
    ): Promise<Extract<Observation, { type: T }>> {
      return new Promise((resolve) => {
        const look = () => {
          const found = seen.find(
            (one) =>
              one.type === type && (attempt === undefined || ('attempt' in one && one.attempt === attempt)),
          );
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found as Extract<Observation, { type: T }>);
        };
        waiting.add(look);
        look();
      });
    },
  };
}
