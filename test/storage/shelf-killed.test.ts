/** A process that puts checkpoints on a shelf, killed with -9 at seeded moments: whatever it said to be safe is, and whole. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openShelf } from '../../src/storage/shelf.ts';
import { compiled } from '../compiled.ts';

const ROUNDS = 15;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-killed-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('every kill leaves a whole shelf', { timeout: 120_000 }, async () => {
  const program = compiled('test/storage/put-for-ever.ts', directory);
  const [from, to] = [join(directory, 'from'), join(directory, 'to')];
  mkdirSync(from);
  let safe = 0;
  let seed = 20_261;
  for (let round = 0; round < ROUNDS; round++) {
    seed = (seed * 48_271) % 0x7fffffff;
    const said = await runAndKill(program, [from, to, String(safe + 1)], 1 + (seed % 3), seed % 23);
    expect(said).toBeGreaterThan(safe);
    safe = said;
    const shelf = await openShelf({
      directory: to,
      owner: { yardId: 'yard', job: 1 },
      keepCount: 2,
      keepForMs: null,
      now: Date.now,
    });
    const [step, ...older] = shelf.entries().filter(({ name }) => name.startsWith('step_'));
    expect(step?.step).toBeGreaterThanOrEqual(safe);
    expect(older).toHaveLength(Math.min(1, safe - 1));
    expect((await shelf.verify()).remarks).toEqual([]);
    expect(Number(readFileSync(join(to, 'state/step'), 'utf8'))).toBeGreaterThanOrEqual(safe);
    expect(existsSync(join(to, '.trainyard/drafts'))).toBe(false);
    expect(readdirSync(to)).toHaveLength(2 + older.length + 2);
    await shelf.close();
  }
});

/** The last number that it said. */
async function runAndKill(
  program: string,
  args: readonly string[],
  lines: number,
  moreMs: number,
): Promise<number> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const isFirst = said.split('\n').length <= lines;
    said += text;
    if (isFirst && said.split('\n').length > lines) setTimeout(() => child.kill('SIGKILL'), moreMs);
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1));
}
