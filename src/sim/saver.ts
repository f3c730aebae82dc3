/** Who looks after what simulated attempts write: as they go, and when their processes are gone. */

import type { Observation } from '../model/command.ts';
import { attemptNumber } from '../model/ids.ts';
import type { Run } from './run.ts';
import type { World } from './world.ts';

export interface SimulatedSaver {
  /** Its program has begun. */
  begin(run: Run): void;
  /** Its processes are gone: in so long all is safe. */
  flush(run: Run, syncMs: number): void;
}

export interface SaverParts {
  readonly world: World;
  readonly send: (report: Observation) => void;
  readonly flushed: (run: Run) => void;
}

export function simulatedSaver({ world, send, flushed }: SaverParts): SimulatedSaver {
  function begin(run: Run): void {
    const { everyMs, trouble, overflowsAfterMs } = run.saving;
    if (everyMs !== null) world.after(everyMs, () => saveAgain(run, everyMs));
    if (trouble !== null)
      world.after(trouble.afterMs, () => {
        setTrouble(run, 'the disk is full');
        if (Number.isFinite(trouble.forMs)) world.after(trouble.forMs, () => setTrouble(run, null));
      });
    if (overflowsAfterMs !== null)
      world.after(overflowsAfterMs, () => {
        if (run.phase === 'running') send({ type: 'overScratch', attempt: run.attempt, usedBytes: 1 });
      });
  }

  function saveAgain(run: Run, everyMs: number): void {
    if (run.phase !== 'running') return;
    if (run.goesOnAtMs !== null) save(run);
    world.after(everyMs, () => saveAgain(run, everyMs));
  }

  function save({ attempt, checkpoints }: Run): void {
    const at = world.wall();
    const step = checkpoints.length + 1;
    const name = `${attempt}-${step}.pt`;
    // Steps go on from one attempt to the next, as those of a program do that goes on from its last checkpoint.
    const checkpoint = {
      name,
      step: attemptNumber(attempt) * 1000 + step,
      bytes: 1,
      writtenAt: at,
      keptAt: at,
    };
    checkpoints.push(checkpoint);
    send({ type: 'checkpointKept', attempt, checkpoint });
  }

  function setTrouble(run: Run, trouble: string | null): void {
    if (run.phase !== 'running' && run.phase !== 'syncing') return;
    run.trouble = trouble;
    send({ type: 'checkpointTrouble', attempt: run.attempt, trouble });
  }

  /** Begun anew, as when whoever made it safe was killed over it. */
  function flush(run: Run, syncMs: number): void {
    const flushes = ++run.flushes;
    world.after(syncMs, () => {
      if (run.phase !== 'syncing' || run.flushes !== flushes) return;
      if (run.saving.savesAtEnd) save(run);
      run.phase = 'ended';
      flushed(run);
    });
  }

  return { begin, flush };
}
