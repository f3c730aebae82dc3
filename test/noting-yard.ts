/** For tests of those who follow what a yard records: a real loop, whose engine reports what the test says. */

import type { Observation } from '../src/model/command.ts';
import type { JobId } from '../src/model/ids.ts';
import type { JobSpec } from '../src/model/job-spec.ts';
import { manualClock } from '../src/platform/clock.ts';
import { openYard } from '../src/server/loop.ts';
import type { Surroundings } from '../src/server/query-sources.ts';
import type { Yard } from '../src/server/yard.ts';
import { createMemoryStore } from '../src/store/memory.ts';
import { aPolicy, MINUTE, SECOND } from './builders.ts';
import { notingEngine, SURROUNDINGS } from './noting-engine.ts';

export type NotingYard = Awaited<ReturnType<typeof openNotingYard>>;

const aTurn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

export async function openNotingYard(cpus = 4, surroundings: Partial<Surroundings> = {}) {
  const clock = manualClock(1_000_000);
  const noted = notingEngine(cpus);
  const yard = await openYard({
    store: createMemoryStore(),
    engine: noted.engine,
    policy: aPolicy(),
    clock,
    log: () => {},
    surroundings: { ...SURROUNDINGS, ...surroundings },
    keepHistoryMs: MINUTE,
  });
  await aTurn();

  /** Resolves when the yard has told of what was seen. */
  const report = (observation: Observation) =>
    new Promise<void>((resolve) => {
      const stop = yard.onCommit(() => {
        stop();
        resolve();
      });
      noted.context().report(observation);
    });

  return {
    yard,
    report,
    async submit(spec: JobSpec): Promise<JobId> {
      const result = await yard.command({ type: 'submit', spec });
      if (!result.ok || result.job === null) throw new Error('it was not taken');
      return result.job;
    },
    starts: (attempt: string) => report({ type: 'attemptRunning', attempt, forMs: 0 }),
    /** After three seconds. */
    ends(attempt: string, code: number | null, signal: number | null = null) {
      clock.advance(3 * SECOND);
      const exit = { code, signal, outOfMemory: false };
      return report({ type: 'attemptEnded', attempt, exit, usage: null, fault: null });
    },
    async tell(command: Parameters<Yard['command']>[0]) {
      await yard.command(command);
      await aTurn();
    },
    close: () => yard.close(),
  };
}
