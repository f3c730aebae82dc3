/** The footprints that a yard knows, and who is showing one right now: where they are in the state, and how they are found. */

import { type Footprint, type FootprintKey, pageOf, saysHowMuch } from '../../model/footprint.ts';
import type { JobId } from '../../model/ids.ts';
import type { Placement } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { YardState } from '../state.ts';
import { footprintKeys, kindKeys } from './keys.ts';

/** By the most exact of its keys that is known; null: none is. */
export function footprintOf(
  { footprints }: Pick<YardState, 'footprints'>,
  spec: JobSpec,
  device: string,
): Footprint | null {
  for (const { text } of footprintKeys(spec)) {
    const footprint = footprints.get(pageOf(text, device));
    if (footprint !== undefined && saysHowMuch(footprint)) return footprint;
  }
  return null;
}

/** Runs of its kind have ended well, and nobody could see what they used. */
export function isElusive(
  { footprints }: Pick<YardState, 'footprints'>,
  spec: JobSpec,
  device: string,
): boolean {
  return kindKeys(spec).some(({ text }) => footprints.has(pageOf(text, device)));
}

/** A job of the same kind that is the first one on such a device and still shows what it uses; null: none is. */
export function learnerOf(
  { learners }: { readonly learners: ReadonlyMap<string, ReadonlySet<JobId>> },
  spec: JobSpec,
  device: string,
): { readonly job: JobId; readonly key: FootprintKey } | null {
  for (const key of kindKeys(spec)) {
    const [job] = learners.get(pageOf(key.text, device)) ?? [];
    if (job !== undefined) return { job, key };
  }
  return null;
}

/** What a job in this place is watched for: the keys of its kind, with each model of device that it has alone for that. */
export function pagesToLearn(
  spec: JobSpec,
  placement: Placement,
): readonly (readonly [key: FootprintKey, device: string])[] {
  const models = new Set<string>();
  for (const { devices } of placement.nodes)
    for (const { learningOn } of devices) if (learningOn !== undefined) models.add(learningOn);
  if (models.size === 0) return [];
  return kindKeys(spec).flatMap((key) => [...models].map((model) => [key, model] as const));
}

export function pagesLearnt(spec: JobSpec, placement: Placement): readonly string[] {
  return pagesToLearn(spec, placement).map(([{ text }, device]) => pageOf(text, device));
}

export function putFootprint(state: YardState, footprint: Footprint): void {
  const page = pageOf(footprint.key.text, footprint.device);
  state.footprints.set(page, footprint);
  state.touched.footprints.add(page);
}

export function dropFootprint(state: YardState, key: string, device: string): void {
  const page = pageOf(key, device);
  state.footprints.delete(page);
  state.touched.footprints.add(page);
}
