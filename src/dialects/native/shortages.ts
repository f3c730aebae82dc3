/** What a job lacks, who has it, and what strangers have of it: in a few words for a table, and in sentences for `why`. */

import type { JobId } from '../../model/ids.ts';
import type { ForeignHold, ResourceName, Shortage } from '../../model/reason.ts';
import { formatBytes } from '../../model/units.ts';
import { shortTime } from '../text/times.ts';
import { listed, percentText, plainNumber } from '../text/words.ts';
import type { Surroundings } from './surroundings.ts';

const RESOURCE_NOUNS: Readonly<Record<ResourceName, readonly [string, string]>> = {
  cpus: ['CPU', 'CPUs'],
  memory: ['memory', 'memory'],
  gpus: ['GPU', 'GPUs'],
  gpuMemory: ['GPU memory', 'GPU memory'],
  gpuLoad: ['load', 'load'],
  nodes: ['node', 'nodes'],
};

export function shortageSentence(short: readonly Shortage[]): string {
  if (short.length === 0) return 'waits for resources to become free';
  const names = short.map(({ resource, wanted, free }) => missingName(resource, wanted - free));
  const amounts = short.map(({ resource, wanted, free, total }) => {
    const isAmount = AMOUNTS.has(resource);
    const noun = short.length === 1 ? '' : ` ${RESOURCE_NOUNS[resource][wanted === 1 ? 0 : 1]}`;
    const verb = isAmount || free === 1 ? 'is' : 'are';
    const [wants, left, all] = [wanted, free, total].map((amount) => amountText(resource, amount));
    return `it wants ${wants}${noun}${WHERE[resource]}, ${left} of ${all} ${verb} free`;
  });
  return `waits for ${listed(names)}: ${amounts.join('; ')}`;
}

/** How much there is of it is measured, not counted. */
const AMOUNTS: ReadonlySet<ResourceName> = new Set<ResourceName>(['memory', 'gpuMemory', 'gpuLoad']);

const WHERE: Readonly<Record<ResourceName, string>> = {
  cpus: ' on one node',
  memory: ' on one node',
  gpus: ' on one node',
  gpuMemory: ' on one GPU',
  gpuLoad: ' of one GPU',
  nodes: '',
};

function missingName(resource: ResourceName, missing: number): string {
  if (resource === 'gpuLoad') return 'a GPU that is less busy';
  if (AMOUNTS.has(resource)) return `free ${RESOURCE_NOUNS[resource][0]}`;
  const [one, several] = RESOURCE_NOUNS[resource];
  return missing <= 1 ? `a free ${one}` : `free ${several}`;
}

function amountText(resource: ResourceName, amount: number): string {
  if (resource === 'gpuLoad') return percentText(amount);
  return resource === 'memory' || resource === 'gpuMemory' ? formatBytes(amount) : plainNumber(amount);
}

const SHORT_NOUNS: Readonly<Partial<Record<ResourceName, string>>> = { gpuLoad: 'of a GPU' };

export function shortShortage(short: readonly Shortage[]): string {
  if (short.length === 0) return 'waits for resources';
  const parts = short.map(({ resource, wanted, free }) => {
    const noun = ` ${SHORT_NOUNS[resource] ?? RESOURCE_NOUNS[resource][wanted === 1 ? 0 : 1]}`;
    return `${amountText(resource, wanted)}${noun}, ${amountText(resource, free)} free`;
  });
  return `needs ${parts.join('; ')}`;
}

export function holdersSentence(
  holders: readonly JobId[],
  short: readonly Shortage[],
  around: Surroundings,
): string {
  if (holders.length === 0) return '';
  const names = holders.map((id) => around.others.get(id)?.called ?? `${id}`);
  const one = names.length === 1;
  const [only] = short;
  const counts = short.length === 1 && only !== undefined && !AMOUNTS.has(only.resource);
  const what = counts ? 'the others' : 'the rest';
  const ends = holders.flatMap((id) => around.others.get(id)?.endsBy ?? []);
  const first = ends.length === 0 ? null : Math.min(...ends);
  const when =
    first === null
      ? ''
      : `; ${one ? 'it' : 'the first'} should end by ${shortTime(first, around.now, around.zone)}`;
  return `. ${one ? 'Job' : 'Jobs'} ${listed(names)} ${one ? 'holds' : 'hold'} ${what}${when}`;
}

/** Nobody here can say when they end. */
export function strangersSentence(foreign: readonly ForeignHold[] = []): string {
  if (foreign.length === 0) return '';
  const nodes = new Set(foreign.map(({ node }) => node));
  const uses = foreign.map(({ node, index, bytes }) => {
    const where = nodes.size > 1 ? ` of ${node}` : '';
    return `GPU ${index}${where} has ${formatBytes(bytes)} in use`;
  });
  return `. ${listed(uses)} by processes that this yard did not start`;
}
