/**
 * The yard that `glb-start` and `glb-run` rely on: the one that runs, or one of their own that goes when they do. What is
 * left of such a one is what was there before.
 */

import { existsSync, realpathSync, rmdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, yardApi } from '../../client/api.ts';
import { type Caller, variablesOf } from '../../client/caller.ts';
import { type FoundYard, findYard } from '../../client/connect.ts';
import { type GlbPlaces, glbPlaces } from '../../client/glb-places.ts';
import { ownUid } from '../../client/places.ts';
import { textFromBytes } from '../../model/bytes.ts';
import type { JobView, NodeView } from '../../model/query.ts';
import { RefusalError, refusal } from '../../model/refusal.ts';
import { errorWords } from '../../platform/files.ts';
import { makeBelow, removeBelow } from '../../platform/private-directory.ts';
import { isAlive } from '../../platform/processes.ts';
import { removeTree } from '../../platform/remove-tree.ts';
import { LEASE_DIALECT } from '../../server/leases/lease.ts';
import { type DaemonOptions, rememberedOptions, rememberOptions } from '../daemon-options.ts';
import { daemonOf, untilGone } from '../down.ts';
import { directoryAmong, ensureYard } from '../ensure-yard.ts';
import { devicesOfJob } from './job-devices.ts';

export interface Balancer extends FoundYard {
  /** It was started now, and ends when it is stopped here; otherwise stopping leaves it alone. */
  readonly isOurs: boolean;
  readonly devices: readonly string[];
  stop(): Promise<void>;
}

const LONGEST_ENDING_MS = 5_000;
const LOOK_EVERY_MS = 20;

/** Throws a RefusalError or a UsageError, and then nothing is left behind. */
export async function ensureBalancer(caller: Caller, simulateGpus: string | null): Promise<Balancer> {
  const environment = variablesOf(caller.environment);
  const places = glbPlaces({ environment, workDir: textFromBytes(caller.workDir), uid: ownUid() });
  if (places.ownOfJob) makePrivate(places);
  const running = await findYard(places);
  if (running !== null) return attached(running, simulateGpus);

  const wasThere = new Set(places.directories.map(({ path }) => path).filter((path) => existsSync(path)));
  const { directory } = directoryAmong(places);
  const before = rememberedOptions(directory);
  const { simulated, variables } = places.ownOfJob ? devicesOfJob(environment) : NOTHING_GIVEN;
  const options = { ...before, simulateGpus: simulateGpus ?? simulated ?? before.simulateGpus };
  const started = await ensureYard(caller.environment, options, { places, variables });
  if (!started.started) return attached(started, simulateGpus);
  const isNew = places.ownOfJob || !wasThere.has(directory);
  const stop = () => stopped(started, before, places.ownOfJob);
  const devices = await devicesIn(started).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  if (devices.length > 0) return { ...started, isOurs: true, devices, stop };
  await stop();
  if (isNew) await remove(directory, places.ownOfJob);
  throw withoutGpus('this machine');
}

const NOTHING_GIVEN = { simulated: null, variables: {} };

async function attached(yard: FoundYard, simulateGpus: string | null): Promise<Balancer> {
  if (simulateGpus !== null && rememberedOptions(yard.directory).simulateGpus !== simulateGpus) {
    const message = `a yard already runs in ${yard.directory}, and takes options only when it starts`;
    const hint = 'leave --simulate-gpus out, stop it with trainyard down, or name another TRAINYARD_GLB_DIR';
    throw new RefusalError(refusal('wrongState', message, hint));
  }
  const devices = await devicesIn(yard);
  if (devices.length === 0) throw withoutGpus(`the yard that runs in ${yard.directory}`);
  return { ...yard, isOurs: false, devices, stop: async () => {} };
}

/** As people call them: by their numbers, with the node where there are several. */
async function devicesIn({ socketPath, listeners }: FoundYard): Promise<readonly string[]> {
  const { nodes } = await yardApi(socketPath, listeners).get<{ nodes: readonly NodeView[] }>('/v1/nodes');
  const withDevices = nodes.filter(({ node }) => node.devices.length > 0);
  return withDevices.flatMap(({ node }) =>
    node.devices.map(({ index }) => (withDevices.length === 1 ? `${index}` : `${node.name}:${index}`)),
  );
}

function withoutGpus(where: string): RefusalError {
  const hint = 'to rehearse without GPUs: --simulate-gpus 4x16G';
  return new RefusalError(refusal('unavailable', `${where} has no GPU to share out`, hint));
}

/** Those who hold a lease are told; other jobs of a yard that lasts go on. */
async function stopped(yard: FoundYard, before: DaemonOptions, isOwnOfJob: boolean): Promise<void> {
  const daemon = await daemonOf(yard);
  if (daemon !== null) {
    await endAll(yardApi(yard.socketPath, yard.listeners), ({ job }) => isOwnOfJob || isOfLease(job)).catch(
      () => {},
    );
    if (isAlive(daemon)) process.kill(daemon.pid, 'SIGTERM');
    await untilGone(daemon);
  }
  if (isOwnOfJob) await remove(yard.directory, true);
  else rememberOptions(yard.directory, before);
}

function isOfLease({ spec }: JobView['job']): boolean {
  return spec.origin.dialect === LEASE_DIALECT;
}

async function endAll(api: Api, isToEnd: (view: JobView) => boolean): Promise<void> {
  const asked = new Set<number>();
  for (const until = performance.now() + LONGEST_ENDING_MS; performance.now() < until; ) {
    const { jobs } = await api.get<{ jobs: readonly JobView[] }>(
      '/v1/jobs?phase=held,waiting,pending,active&limit=99999',
    );
    const left = jobs.filter(isToEnd).map(({ job }) => job.id);
    if (left.length === 0) return;
    const unasked = left.filter((id) => !asked.has(id));
    for (const id of unasked) asked.add(id);
    // What has ended by itself meanwhile refuses, and that is as well.
    await Promise.allSettled(unasked.map((id) => api.post(`/v1/jobs/${id}/cancel`, {})));
    await sleep(LOOK_EVERY_MS);
  }
}

/** Anybody may put a directory into /tmp: both that it is in and itself have to be ours. */
function makePrivate({ directories }: GlbPlaces): void {
  for (const { path } of directories) {
    try {
      makeBelow({ root: dirname(path), names: [basename(path)] }).close();
    } catch (error) {
      throw new RefusalError(refusal('unavailable', `${path} cannot be used: ${errorWords(error)}`));
    }
  }
}

async function remove(directory: string, isOwnOfJob: boolean): Promise<void> {
  if (!isOwnOfJob) return removeTree(`${realpathSync(dirname(directory))}/${basename(directory)}`);
  await removeBelow({ root: dirname(directory), names: [basename(directory)] });
  try {
    rmdirSync(dirname(directory));
  } catch {
    // Another job has one there.
  }
}
