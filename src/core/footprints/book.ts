/** The footprints that a yard knows, and who is showing one right now: where they are in the state, and how they are found. */

import { type Footprint, type FootprintKey, pageOf } from '../../model/footprint.ts';
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
    if (footprint !== undefined) return footprint;
  }
  return null;
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

/** Under which pages a job in this place is watched: those of its kind, for each model of device that it has alone for that. */
export function pagesLearnt(spec: JobSpec, placement: Placement): readonly string[] {
  const models = new Set<string>();
  for (const { devices } of placement.nodes)
    for (const { learningOn } of devices) if (learningOn !== undefined) models.add(learningOn);
  if (models.size === 0) return [];
  return kindKeys(spec).flatMap(({ text }) => [...models].map((model) => pageOf(text, model)));
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
