/** The ways in which a training job is disturbed, each at one instant: what is hit is found as an administrator would. */

import { readFileSync } from 'node:fs';
import type { Api } from '../../src/client/api.ts';
import {
  childrenOf,
  commandLine,
  environmentValue,
  listProcesses,
  sendSignal,
} from '../../src/platform/processes.ts';
import type { YardUnderFire } from './yard-under-fire.ts';

const SIGKILL = 9;

export const DISTURBANCES = [
  'kill the trainer',
  'kill the shim',
  'kill the daemon',
  'kill the keeper',
  'kill keeper and daemon',
  'cancel',
  'requeue',
  'preempt',
] as const;

/** How often each comes, in proportion: a daemon takes long to come back, and much can happen meanwhile. */
export const FREQUENCIES: Readonly<Record<Disturbance, number>> = {
  'kill the trainer': 3,
  'kill the shim': 2,
  'kill the daemon': 1,
  'kill the keeper': 2,
  'kill keeper and daemon': 1,
  cancel: 2,
  requeue: 1,
  preempt: 2,
};

export type Disturbance = (typeof DISTURBANCES)[number];

/** False when there was nothing to hit. */
export async function disturb(kind: Disturbance, yard: YardUnderFire, job: number): Promise<boolean> {
  switch (kind) {
    case 'kill the trainer':
      return killAll(trainersOf(yard, job));
    case 'kill the shim':
      return killAll(trainersOf(yard, job).flatMap((pid) => shimAbove(pid)));
    case 'kill the daemon':
      await yard.kill();
      return true;
    case 'kill the keeper':
      return killAll(keepersOf(yard));
    case 'kill keeper and daemon': {
      const keepers = keepersOf(yard);
      await yard.kill();
      return killAll(keepers);
    }
    case 'cancel':
    case 'requeue':
      return asked(await yard.api(), `/v1/jobs/${job}/${kind}`);
    case 'preempt':
      return preempt(yard);
  }
}

/** A short job of a higher queue that needs more than is free. */
async function preempt(yard: YardUnderFire): Promise<boolean> {
  const api = await yard.api();
  return asked(api, '/v1/jobs', {
    name: 'urgent',
    command: ['/bin/sleep', '0.1'],
    workDir: '/',
    streams: { stdout: '/dev/null' },
    queue: 'urgent',
    resources: { cpusPerRank: 2 },
  });
}

/** What the yard refuses, because the job has just come to its end, disturbs nobody. */
async function asked(api: Api, path: string, body: unknown = {}): Promise<boolean> {
  try {
    await api.post(path, body);
    return true;
  } catch {
    return false;
  }
}

function killAll(pids: readonly number[]): boolean {
  return pids.map((pid) => sendSignal(pid, SIGKILL)).some((isHit) => isHit);
}

function trainersOf(yard: YardUnderFire, job: number): readonly number[] {
  return listProcesses()
    .filter(({ state }) => state !== 'Z')
    .map(({ pid }) => pid)
    .filter(
      (pid) =>
        environmentValue(pid, 'TRAINYARD_DIR') === yard.directory &&
        environmentValue(pid, 'TRAINYARD_JOB_ID') === `${job}`,
    );
}

function shimAbove(pid: number): readonly number[] {
  const [parent] = listProcesses().filter((info) => childrenOf(info.pid).includes(pid));
  return parent === undefined ? [] : [parent.pid];
}

function keepersOf(yard: YardUnderFire): readonly number[] {
  const daemon = Number(/\d+/.exec(readFileSync(`${yard.directory}/lock`, 'utf8'))?.[0] ?? 0);
  return listProcesses()
    .filter(({ ppid, pid }) => ppid === daemon && commandLine(pid).some((word) => /keeper/.test(word)))
    .map(({ pid }) => pid);
}
