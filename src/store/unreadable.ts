/** Rows that cannot be read: which jobs they belong to, how often they were left out, and who is told. */

import type { JobId } from '../model/ids.ts';

export interface Unreadable {
  /** The jobs of which a row cannot be read, as far as that is known. */
  jobs(): readonly JobId[];
  has(job: JobId): boolean;
  /** Whether one of them has not ended. */
  hasUnended(): boolean;
  /** How many times a row has been left out so far: it grows with each answer that lacks one. */
  leftOut(): number;
  remarks(): readonly string[];
}

export interface UnreadableRows extends Unreadable {
  /** Leaves a row out. Said in the log the first time. */
  note(row: DamagedRowName, why: string): void;
}

export interface DamagedRowName {
  /** `job 17`, `event 5`: for the log. */
  readonly name: string;
  readonly job: JobId | null;
  /** It is the record of a job that has not ended. */
  readonly isUnended?: boolean;
}

const MOST_NAMED = 10;

export const ALL_READABLE: Unreadable = {
  jobs: () => [],
  has: () => false,
  hasUnended: () => false,
  leftOut: () => 0,
  remarks: () => [],
};

export function unreadableRows(log: (line: string) => void): UnreadableRows {
  const names = new Set<string>();
  const jobs = new Set<JobId>();
  let leftOut = 0;
  let hasUnended = false;
  return {
    note({ name, job, isUnended }, why) {
      leftOut += 1;
      hasUnended ||= isUnended === true;
      if (job !== null) jobs.add(job);
      if (names.has(name)) return;
      names.add(name);
      log(`${name} cannot be read from the store and is left out: ${why}`);
    },
    jobs: () => [...jobs],
    has: (job) => jobs.has(job),
    hasUnended: () => hasUnended,
    leftOut: () => leftOut,
    remarks() {
      if (names.size === 0) return [];
      const list = [...jobs].sort((a, b) => a - b);
      if (list.length === 0) return [`${names.size} rows of the store cannot be read and are left out`];
      const more = list.length > MOST_NAMED ? ` and ${list.length - MOST_NAMED} more` : '';
      const what = list.length === 1 ? '1 job cannot be read' : `${list.length} jobs cannot be read`;
      return [`${what}: ${list.slice(0, MOST_NAMED).join(', ')}${more}`];
    },
  };
}
