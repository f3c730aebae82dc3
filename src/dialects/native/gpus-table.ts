/** The tables of `trainyard gpus`: devices, who is on them, and who waits. */

import type { JobId } from '../../model/ids.ts';
import { displayId } from '../../model/job.ts';
import type { GpusView, GpuTenant, GpuView } from '../../model/query.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { type Cell, type Column, type Row, table } from '../text/table.ts';
import { counted, percentText } from '../text/words.ts';
import type { Call } from './call.ts';
import { gpuText, unstartedText } from './job-facts.ts';
import { shortReason } from './reasons.ts';

/** From this on a device counts as busy. */
const BUSY_MILLIS = 900;

const DEVICE_COLUMNS: readonly Column[] = [
  { title: 'GPU' },
  { title: 'MODEL', shrinkTo: 8 },
  { title: 'MEMORY', align: 'right' },
  { title: 'USED', align: 'right' },
  { title: 'RESERVED', align: 'right' },
  { title: 'FREE', align: 'right' },
  { title: 'LOAD', align: 'right' },
  { title: 'TEMP', align: 'right' },
  { title: 'POWER', align: 'right' },
  { title: 'WAITING', align: 'right' },
];

export function devicesTable({ gpus }: GpusView, call: Call): string {
  const called = naming(gpus);
  const rows = gpus.map((gpu): Row => {
    const { device, now, isUp } = gpu;
    const reading = now?.reading;
    return [
      called(gpu),
      isUp ? modelText(gpu) : { text: `${modelText(gpu)} (its node is not up)`, colour: 'red' },
      formatBytes(device.memoryBytes),
      reading === undefined ? '-' : formatBytes(reading.usedBytes),
      formatBytes(gpu.reservedBytes),
      freeCell(gpu),
      loadCell(reading?.loadMillis ?? null),
      reading?.temperatureC == null ? '-' : `${Math.round(reading.temperatureC)} °C`,
      reading?.powerW == null ? '-' : `${Math.round(reading.powerW)} W`,
      gpu.waiting.length === 0 ? '-' : `${gpu.waiting.length}`,
    ];
  });
  return table(DEVICE_COLUMNS, rows, call);
}

/** Of which node only where there are several. */
function naming(gpus: readonly GpuView[]): (gpu: GpuView) => string {
  const nodes = new Set(gpus.map(({ node }) => node));
  return ({ node, device }) => (nodes.size > 1 ? `${node}:${device.index}` : `${device.index}`);
}

function modelText({ device }: GpuView): string {
  return device.simulated && device.kind !== 'simulated' ? `${device.kind} (simulated)` : device.kind;
}

function freeCell({ freeBytes, device }: GpuView): Cell {
  const share = device.memoryBytes === 0 ? 0 : freeBytes / device.memoryBytes;
  return { text: formatBytes(freeBytes), colour: share === 0 ? 'red' : share < 1 ? 'yellow' : 'green' };
}

function loadCell(loadMillis: number | null): Cell {
  if (loadMillis === null) return { text: '-', colour: 'none' };
  return { text: percentText(loadMillis), colour: loadMillis >= BUSY_MILLIS ? 'yellow' : 'none' };
}

const TENANT_COLUMNS: readonly Column[] = [
  { title: 'GPU' },
  { title: 'JOB', shrinkTo: 7 },
  { title: 'NAME', shrinkTo: 6 },
  { title: 'USER', shrinkTo: 4 },
  { title: 'HOW' },
  { title: 'RESERVED', align: 'right' },
  { title: 'USED', align: 'right' },
  { title: 'LOAD', align: 'right' },
  { title: 'STATE' },
];

/** Jobs, and beside them what others than the yard's jobs do there. */
export function tenantsTable({ gpus }: GpusView, now: number, call: Call): string {
  const called = naming(gpus);
  const rows = gpus.flatMap((gpu) => [
    ...gpu.tenants.map((tenant): Row => [called(gpu), ...tenantCells(tenant, now)]),
    ...strangersOn(gpu).map((cells): Row => [called(gpu), ...cells]),
  ]);
  return rows.length === 0 ? '' : table(TENANT_COLUMNS, rows, call);
}

