/**
 * Programs that write checkpoints in the plainest way, straight into a file without a format, and are killed at seeded
 * moments: what they go on from is whole, and no older than the last one that they had finished.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type KeepingPlace, KILLED, keepingPlace } from './keeping.ts';

/** All of the same size, as those of a model are. Writes a checkpoint in many goes, says that it has, and begins the next one. */
const PROGRAM = `
  import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
  const [directory, first] = process.argv.slice(2);
  mkdirSync(directory, { recursive: true });
  for (let step = Number(first); ; step++) {
    const file = openSync(directory + '/step-' + step + '.raw', 'w');
    for (let piece = 0; piece < 32; piece++) writeSync(file, Buffer.alloc(32768, 'step ' + step + ' '));
    writeSync(file, ('end of step ' + step).padStart(32));
    closeSync(file);
    process.stdout.write(step + '\\n');
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
`;

let place: KeepingPlace;

beforeEach(() => {
  place = keepingPlace();
  writeFileSync(join(place.directory, 'program.mjs'), PROGRAM);
});
afterEach(() => place.remove());

/** Gives the last step that it had finished. */
async function runAndKill(firstStep: number, untilStep: number, moreMs: number): Promise<number> {
  const program = spawn(
    process.execPath,
    [join(place.directory, 'program.mjs'), place.from, `${firstStep}`],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  const steps = () => said.trimEnd().split('\n').map(Number);
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if ((steps().at(-1) ?? 0) >= untilStep) setTimeout(() => program.kill('SIGKILL'), moreMs);
  });
  await once(program, 'close');
  return steps().at(-1) as number;
}

function stepOf(path: string | null): number {
  return Number(/step-(\d+)\.raw$/.exec(path ?? '')?.[1]);
}

describe('a program that is killed while it writes', () => {
  test.each([1, 2])(
    'goes on from a whole checkpoint, and loses only what it had not finished (seed %i)',
    async (seed) => {
      const keeper = place.keeper();
      let next = 1;
      for (let run = 1; run <= 6; run++) {
        const order = place.order({ attempt: `17.${run}`, keepCount: 3 });
        await keeper.prepare(order);
        keeper.watch(order);
        const finished = await runAndKill(next, next + 4, ((seed * 7 + run * 11) % 23) + run / 10);
        expect((await keeper.flush(order, KILLED)).trouble).toBe(null);
        if (run % 2 === 0) rmSync(place.from, { recursive: true });
        const { resumeFrom } = await keeper.prepare(place.order({ attempt: `17.${run + 1}`, keepCount: 3 }));
        const step = stepOf(resumeFrom);
        expect(step).toBeGreaterThanOrEqual(finished);
        expect(readFileSync(resumeFrom as string, 'latin1').endsWith(`end of step ${step}`)).toBe(true);
        next = step + 1;
      }
    },
  );
});
