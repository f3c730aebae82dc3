/**
 * Very many real jobs on a yard with its ordinary config, submitted as people do, while listings of all of them are
 * asked for, at times eight at once. Every answer is whole, no command holds the daemon's thread for long, and the
 * daemon stays small. `npm run soak -- --jobs 320000` runs more of them.
 */

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';

const JOBS = Number(process.env.SOAK_JOBS ?? 4_000);
const PER_ARRAY = 1000;
/** So many arrays wait or run at a time: the queue is long, and still everything is submitted while jobs run. */
const ARRAYS_AHEAD = 5;
/** Garbage collection falls into somebody's slice: few may pass 20 ms, and none may come near what a person notices. */
const MOST_LONG_SHARE = 0.001;
const MOST_SLICE_MS = 250;
const MOST_MEMORY_KB = 300 * 1024;
const AT_ONCE = 8;

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), 'yard-soak-'));
const ran = join(directory, 'ran');
const script = join(directory, 'job.sh');
const trainyard = join(packageRoot(), 'bin/trainyard');
const environment = { ...process.env, TRAINYARD_DIR: directory, RAN: ran, HOME: directory };

afterAll(async () => {
  await run(trainyard, ['down', '--cancel'], { env: environment }).catch(() => {});
  rmSync(directory, { recursive: true, force: true });
});

interface Listing {
  readonly name: string;
  readonly program: string;
  readonly words: readonly string[];
  /** What a line says of which job; null: nothing. */
  readonly job: (line: string) => string | null;
  /** How many there are in the end. */
  readonly total: number | null;
}

const ARRAYS = JOBS / PER_ARRAY;
const slurm = (name: string) => join(directory, 'commands/slurm', name);
const LISTINGS: readonly Listing[] = [
  {
    name: 'sacct',
    program: slurm('sacct'),
    words: ['-X', '-n', '-P', '-a', '-S', '2020-01-01', '-E', 'now', '-s', 'CD', '-o', 'jobid'],
    job: (line) => line,
    total: JOBS,
  },
  {
    name: 'qacct',
    program: join(directory, 'commands/gridengine/qacct'),
    words: ['-j'],
    job: jobOfAccount(),
    total: JOBS,
  },
  {
    name: 'history',
    program: trainyard,
    words: ['history', '-q', '-n', '1000000'],
    job: (line) => line,
    // An array has a record of its own.
    total: JOBS + ARRAYS,
  },
  {
    name: 'squeue',
    program: slurm('squeue'),
    words: ['-h', '-t', 'all', '-o', '%i'],
    job: (line) => line,
    total: null,
  },
];

/** The number is a line of its own, and the task another. */
function jobOfAccount(): (line: string) => string | null {
  let number = '';
  return (line) => {
    if (line.startsWith('jobnumber ')) number = line.slice(10).trim();
    return line.startsWith('taskid ') ? `${number}_${line.slice(7).trim()}` : null;
  };
}

test(`${JOBS} jobs with listings of all of them`, async () => {
  writeFileSync(
    script,
    '#!/bin/sh\necho "$SLURM_ARRAY_JOB_ID$JOB_ID.$SLURM_ARRAY_TASK_ID$SGE_TASK_ID" >> "$RAN"\n',
  );
  writeFileSync(ran, '');
  await run(trainyard, ['up'], { env: environment });
  const { pid } = await status();
  let isOver = false;
  const looking = lookAround(() => isOver);
  await submitAll();
  while ((await unended()) > 0) await sleep(200);
  isOver = true;
  await looking;

  for (const listing of LISTINGS) {
    for (const seen of await Promise.all(Array.from({ length: AT_ONCE }, () => ask(listing)))) {
      if (listing.total !== null) expect(seen, listing.name).toBe(listing.total);
    }
  }
  const lines = readFileSync(ran, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(JOBS);
  expect(new Set(lines).size).toBe(JOBS);
  const { slices } = await status();
  const peakKb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  console.log(
    `${slices.longCount} of ${slices.count} slices over 20 ms, the longest ${slices.longestMs.toFixed(1)} ms (${slices.longestOf}), peak ${Math.round(peakKb / 1024)} MB`,
  );
  expect(slices.longCount / slices.count, 'the share of slices over 20 ms').toBeLessThan(MOST_LONG_SHARE);
  expect(slices.longestMs, `the longest slice, of ${slices.longestOf}`).toBeLessThanOrEqual(MOST_SLICE_MS);
  expect(peakKb).toBeLessThan(MOST_MEMORY_KB);
});

async function submitAll(): Promise<void> {
  for (let array = 0; array < ARRAYS; array++) {
    while ((await waitingArrays()) >= ARRAYS_AHEAD) await sleep(100);
    const submitted =
      array % 2 === 0
        ? run(slurm('sbatch'), ['-o', '/dev/null', '-a', `1-${PER_ARRAY}`, script], { env: environment })
        : run(
            join(directory, 'commands/gridengine/qsub'),
            ['-V', '-o', '/dev/null', '-j', 'y', '-t', `1-${PER_ARRAY}`, script],
            { env: environment },
          );
    await submitted;
  }
}

/** Each listing in turn, and now and then eight of one at once. Nothing that was there is missing later. */
async function lookAround(isOver: () => boolean): Promise<void> {
  const before = new Map<string, number>();
  for (let round = 0; !isOver(); round++) {
    for (const listing of LISTINGS) {
      const times = round % 4 === 3 ? AT_ONCE : 1;
      const seen = await Promise.all(Array.from({ length: times }, () => ask(listing)));
      if (listing.total === null) continue;
      const known = before.get(listing.name) ?? 0;
      for (const count of seen) expect(count, listing.name).toBeGreaterThanOrEqual(known);
      before.set(listing.name, Math.max(...seen));
    }
    await sleep(1000);
  }
}

/** How many jobs are in the answer. None is there twice. */
async function ask({ name, program, words, job }: Listing): Promise<number> {
  const child = spawn(program, words, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const jobs = new Set<string>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const found = job(line);
    if (found === null) continue;
    jobs.add(found);
    count += 1;
  }
  expect(await ended, name).toBe(0);
  expect(count, `${name}: a job comes twice`).toBe(jobs.size);
  return count;
}

interface Status {
  readonly pid: number;
  readonly counts: Readonly<Record<'held' | 'waiting' | 'pending' | 'active', number>>;
  readonly slices: {
    readonly count: number;
    readonly longestMs: number;
    readonly longestOf: string | null;
    readonly longCount: number;
  };
}

async function status(): Promise<Status> {
  return JSON.parse((await run(trainyard, ['status', '--json'], { env: environment })).stdout) as Status;
}

async function unended(): Promise<number> {
  const { held, waiting, pending, active } = (await status()).counts;
  return held + waiting + pending + active;
}

/** An array whose elements have not all started is a pending job. */
async function waitingArrays(): Promise<number> {
  return (await status()).counts.pending;
}
