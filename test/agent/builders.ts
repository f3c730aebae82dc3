/** Jobs and attempts for tests that really run them, with one thing said at a time. */

import { createHash } from 'node:crypto';
import type { VoiceOptions } from '../../src/agent/speaking.ts';
import type { Observation } from '../../src/model/command.ts';
import { attemptId } from '../../src/model/ids.ts';
import { type Attempt, type Job, type NodeShare, newAttempt, newJob } from '../../src/model/job.ts';
import type { JobSpec, Program, ResourceRequest, Streams } from '../../src/model/job-spec.ts';
import type { Node } from '../../src/model/node.ts';
import { PLAIN_RESOURCES, PLAIN_SPEC } from '../../src/model/plain.ts';
import { NO_MEMORY, type PrivateDirectory, privateDirectory } from '../../src/platform/private-directory.ts';

/** What a voice may speak of. */
export const SPOKEN_OF: VoiceOptions['surroundings'] = {
  yardName: 'y',
  directory: '/yard',
  host: 'h',
  uid: 0,
  gid: 0,
  defaultQos: null,
  zone: 'UTC',
};

/** A directory of ours under a fixed name. */
export function ownIn(parent: string, name: string): PrivateDirectory {
  return privateDirectory({ parent, name, memory: NO_MEMORY, log: () => {} });
}

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
  const attempt = { ...newAttempt(attemptId(id, n), n, { nodes: shares }, 0), ...wish.attempt };
  const spec: JobSpec = {
    ...PLAIN_SPEC,
    name: 'test',
    user: 'ada',
    queue: 'main',
    program: {
      ...PLAIN_SPEC.program,
      script: wish.script === undefined ? null : blobs.keep(wish.script),
      argv: wish.argv ?? [],
      environment: blobs.keep(wish.environment ?? PLAIN_ENVIRONMENT),
      ...wish.program,
    },
    workDir: wish.workDir,
    streams: { ...PLAIN_SPEC.streams, stdout: 'out', makeDirectories: false, ...wish.streams },
    resources: { ...PLAIN_RESOURCES, ...wish.resources },
    ...wish.spec,
  };
  const job: Job = {
    ...newJob(id, spec, 'pending', 0),
    phase: 'active',
    restarts: n - 1,
    attempt,
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
    hasEnded: (attempt: string) =>
      seen.some(
        (one) => (one.type === 'attemptEnded' || one.type === 'attemptLost') && one.attempt === attempt,
      ),
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
