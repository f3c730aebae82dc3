/**
 * What is noted of attempts that keep something: where, and how far that has come. A note is there from before anything
 * is made for the attempt until all of it is safe and what was made is gone, so that whoever comes after a crash knows
 * what is still owed, also of attempts that the yard has done with. What is owed is decided elsewhere.
 */

import { readdirSync } from 'node:fs';
import { type AttemptId, type JobId, jobOfAttempt } from '../model/ids.ts';
import { readFileIfThere, removeIfThere, writeFileSafely } from '../platform/files.ts';
import type { KeepOrder } from '../storage/keeper.ts';
import type { YardFiles } from './yard-files.ts';

export interface KeepNote {
  readonly order: KeepOrder;
  /** What it was told to go on from; null: nothing. Absent: it has yet to be made ready. */
  readonly resumeFrom?: string | null;
  /** How its processes ended; absent: they may be running. */
  readonly ending?: KeptEnding;
}

export interface KeptEnding {
  readonly isOrderly: boolean;
  /** Why nobody knows how it ended; null: that is known. */
  readonly lost: string | null;
  /** What could not be made safe when that was last tried, and why; null: it was not tried yet, or all of it is. */
  readonly trouble: string | null;
}

export interface KeepNotes {
  all(): readonly KeepNote[];
  of(attempt: AttemptId): KeepNote | null;
  ofJob(job: JobId): readonly KeepNote[];
  /** After this it outlasts a power cut. */
  write(note: KeepNote): Promise<void>;
  drop(attempt: AttemptId): void;
}

const NAME = /^(\d+\.\d+)\.json$/;

export function createKeepNotes({ keeping }: YardFiles, log: (line: string) => void): KeepNotes {
  const notes = new Map<AttemptId, KeepNote>();
  for (const name of readdirSync(keeping)) {
    const attempt = NAME.exec(name)?.[1];
    const note = attempt === undefined ? null : parseNote(`${keeping}/${name}`);
    if (note?.order.attempt === attempt && attempt !== undefined && note !== null) notes.set(attempt, note);
    else if (attempt === undefined) removeIfThere(`${keeping}/${name}`);
    else log(`${keeping}/${name} cannot be read: what that attempt kept is left where it is`);
  }

  return {
    all: () => [...notes.values()],
    of: (attempt) => notes.get(attempt) ?? null,
    ofJob: (job) => [...notes.values()].filter(({ order }) => jobOfAttempt(order.attempt) === job),
    async write(note) {
      notes.set(note.order.attempt, note);
      await writeFileSafely(`${keeping}/${note.order.attempt}.json`, `${JSON.stringify(note)}\n`);
    },
    drop(attempt) {
      if (notes.delete(attempt)) removeIfThere(`${keeping}/${attempt}.json`);
    },
  };
}

function parseNote(path: string): KeepNote | null {
  try {
    const note = JSON.parse(readFileIfThere(path)?.toString('utf8') ?? '') as KeepNote;
    return typeof note.order === 'object' && note.order !== null ? note : null;
  } catch {
    return null;
  }
}
