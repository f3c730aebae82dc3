/**
 * Forgetting. A job goes with its attempts, steps and events; an array goes with its elements, and not before all of
 * them ended long enough ago. Each call does a bounded amount of work and is called inside a transaction.
 */

import type { JobId } from '../../model/ids.ts';
import type { Prepare } from './driver.ts';
import { rowLimit } from './read.ts';
import type { SpecTable } from './specs.ts';

export type Purge = (endedBefore: number, atMost: number) => JobId[];

export function purger(prepare: Prepare, specs: SpecTable): Purge {
  const families = prepare(
    `select id from jobs where ended_at < ? and array_id is null
       and not exists (select 1 from jobs as e
                       where e.array_id = jobs.id and (e.ended_at is null or e.ended_at >= ?))
     order by ended_at, id limit ?`,
  );
  const elements = prepare('select id from jobs where array_id = ? order by array_index limit ?');
  const specsOf = prepare(
    `select spec from jobs where id = ?
     union select spec from events where job = ? and spec is not null`,
  );
  const deleteEvents = prepare('delete from events where job = ?');
  const deleteAttempts = prepare('delete from attempts where job = ?');
  const deleteSteps = prepare('delete from steps where job = ?');
  const deleteJob = prepare('delete from jobs where id = ?');
  const deleteJobless = prepare(
    `delete from events where seq in
       (select seq from events where job is null and at < ? order by at, seq limit ?)`,
  );
  const deleteBlobs = prepare(
    `delete from blobs where hash in (
       select hash from blobs where used_at < ?
         and not exists (select 1 from specs where script = blobs.hash)
         and not exists (select 1 from specs where environment = blobs.hash)
         and not exists (select 1 from specs where code = blobs.hash)
       order by used_at, hash limit ?)`,
  );

  function forget(id: JobId): void {
    const named = (specsOf.all(id, id) as { spec: number }[]).map((row) => row.spec);
    deleteEvents.run(id);
    deleteAttempts.run(id);
    deleteSteps.run(id);
    deleteJob.run(id);
    specs.drop(named);
  }

  function chosen(endedBefore: number, limit: number): JobId[] {
    const ids: JobId[] = [];
    for (const { id } of families.all(endedBefore, endedBefore, limit) as { id: number }[]) {
      // Elements first: an array that is too large for one call keeps its record until the last of them goes.
      const family = (elements.all(id, limit) as { id: number }[]).map((row) => row.id);
      ids.push(...family, id);
      if (ids.length >= limit) break;
    }
    return ids.slice(0, limit);
  }

  return (endedBefore, atMost) => {
    const limit = rowLimit(atMost);
    const ids = chosen(endedBefore, limit);
    for (const id of ids) forget(id);
    deleteJobless.run(endedBefore, limit);
    deleteBlobs.run(endedBefore, limit);
    return ids;
  };
}
