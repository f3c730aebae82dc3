/** What tables and sentences say of a job besides its state: times, resources, places. */

import type { Attempt, Job, Placement } from '../../model/job.ts';
import type { GpuRequest, JobSpec, ResourceRequest } from '../../model/job-spec.ts';
import { countOf, formatRanges } from '../../model/ranges.ts';
import { formatBytes } from '../../model/units.ts';
import { counted, plainNumber } from '../text/words.ts';

const MOST_NAMES = 3;

/** How long an attempt has run, or ran, suspensions aside; null when it has not begun. */
export function runTimeMs(attempt: Attempt | null, now: number): number | null {
  const from = attempt?.clockFrom ?? attempt?.startedAt ?? null;
  if (attempt === null || from === null) return null;
  return Math.max(0, (attempt.suspendedAt ?? attempt.endedAt ?? now) - from);
}

/** When the live attempt must have ended; null when nothing says so, or while it is suspended. */
export function latestEndAt(job: Job): number | null {
  if (job.attempt !== null && job.attempt.suspendedAt !== null) return null;
  const from = job.attempt?.clockFrom ?? job.attempt?.assignedAt ?? null;
  return job.phase !== 'active' || from === null || job.spec.limitMs === null
    ? null
    : from + job.spec.limitMs;
}

/** `4 cpu, 16G, 2 gpu a100`, and nodes or ranks when there are several. */
export function resourcesText(resources: ResourceRequest): string {
  const parts: string[] = [];
  const { min, max } = resources.nodes;
  if (max > 1) parts.push(min === max ? `${min} nodes` : `${min}-${max} nodes`);
  // Who only holds a device takes no CPU.
  const cpus = resources.cpusPerRank === 0 ? '' : `${resources.cpusPerRank} cpu`;
  if (resources.ranks > 1) parts.push(`${resources.ranks} ranks${cpus === '' ? '' : ` of ${cpus}`}`);
  else if (cpus !== '') parts.push(cpus);
  if (resources.memory !== null) {
    const per = resources.memory.per === 'node' ? '' : `/${resources.memory.per}`;
    parts.push(resources.memory.bytes === 0 ? 'all memory' : `${formatBytes(resources.memory.bytes)}${per}`);
  }
  if (resources.gpus !== null) parts.push(gpuText(resources.gpus));
  if (resources.exclusive) parts.push('exclusive');
  return parts.join(', ');
}

export function gpuText(gpus: GpuRequest): string {
  const amount = plainNumber((gpus.count * gpus.shareMillis) / 1000);
  const kind = gpus.kind === null ? '' : ` ${gpus.kind}`;
  const shared = gpus.sharing === 'auto' ? ' shared' : '';
  return `${amount} gpu${kind}${gpus.per === 'job' ? '' : `/${gpus.per}`}${shared}`;
}

/** `node1`, `node1,node2`, `node1,node2,node3 and 5 more`. */
export function placeText(placement: Placement): string {
  const names = placement.nodes.map((share) => share.node);
  const shown = names.slice(0, MOST_NAMES).join(',');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

/** What an attempt was given on each node: `node1: 4 cpu (0-3), 16G, gpu 0,1`. */
export function sharesText(placement: Placement): readonly string[] {
  return placement.nodes.map((share) => {
    const ids = share.cpuIds.length === 0 ? '' : ` (${share.cpuIds.join(',')})`;
    const cpus = share.cpus === 0 ? '' : `${share.cpus} cpu${ids}`;
    const gpus = share.devices
      .map((device) =>
        device.millis === 1000 ? `${device.index}` : `${device.index} (${device.millis / 10}%)`,
      )
      .join(',');
    const memory = share.memoryBytes === 0 ? '' : formatBytes(share.memoryBytes);
    const parts = [cpus, memory, gpus === '' ? '' : `gpu ${gpus}`].filter((part) => part !== '');
    return `${share.node}: ${parts.join(', ')}`;
  });
}

/** `20_[5-99%8]`: the elements of an array that have no record yet. */
export function unstartedText(job: Job): string {
  const throttle = job.spec.array?.throttle ?? null;
  const indices = formatRanges(job.array?.unstarted ?? []);
  return `${job.id}_[${indices}${throttle === null ? '' : `%${throttle}`}]`;
}

/** How many jobs a record stands for: an array's unstarted elements, or itself. */
export function jobsIn(job: Job): number {
  return job.array === null ? 1 : countOf(job.array.unstarted);
}

/** The command line, or the script with its arguments. */
export function programText(spec: JobSpec): string {
  const { program, origin } = spec;
  const { script, command } = origin.words;
  // Slurm's words have the arguments in them already.
  if (program.script !== null && script === undefined && command) return command;
  const named = program.script === null ? [] : [script ?? 'script'];
  return [...named, ...program.argv].map(shellQuoted).join(' ');
}

export function elementsText(job: Job): string {
  if (job.spec.array === null) return '';
  return counted(countOf(job.spec.array.indices), 'element');
}

function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
