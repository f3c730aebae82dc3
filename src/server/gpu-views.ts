/** Devices, who is on them and who waits for them; and what kinds of jobs use of them: as they are shown. */

import { foreignMillis, isWanted } from '../core/devices.ts';
import { estimateOf } from '../core/footprints/estimate.ts';
import { jobsAndShares } from '../core/occupancy.ts';
import { explainGpus, mannerOf } from '../core/schedule/explain-gpus.ts';
import { jobOf } from '../core/state.ts';
import type { DeviceNow } from '../model/device-use.ts';
import { saysHowMuch } from '../model/footprint.ts';
import { type DeviceShare, displayId, type Job } from '../model/job.ts';
import type { Device, Node } from '../model/node.ts';
import type { Answer, FootprintView, GpusView, GpuTenant, GpuView, JobView } from '../model/query.ts';
import type { Sources } from './query-sources.ts';

/** Those who wait are given in the order in which they would be looked at. */
export function gpusView(
  sources: Sources,
  names: readonly string[] | null,
  waitingViews: readonly JobView[],
): GpusView {
  const { state, policy, now, devicesNow } = sources;
  const { source, devices: seen } = devicesNow();
  const waiting = waitingViews.flatMap((view) => {
    const wants = explainGpus({ state, policy, now }, view.job);
    return wants === null ? [] : [{ view, wants }];
  });
  const occupancy = jobsAndShares(state);
  const gpus = [...state.nodes.values()]
    .filter(({ name }) => names === null || names.includes(name))
    .flatMap((node) =>
      node.devices.map((device): GpuView => {
        const here = (occupancy.get(node.name) ?? []).flatMap(({ job, share }) => {
          const held = share.devices.find(({ index }) => index === device.index);
          return held === undefined ? [] : [{ job: jobOf(state, job), held }];
        });
        const look = seen.find(({ reading }) => reading.node === node.name && reading.index === device.index);
        return gpuView(node, device, here, look ?? null, waiting);
      }),
    );
  return { source, gpus, waiting };
}

interface Here {
  readonly job: Job;
  readonly held: DeviceShare;
}

function gpuView(
  node: Node,
  device: Device,
  here: readonly Here[],
  look: DeviceNow | null,
  waiting: GpusView['waiting'],
): GpuView {
  const bytes = (millis: number) => Math.round((millis * device.memoryBytes) / 1000);
  const reservedMillis = here.reduce((sum, { held }) => sum + held.millis, 0);
  const keptFree = bytes(Math.max(0, 1000 - reservedMillis - foreignMillis(device)));
  return {
    node: node.name,
    device,
    isUp: node.state === 'up',
    now: look === null ? null : { reading: look.reading, at: look.at, foreign: look.foreign },
    reservedBytes: bytes(reservedMillis),
    freeBytes: look === null ? keptFree : Math.min(keptFree, reallyFree(look)),
    reservedLoadMillis: here.reduce((sum, { held }) => sum + (held.loadMillis ?? held.millis), 0),
    tenants: here.map(({ job, held }) => tenantOf(job, held, bytes(held.millis), look)),
    waiting: waiting.filter(({ view: { job } }) => couldUse(job, device)).map(({ view }) => view.job.id),
  };
}

function reallyFree({ reading: { totalBytes, usedBytes } }: DeviceNow): number {
  return Math.max(0, totalBytes - usedBytes);
}

function couldUse({ spec }: Job, device: Device): boolean {
  const { gpus } = spec.resources;
  return gpus !== null && isWanted(gpus, device);
}

function tenantOf(job: Job, held: DeviceShare, reservedBytes: number, look: DeviceNow | null): GpuTenant {
  const { id, spec, attempt } = job;
  const seen = look?.tenants.find((tenant) => tenant.attempt === attempt?.id);
  const { gpus } = spec.resources;
  return {
    job: id,
    displayId: displayId(job),
    name: spec.name,
    user: spec.user,
    manner: held.learningOn !== undefined ? 'learning' : gpus === null ? 'whole' : mannerOf(gpus),
    isLease: spec.program.spread === 'caller' && spec.resources.cpusPerRank === 0,
    reservedBytes,
    now:
      seen === undefined
        ? null
        : { memoryBytes: seen.memoryBytes, loadMillis: seen.loadMillis, idleSince: seen.idleSince },
  };
}

/** What matches is looked for in what people see of it, and in its key. */
export function footprintViews({ state, now }: Sources, match: string | null): Answer<'footprints'> {
  const wanted = match?.toLowerCase() ?? '';
  return [...state.footprints.values()]
    .filter(saysHowMuch)
    .filter(({ key, device }) => `${key.text} ${key.label} ${device}`.toLowerCase().includes(wanted))
    .sort((a, b) => b.lastSeenAt - a.lastSeenAt || (a.key.text < b.key.text ? -1 : 1))
    .map((footprint): FootprintView => ({ footprint, estimate: estimateOf(footprint, now) }));
}