const MANNERS: Readonly<Record<GpuTenant['manner'], string>> = {
  whole: 'whole',
  declared: 'a part',
  auto: 'shared',
  learning: 'learning',
};

function tenantCells(tenant: GpuTenant, now: number): Row {
  const { displayId: id, name, user, manner, isLease, reservedBytes, now: seen } = tenant;
  return [
    id,
    name,
    user,
    isLease ? `${MANNERS[manner]} (lease)` : MANNERS[manner],
    formatBytes(reservedBytes),
    seen === null ? '-' : usedCell(seen.memoryBytes, reservedBytes),
    seen?.loadMillis == null ? '-' : percentText(seen.loadMillis),
    stateCell(seen, now),
  ];
}

/** More than is kept for it may run into what is kept for others. */
function usedCell(usedBytes: number, reservedBytes: number): Cell {
  return { text: formatBytes(usedBytes), colour: usedBytes > reservedBytes ? 'red' : 'none' };
}

function stateCell(seen: GpuTenant['now'], now: number): Cell {
  if (seen === null) return { text: '-', colour: 'none' };
  if (seen.idleSince === null) return { text: 'working', colour: 'green' };
  return { text: `idle ${formatDuration(Math.max(0, now - seen.idleSince))}`, colour: 'yellow' };
}

const STRANGE = 'not of this yard';

function strangersOn({ now, device }: GpuView): readonly Row[] {
  const foreign = now?.foreign ?? [];
  if (foreign.length > 0) {
    return foreign.map(({ pid, command, user, memoryBytes }): Row => {
      return [`pid ${pid}`, command || '-', user || '-', STRANGE, '-', formatBytes(memoryBytes), '-'];
    });
  }
  const { foreignBytes = 0 } = device;
  return foreignBytes === 0 ? [] : [['-', '-', '-', STRANGE, '-', formatBytes(foreignBytes), '-']];
}

const WAITING_COLUMNS: readonly Column[] = [
  { title: 'WAITS', shrinkTo: 7 },
  { title: 'NAME', shrinkTo: 6 },
  { title: 'USER', shrinkTo: 4 },
  { title: 'WANTS', shrinkTo: 8 },
  { title: 'WHY', shrinkTo: 12 },
];

export function waitingTable({ waiting }: GpusView, now: number, call: Call): string {
  const names = new Map(waiting.map(({ view: { job } }) => [job.id, displayId(job)]));
  const called = (job: JobId) => names.get(job) ?? `${job}`;
  const rows = waiting.map(({ view: { job, reason }, wants }): Row => {
    const { gpus } = job.spec.resources;
    return [
      job.array === null ? displayId(job) : unstartedText(job),
      job.spec.name,
      job.spec.user,
      `${gpus === null ? '' : gpuText(gpus)}${estimatesText(wants)}`,
      reason === null ? '' : shortReason(reason, now, call.zone, called),
    ];
  });
  return rows.length === 0 ? '' : table(WAITING_COLUMNS, rows, call);
}

/** `, 3.5G each`, or how much it would be given at the least and at the most, where models differ. */
function estimatesText({ manner, estimates }: GpusView['waiting'][number]['wants']): string {
  if (manner !== 'auto') return '';
  const sizes = estimates.map(({ memoryBytes }) => memoryBytes);
  if (sizes.length === 0) return ', not seen yet';
  const [least, most] = [formatBytes(Math.min(...sizes)), formatBytes(Math.max(...sizes))];
  return least === most ? `, ${least}` : `, ${least} to ${most}`;
}

export function sourceText({ source, gpus, waiting }: GpusView): string {
  const parts = [
    counted(gpus.length, 'GPU'),
    ...(waiting.length === 0 ? [] : [`${waiting.length} waiting`]),
    source === null ? 'nobody looks at what is really used' : `seen through ${source}`,
  ];
  return parts.join(', ');
}
