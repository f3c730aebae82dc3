/** Indexes from something to the jobs that have to do with it; what is empty is not kept. */

import type { JobId } from '../model/ids.ts';

export function addTo<K>(map: Map<K, Set<JobId>>, key: K, id: JobId): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([id]));
  else set.add(id);
}

export function removeFrom<K>(map: Map<K, Set<JobId>>, key: K, id: JobId): void {
  const set = map.get(key);
  set?.delete(id);
  if (set?.size === 0) map.delete(key);
}

export function bump(map: Map<JobId, number>, key: JobId, change: number): void {
  const next = (map.get(key) ?? 0) + change;
  if (next === 0) map.delete(key);
  else map.set(key, next);
}
