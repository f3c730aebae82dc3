/**
 * Training survives. Trainers, shims, the daemon and the keeper are killed with -9, jobs are cancelled, requeued,
 * preempted and run into their time limits, at seeded instants and in the middle of whatever goes on then. Every run
 * finds a whole checkpoint, none loses more than what came after its last finished one, all end in the very state of
 * an undisturbed run, and nothing is left on the local disk. TRAINYARD_CRASH_SEED repeats the sequence of instants.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/sim/random.ts';
import { DISTURBANCES, disturb, FREQUENCIES } from './disturbances.ts';
import { yardUnderFire } from './yard-under-fire.ts';

const SEED = Number(process.env.TRAINYARD_CRASH_SEED ?? 20_261_116);
const TIMES = Number(process.env.TRAINYARD_CRASH_TIMES ?? 320);
const CHOICES = DISTURBANCES.flatMap((kind) => Array.from({ length: FREQUENCIES[kind] }, () => kind));
const JOBS_AT_ONCE = 5;
const HABITS = ['rename', 'in-place', 'last', 'directory'] as const;
const STEPS = 300;
const EVERY = 10;
const BALLAST = 100_000;
const LIMIT_MS = 2_500;
const TRAINER = fileURLToPath(new URL('programs/trainer.py', import.meta.url));

const CONFIG = `
[node]
cpus = ${JOBS_AT_ONCE}
[queues.main]
preempt = "requeue"
[queues.urgent]
priority = 10
[stop]
grace = "1s"
[requeue]
max_restarts = 1000000
max_fruitless = 1000000
max_stagnant = 1000000
`;

const yard = yardUnderFire(writeConfig);
const stories = join(yard.directory, 'stories');
const results = join(yard.directory, 'results');
const lasting = join(yard.directory, 'lasting');
const scratch = join(yard.directory, 'local');
for (const directory of [stories, results, lasting, scratch]) mkdirSync(directory);
afterAll(() => yard.close());

function writeConfig(directory: string): string {
  const path = join(directory, 'under-fire.toml');
  writeFileSync(path, `${CONFIG}[scratch]\ndirectories = ["${join(directory, 'local')}"]\n`);
  return path;
}

describe(`training under fire, seed ${SEED}`, () => {
  test(`${TIMES} disturbances: every run resumes from a whole checkpoint, and all end in the same state`, async () => {
    const random = seededRandom(SEED);
    const jobs = new Map<number, { readonly name: string; readonly habit: string }>();
    const running = new Set<number>();
    const hits = new Map<string, number>();
    let hit = 0;

    while (hit < TIMES) {
      while (running.size < JOBS_AT_ONCE) {
        const habit = HABITS[jobs.size % HABITS.length] as string;
        const name = `training-${jobs.size}`;
        const id = await submit(name, habit);
        jobs.set(id, { name, habit });
        running.add(id);
      }
      await sleep(random.below(120));
      const kind = random.pick(CHOICES);
      if (await disturb(kind, yard, random.pick([...running]))) {
        hit++;
        hits.set(kind, (hits.get(kind) ?? 0) + 1);
      }
      await goOn(running);
    }
    while (running.size > 0) {
      await sleep(50);
      await goOn(running);
    }

    const told = [...jobs.values()].map(({ name, habit }) => ({ name, habit, story: storyOf(name) }));
    expect(told.filter(({ story }) => story.broken.length > 0)).toEqual([]);
    expect(told.flatMap(({ name, habit, story }) => lossesIn(story, `${name} (${habit})`))).toEqual([]);
    const wrong = told.filter(({ name }) => readFileSync(join(results, name), 'utf8') !== endState(name));
    expect(wrong.map(({ name }) => name)).toEqual([]);
    const share = TIMES / CHOICES.length;
    for (const kind of DISTURBANCES) expect(hits.get(kind) ?? 0, kind).toBeGreaterThan(share / 4);
    expect(timeLimits(await events()), 'time limits').toBeGreaterThan(0);
    expect(filesBelow(scratch)).toEqual([]);
    expect(draftsBelow(lasting)).toEqual([]);
  });
});

async function submit(name: string, habit: string): Promise<number> {
  const words = [habit, name, STEPS, EVERY, BALLAST, join(stories, name), join(results, name)];
  const body = {
    name,
    script: `#!/bin/sh\nexec python3 ${TRAINER} "$@"\n`,
    arguments: words.map(String),
    workDir: yard.directory,
    environment: { PATH: process.env.PATH },
    streams: { stdout: `out-${name}`, openMode: 'append' },
    limitMs: LIMIT_MS,
    chain: true,
    keeping: {
      checkpoints: '$SCRATCH/checkpoints',
      persist: join(lasting, name),
      keepCount: 2,
      scratch: { maxBytes: null },
    },
  };
  const { job } = await insist((api) => api.post<{ job: number }>('/v1/jobs', body));
  return job;
}

interface JobView {
  readonly job: { readonly phase: string; readonly outcome: string | null; readonly note: string | null };
}

/** Who was ended by a disturbance is queued again, as somebody who wants the result would do. */
async function goOn(running: Set<number>): Promise<void> {
  for (const id of running) {
    const { job } = (await insist((api) => api.get<{ view: JobView }>(`/v1/jobs/${id}`))).view;
    if (job.phase === 'ended' && job.outcome === 'completed') running.delete(id);
    else if (job.phase === 'ended') await insist((api) => api.post(`/v1/jobs/${id}/requeue`, {}));
    else if (job.phase === 'held') throw new Error(`job ${id} is held: ${job.note}`);
  }
}

/** A daemon that has just been killed is started again by whoever asks next. */
async function insist<T>(ask: (api: Awaited<ReturnType<typeof yard.api>>) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask(await yard.api());
    } catch (error) {
      if (!/ECONN|EPIPE|ENOENT|hang up|aborted/.test(`${error} ${(error as NodeJS.ErrnoException).code}`))
        throw error;
    }
  }
}

interface Story {
  readonly lines: readonly (readonly [string, number])[];
  readonly broken: readonly string[];
}

function storyOf(name: string): Story {
  const path = join(stories, name);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return {
    lines: lines
      .map((line) => line.split(' '))
      .filter(([word]) => word === 'began' || word === 'saved')
      .map(([word, step]) => [word as string, Number(step)]),
    broken: lines.filter((line) => line.startsWith('broken')),
  };
}

/** Beginnings before the last checkpoint that was finished. */
function lossesIn({ lines }: Story, name: string): string[] {
  const losses: string[] = [];
  let saved = 0;
  for (const [word, step] of lines) {
    if (word === 'saved') saved = Math.max(saved, step);
    else if (step < saved) losses.push(`${name} began after step ${step} though step ${saved} was saved`);
  }
  return losses;
}

function endState(name: string): string {
  let state = `seed ${name}`;
  for (let step = 1; step <= STEPS; step++)
    state = createHash('sha256').update(`${state} ${step}`).digest('hex');
  return state;
}

interface YardEvent {
  readonly event: { readonly type: string; readonly cause?: string };
}

async function events(): Promise<readonly YardEvent[]> {
  return (await insist((api) => api.get<{ events: readonly YardEvent[] }>('/v1/events?limit=99999'))).events;
}

function timeLimits(all: readonly YardEvent[]): number {
  return all.filter(({ event }) => event.type === 'stopRequested' && event.cause === 'timeLimit').length;
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function draftsBelow(directory: string): string[] {
  return filesBelow(directory).filter((path) => path.includes('/drafts/'));
}
