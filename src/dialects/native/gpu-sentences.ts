/** How a job is given GPUs, in sentences: on which it is and beside whom, how much of them it has, and what that follows from. */

import type { Estimate } from '../../model/footprint.ts';
import type { DeviceHold, GpuExplanation, Reason, ResourceName } from '../../model/reason.ts';
import { formatBytes } from '../../model/units.ts';
import { listed, percentText } from '../text/words.ts';
import type { Surroundings } from './surroundings.ts';

const MOST_MODELS = 3;

/** Of a job that has its GPUs. */
export function holdingSentences(gpus: GpuExplanation, around: Surroundings): readonly string[] {
  const [first] = gpus.holds;
  if (first === undefined) return [];
  const { holds } = gpus;
  const where = placeSentence(holds, around);
  if (holds.some(({ isLearning }) => isLearning)) {
    return [`It is the first of its kind on a GPU ${first.device}: ${learningText(holds)}.`];
  }
  if (gpus.manner === 'whole') return [where, wholeHint(holds.length)];
  if (gpus.manner === 'declared') return [where, `It asked for ${percentText(first.millis)} of a GPU.`];
  const estimate = gpus.estimates.find(({ device }) => device === first.device);
  if (estimate === undefined) return [where, 'What jobs like it use is not known.'];
  return [where, `${evidence(estimate)}; ${given(first, estimate)}.`];
}

/** Of a job that waits: what it would be given, where that is why it waits. */
export function wantingSentences(gpus: GpuExplanation, reason: Reason | null): readonly string[] {
  if (reason?.kind !== 'resources') return [];
  const lacks = reason.short.map(({ resource }) => resource);
  if (gpus.manner === 'whole') return lacks.includes('gpus') ? [WHOLE_HINT] : [];
  if (gpus.manner === 'declared' || !lacks.some((resource) => ABOUT_GPUS.includes(resource))) return [];
  return gpus.estimates.slice(0, MOST_MODELS).map((estimate) => {
    const { device, memoryBytes, loadMillis } = estimate;
    const load = loadMillis === 0 ? '' : `, and ${percentText(loadMillis)} of the load`;
    return `${evidence(estimate)}; ${marginText(estimate)}it is to get ${formatBytes(memoryBytes)} of a GPU ${device}${load}.`;
  });
}

const ABOUT_GPUS: readonly ResourceName[] = ['gpus', 'gpuMemory', 'gpuLoad'];
const WHOLE_HINT = 'It asked for a whole GPU: --share would let it share.';

function wholeHint(count: number): string {
  return count === 1 ? WHOLE_HINT : `It asked for ${count} whole GPUs: --share would let it share.`;
}

function learningText(holds: readonly DeviceHold[]): string {
  return holds.length === 1
    ? `it has ${called(holds)} alone until it is known what such jobs use`
    : `it has ${called(holds)} alone until it is known what such jobs use of them`;
}

function placeSentence(holds: readonly DeviceHold[], { others }: Surroundings): string {
  const neighbours = [...new Set(holds.flatMap((hold) => hold.neighbours))];
  if (neighbours.length === 0) return `It has ${called(holds)} to itself.`;
  const names = neighbours.map((id) => others.get(id)?.called ?? `${id}`);
  return `It shares ${called(holds)} with ${names.length === 1 ? 'job' : 'jobs'} ${listed(names)}.`;
}

/** `GPU 0 (v100, 16G)`, `GPUs 0 and 1 (v100, 16G)`, `GPU 0 of n1 (v100, 16G) and GPU 0 of n2 (v100, 16G)`. */
function called(holds: readonly DeviceHold[]): string {
  const models = new Set(holds.map(modelText));
  const nodes = new Set(holds.map(({ node }) => node));
  const [model] = models;
  if (models.size === 1 && nodes.size === 1) {
    const indices = listed(holds.map(({ index }) => `${index}`));
    return `${holds.length === 1 ? 'GPU' : 'GPUs'} ${indices} (${model})`;
  }
  return listed(
    holds.map((hold) => `GPU ${hold.index}${nodes.size > 1 ? ` of ${hold.node}` : ''} (${modelText(hold)})`),
  );
}

function modelText({ device, totalBytes }: DeviceHold): string {
  return totalBytes === 0 ? device : `${device}, ${formatBytes(totalBytes)}`;
}

function evidence({ key, basis, runs, seenBytes, memoryBytes }: Estimate): string {
  const seen = formatBytes(seenBytes);
  switch (basis) {
    case 'seen':
      return `Jobs like \`${key.label}\` were seen ${times(runs)} to use ${seen} at most`;
    case 'provisional':
      return `A job like \`${key.label}\` that still runs has used ${seen} so far`;
    case 'ranOut':
      return `A job like \`${key.label}\` ran out of memory with less than ${formatBytes(memoryBytes)}`;
    case 'set':
      return `Somebody has said that jobs like \`${key.label}\` use ${formatBytes(memoryBytes)}`;
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

function marginText({ basis, marginMillis }: Estimate): string {
  return basis === 'seen' || basis === 'provisional' ? `with a margin of ${percentText(marginMillis)} ` : '';
}

/** What it holds was worked out when it started; by now more may be known. */
function given({ millis, totalBytes, loadMillis }: DeviceHold, estimate: Estimate): string {
  const heldBytes = (millis * totalBytes) / 1000;
  const load = loadMillis === null || loadMillis === 0 ? '' : `, and ${percentText(loadMillis)} of the load`;
  if (millis >= 1000) return `${marginText(estimate)}it is given all of the GPU`;
  const isSame = Math.abs(heldBytes - estimate.memoryBytes) <= totalBytes / 500;
  if (isSame) return `${marginText(estimate)}it is given ${formatBytes(estimate.memoryBytes)}${load}`;
  return `by what was known when it started it is given ${formatBytes(Math.round(heldBytes))}${load}`;
}
