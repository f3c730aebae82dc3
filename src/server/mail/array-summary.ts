/** What has become of the elements of arrays so far, for the one letter about all of them. */

import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import { countOf } from '../../model/ranges.ts';
import { type ElementExits, exitOf } from './letters.ts';

export interface ArraySummaries {
  /** Whether one of its elements has begun before is told by whoever knows. */
  add(array: Job, begun: boolean): void;
  forget(array: JobId): void;
  /** True for the first element that begins. */
  begins(array: JobId): boolean;
  elementEnded(element: Job): void;
  /** Null when it is no array that has ended, or not all of its elements were seen to end. */
  exitsOf(array: Job): ElementExits | null;
}

interface Summary {
  begun: boolean;
  seen: number;
  lowestCode: number;
  highestCode: number;
  highestSignal: number;
}

export function summarizeArrays(): ArraySummaries {
  const summaries = new Map<JobId, Summary>();
  return {
    add({ id }, begun) {
      summaries.set(id, { begun, seen: 0, lowestCode: Infinity, highestCode: 0, highestSignal: 0 });
    },
    forget: (id) => {
      summaries.delete(id);
    },
    begins(id) {
      const summary = summaries.get(id);
      if (summary === undefined || summary.begun) return false;
      summary.begun = true;
      return true;
    },
    elementEnded(job) {
      const summary = summaries.get(job.element?.array ?? 0);
      if (summary === undefined) return;
      const { code, signal } = exitOf(job);
      summary.seen += 1;
      note(summary, code ?? 0, signal ?? 0);
    },
    exitsOf({ id, array, spec, phase }) {
      const summary = summaries.get(id);
      if (summary === undefined || array === null || spec.array === null || phase !== 'ended') return null;
      const dropped = countOf(array.dropped);
      if (summary.seen + dropped !== countOf(spec.array.indices)) return null;
      if (dropped > 0) note(summary, 0, 0);
      const { lowestCode, highestCode, highestSignal } = summary;
      return { lowestCode, highestCode, highestSignal };
    },
  };
}

function note(summary: Summary, code: number, signal: number): void {
  summary.lowestCode = Math.min(summary.lowestCode, code);
  summary.highestCode = Math.max(summary.highestCode, code);
  summary.highestSignal = Math.max(summary.highestSignal, signal);
}
