/**
 * Where the code of jobs is handed in and given back: takes a snapshot for a job about to be submitted, and follows what
 * the yard records, so that what a job made in its copy is brought back when it has ended. What was left undone when a
 * daemon died is done by the next.
 */

import type { SnapshotResult } from '../dialects/program.ts';
import type { RecordedEvent } from '../model/event.ts';
import type { JobId } from '../model/ids.ts';
import type { Job } from '../model/job.ts';
import { ANY_JOB } from '../model/query.ts';
import { errorWords } from '../platform/files.ts';
import type { CodeStore } from '../storage/code/code-store.ts';
import { encodeTree } from '../storage/code/tree.ts';
import type { Yard } from './yard.ts';

export interface CodeDesk {
  take(directory: string): Promise<SnapshotResult>;
  /** Finishes what it is at. */
  close(): Promise<void>;
}

export interface CodeDeskParts {
  readonly yard: Pick<Yard, 'query' | 'onCommit' | 'keepBlob' | 'now'>;
  readonly code: CodeStore;
  readonly log: (line: string) => void;
}

/** Somebody may want the same files again tomorrow. */
const KEEP_UNUSED_MS = 7 * 86_400_000;

export function openCodeDesk({ yard, code, log }: CodeDeskParts): CodeDesk {
  let work: Promise<void> = tidyUp().catch(complain);
  const stop = yard.onCommit((events) => {
    for (const id of endedIn(events)) work = work.then(() => giveBack(id)).catch(complain);
  });

  function complain(error: unknown): void {
    log(`the code of jobs: ${errorWords(error)}`);
  }

  function jobWith(id: JobId): Job | null {
    return yard.query('jobs', { ...ANY_JOB, refs: [{ job: id, index: null }] })[0]?.job ?? null;
  }

  /** Unless it has been queued again meanwhile. Most jobs have no code of their own, and cost nothing here. */
  async function giveBack(id: JobId): Promise<void> {
    if (!code.isInPlace(id)) return;
    const job = jobWith(id);
    if (job?.phase === 'ended' && job.spec.keeping?.snapshot != null) await code.end(job);
  }

  async function tidyUp(): Promise<void> {
    for (const id of await code.jobs()) await giveBack(id);
    const live = yard.query('jobs', { ...ANY_JOB, phases: ['held', 'waiting', 'pending', 'active'] });
    const needed = live.flatMap(({ job }) => job.spec.keeping?.snapshot ?? []);
    await code.sweep(needed, yard.now() - KEEP_UNUSED_MS);
  }

  return {
    async take(directory) {
      const taken = await code.take(directory);
      if (!taken.ok) return taken;
      const { tree, root, below } = taken;
      return { ok: true, snapshot: { tree: yard.keepBlob(encodeTree(tree)), root, below } };
    },
    close() {
      stop();
      return work;
    },
  };
}

function endedIn(events: readonly RecordedEvent[]): readonly JobId[] {
  return events.flatMap(({ event }) => (event.type === 'jobEnded' ? [event.job] : []));
}
