/** A disk that fills up while checkpoints are saved or copied: a small file system of its own, which takes root. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ShellYard, shellYard, until } from './shell-yard.ts';

const isRoot = process.getuid?.() === 0;

let yard: ShellYard;
let disk: string;
/** The disk that scratch directories are made on. */
let local: string;
beforeEach(async () => {
  local = mkdtempSync(join(tmpdir(), 'yard-local-'));
  yard = await shellYard(`[checkpoints]\nflush_limit = "1s"\n[scratch]\ndirectories = ["${local}"]\n`);
  disk = join(yard.workDir, 'disk');
  mkdirSync(disk);
  if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]);
});
afterEach(async () => {
  await yard.run('down', '--cancel');
  if (isRoot) execFileSync('umount', ['-l', disk]);
  await yard.close();
  rmSync(local, { recursive: true, force: true });
});

/** Saves checkpoints of 3 MB, one more for each file `next-N` that appears, until `next-end` does. */
const TRAINER = `
import os, sys, time
directory, n = os.environ["TRAINYARD_CHECKPOINTS"], 0
while True:
    n += 1
    while not os.path.exists(f"next-{n}"):
        if os.path.exists("next-end"): sys.exit(0)
        time.sleep(0.01)
    with open(f"{directory}/.draft", "wb") as file: file.write(os.urandom(3_000_000))
    os.rename(f"{directory}/.draft", f"{directory}/step-{n}.ckpt")
    print("saved", n, flush=True)
`;

async function submit(lines: string): Promise<void> {
  writeFileSync(join(yard.workDir, 'train.py'), TRAINER);
  writeFileSync(join(yard.workDir, 'train.sh'), `#!/bin/sh\n${lines}\nexec python3 train.py\n`);
  await yard.good('sbatch -o out train.sh');
}

function next(step: number | 'end'): void {
  writeFileSync(join(yard.workDir, `next-${step}`), '');
}

interface Listing {
  readonly trouble: string | null;
  readonly checkpoints: readonly { readonly name: string; readonly state: string }[];
}

const listing = () => yard.json<Listing>('checkpoints', '1');

async function untilListed(isSo: (listed: Listing) => boolean, what: string): Promise<Listing> {
  let last: Listing | null = null;
  await until(
    async () => {
      last = await listing();
      return isSo(last);
    },
    () => `${what}: ${JSON.stringify(last)}`,
  );
  return last as unknown as Listing;
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

const kept = ({ checkpoints }: Listing) =>
  checkpoints
    .filter(({ state }) => state === 'kept')
    .map(({ name }) => name)
    .toSorted();

describe.skipIf(!isRoot)('a disk that fills up', () => {
  test('while copies are made: what was safe stays safe, it is said on the job, and it goes on when there is room', async () => {
    await submit('#YARD checkpoints=$SCRATCH/c persist=disk/kept');
    for (const step of [1, 2]) {
      next(step);
      await untilListed((listed) => kept(listed).length === step, `step ${step} to be kept`);
    }
    next(3);
    const full = await untilListed(({ trouble }) => trouble !== null, 'trouble');
    expect(full.trouble).toMatch(/disk\/kept/);
    expect(full.trouble).toMatch(/full|room|space/);
    expect(kept(full)).toEqual(['step-1.ckpt', 'step-2.ckpt']);
    expect((await yard.run('checkpoints', 'verify', '1')).code).toBe(0);
    expect((await yard.run('show', '1')).stdout).toContain(full.trouble);
    expect(
      readdirSync(join(disk, 'kept'))
        .filter((name) => name.startsWith('step'))
        .toSorted(),
    ).toEqual(['step-1.ckpt', 'step-2.ckpt']);

    execFileSync('mount', ['-o', 'remount,size=64m', disk]);
    const well = await untilListed(({ trouble }) => trouble === null, 'the trouble to end');
    expect(kept(well)).toEqual(['step-1.ckpt', 'step-2.ckpt', 'step-3.ckpt']);
    next('end');
    await yard.good('trainyard wait 1');
  });

  test('to the end: the job says so, and what is not safe stays where it is until it can be', async () => {
    await submit('#YARD checkpoints=$SCRATCH/c persist=disk/kept');
    for (const step of [1, 2, 3]) next(step);
    next('end');
    await yard.bash('trainyard wait 1');
    const shown = (await yard.run('show', '1')).stdout;
    expect(shown).toMatch(/disk\/kept/);
    const after = await listing();
    expect(after.trouble).not.toBeNull();
    // Which ones fit depends on how many the program had saved when the first was copied. None is lost either way.
    const safe = kept(after);
    expect(safe.length).toBeGreaterThan(0);
    expect(safe.length).toBeLessThan(3);
    const unsafe = filesIn(local).filter((name) => name.startsWith('step-'));
    expect([...new Set([...safe, ...unsafe])].toSorted()).toEqual([
      'step-1.ckpt',
      'step-2.ckpt',
      'step-3.ckpt',
    ]);
    expect((await yard.run('checkpoints', 'verify', '1')).code).toBe(0);

    execFileSync('mount', ['-o', 'remount,size=64m', disk]);
    await yard.good('trainyard checkpoints flush 1');
    const flushed = await untilListed(({ trouble }) => trouble === null, 'the trouble to end');
    expect(kept(flushed)).toEqual(['step-1.ckpt', 'step-2.ckpt', 'step-3.ckpt']);
    expect(filesIn(local)).toEqual([]);
  });

  test('while its program saves: the copies are not touched', async () => {
    await submit('#YARD checkpoints=disk/c persist=kept');
    for (const step of [1, 2]) {
      next(step);
      await untilListed((listed) => kept(listed).length === step, `step ${step} to be kept`);
    }
    next(3);
    await yard.bash('trainyard wait 1');
    expect((await yard.good('cat out')).trim()).toContain('No space left on device');
    expect(kept(await listing())).toEqual(['step-1.ckpt', 'step-2.ckpt']);
    expect((await yard.run('checkpoints', 'verify', '1')).code).toBe(0);
    expect(existsSync(join(yard.workDir, 'kept', 'step-3.ckpt'))).toBe(false);
  });
});
