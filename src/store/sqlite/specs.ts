/**
 * Specs, each stored once. A job's spec is most of its bytes and does not change as the job goes on, so a job
 * row names its spec by number; the same object in memory is the same row, which is how an array and its
 * elements share one.
 */

import type { JobSpec } from '../../model/job-spec.ts';
import { sharedParts } from '../../model/shared-parts.ts';
import type { Prepare } from './driver.ts';
import { DamagedRow, parseSpec } from './shapes.ts';

export interface SpecTable {
  /** The row of a spec, written now unless it is there already. */
  numberOf(spec: JobSpec): number;
  /** What was written since the last call stays, or is forgotten because it was rolled back. */
  settle(kept: boolean): void;
  /** Reads specs by number; rows that share a number share the object. */
  reader(): (id: number) => JobSpec;
  /** Deletes those of these that no job and no event names any more. */
  drop(ids: Iterable<number>): void;
}

export function specTable(prepare: Prepare): SpecTable {
  const numbers = new WeakMap<JobSpec, number>();
  const share = sharedParts();
  const last = prepare('select coalesce(max(id), 0) as id from specs').get() as { id: number };
  let lastNumber = last.id;
  let unsettled: JobSpec[] = [];
  // An object in memory can outlive its row. Rows go oldest first, so only old numbers need a second look.
  let lastDropped = 0;

  const insert = prepare('insert into specs (id, script, environment, code, doc) values (?, ?, ?, ?, ?)');
  const select = prepare('select doc from specs where id = ?');
  const drop = prepare(
    `delete from specs where id = ?
       and not exists (select 1 from jobs where spec = specs.id)
       and not exists (select 1 from events where spec = specs.id)`,
  );

  return {
    numberOf(spec) {
      const known = numbers.get(spec);
      if (known !== undefined && (known > lastDropped || select.get(known) !== undefined)) return known;
      lastNumber += 1;
      const { program, keeping } = spec;
      const code = keeping?.snapshot?.tree ?? null;
      insert.run(lastNumber, program.script, program.environment, code, JSON.stringify(spec));
      numbers.set(spec, lastNumber);
      unsettled.push(spec);
      return lastNumber;
    },

    settle(kept) {
      if (!kept) for (const spec of unsettled) numbers.delete(spec);
      unsettled = [];
    },

    reader() {
      const read = new Map<number, JobSpec>();
      return (id) => {
        let spec = read.get(id);
        if (spec === undefined) {
          const row = select.get(id) as { doc: string } | undefined;
          if (row === undefined) throw new DamagedRow('its spec is missing');
          spec = share(parseSpec(row.doc));
          read.set(id, spec);
          numbers.set(spec, id);
        }
        return spec;
      };
    },

    drop(ids) {
      for (const id of ids) if (Number(drop.run(id).changes) > 0) lastDropped = Math.max(lastDropped, id);
    },
  };
}
