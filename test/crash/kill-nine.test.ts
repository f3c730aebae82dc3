/**
 * The promise under which everything else stands: the daemon may be killed with -9 at any instant, under load,
 * again and again; no acknowledged job is lost, none runs twice, and every exit status is the true one.
 * TRAINYARD_CRASH_SEED repeats a run; the sequence of instants is the same, what the machine does in them is not.
 */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/sim/random.ts';
import { type YardUnderFire, yardUnderFire } from './yard-under-fire.ts';

const SEED = Number(process.env.TRAINYARD_CRASH_SEED ?? 20_261_115);
const JOBS = 2_000;
const KILLS = 120;
const SUBMITTERS = 4;

interface View {
  readonly id: number;
  readonly name: string;
  readonly isArray: boolean;
  readonly phase: string;
  readonly outcome: string | null;
  readonly attempt: { readonly n: number; readonly exit: { readonly code: number | null } | null } | null;
}

const yard = yardUnderFire();
const marks = join(yard.directory, 'marks');
mkdirSync(marks);
afterAll(() => yard.close());

describe(`kill -9 of the daemon, seed ${SEED}`, () => {
  test(`${JOBS} jobs and ${KILLS} kills: none lost, none twice, every exit status right`, async () => {
    const random = seededRandom(SEED);
    const queue: Wanted[] = Array.from({ length: JOBS }, (_, at) => ({
      name: `job-${at}-exit-${random.below(6)}`,
      isArray: random.chance(0.1),
      sleeps: random.chance(0.1),
    }));
    const acknowledged = new Map<string, { readonly id: number; readonly isArray: boolean }>();
    const killer = killRepeatedly(yard, random, () => queue.length);
    await Promise.all(Array.from({ length: SUBMITTERS }, () => submitAll(yard, queue, acknowledged)));
    await killer;
    expect(yard.kills()).toBeGreaterThanOrEqual(100);

    await allEnded(yard);
    const jobs = await history(yard);
    const byId = new Map(jobs.map((job) => [job.id, job]));

    const lost = [...acknowledged].filter(([name, { id }]) => byId.get(id)?.name !== name);
    expect(lost, 'acknowledged jobs that are not in the history').toEqual([]);
    const ran = readdirSync(marks);
    const repeated = ran.filter((name) => readFileSync(join(marks, name)).length !== 1);
    expect(repeated, 'jobs that ran more than once').toEqual([]);
    const expected = [...acknowledged.values()].flatMap(({ id, isArray }) =>
      isArray ? ELEMENTS.map((index) => `${id}_${index}`) : [`${id}`],
    );
    const marked = new Set(ran);
    expect(
      expected.filter((name) => !marked.has(name)),
      'acknowledged jobs that never ran',
    ).toEqual([]);
    const wrong = jobs.filter((job) => {
      const code = Number(job.name.split('-').at(-1));
      if (job.outcome !== (code === 0 ? 'completed' : 'failed')) return true;
      return job.isArray ? job.attempt !== null : job.attempt?.n !== 1 || job.attempt.exit?.code !== code;
    });
    expect(wrong, 'jobs with a wrong ending').toEqual([]);
    expect(acknowledged.size).toBe(JOBS);
  });
});

interface Wanted {
  readonly name: string;
  readonly isArray: boolean;
  readonly sleeps: boolean;
}

const ELEMENTS = [0, 1, 2];

/** An element is known by its array and index, since its own number is only given when it starts. */
const MARK =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that fills these in
  'printf x >> marks/${TRAINYARD_ARRAY_ID:-$TRAINYARD_JOB_ID}${TRAINYARD_ARRAY_INDEX:+_$TRAINYARD_ARRAY_INDEX}';

/** Each job leaves one byte in a file of its own each time it runs, and ends with the code in its name. */
async function submitAll(
  yard: YardUnderFire,
  queue: Wanted[],
  acknowledged: Map<string, { readonly id: number; readonly isArray: boolean }>,
): Promise<void> {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const code = job.name.split('-').at(-1);
    const body = {
      name: job.name,
      command: ['/bin/sh', '-c', `${MARK}; ${job.sleeps ? 'sleep 0.05; ' : ''}exit ${code}`],
      ...(job.isArray ? { array: `0-${ELEMENTS.length - 1}` } : {}),
      workDir: yard.directory,
      environment: { PATH: process.env.PATH },
      streams: { stdout: '/dev/null' },
    };
    // An unanswered submission may or may not have happened. Asking again may make a second job of the same
    // name, with an id and a mark of its own: neither may be lost, and neither may run twice.
    for (;;) {
      try {
        const api = await yard.api();
        const { job: id } = await api.post<{ job: number }>('/v1/jobs', body);
        acknowledged.set(job.name, { id, isArray: job.isArray });
        break;
      } catch (error) {
        if (!isDisconnect(error)) throw error;
      }
    }
  }
}

function isDisconnect(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return (
    ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOENT'].includes(code) ||
    /socket hang up|aborted/.test(`${error}`)
  );
}

/** At seeded instants, spread over the whole run: early ones meet a daemon that is still loading. */
async function killRepeatedly(
  yard: YardUnderFire,
  random: ReturnType<typeof seededRandom>,
  left: () => number,
): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    await yard.api();
    const share = JOBS * (1 - (kill + 1) / KILLS);
    const until = performance.now() + random.below(60);
    // The instant is a matter of time, and the next one waits for its share of the jobs, so that none is idle.
    while (performance.now() < until || left() > share)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await yard.kill();
  }
}

async function allEnded(yard: YardUnderFire): Promise<void> {
  const api = await yard.api();
  for (;;) {
    const { lastSeq, counts } = await api.get<{ lastSeq: number; counts: Record<string, number> }>(
      '/v1/yard',
    );
    if ((counts.held ?? 0) + (counts.waiting ?? 0) + (counts.pending ?? 0) + (counts.active ?? 0) === 0)
      return;
    await new Promise<void>((resolve) => {
      const stop = api.follow(lastSeq, {
        onEvent: () => {
          stop();
          resolve();
        },
        onGone: resolve,
      });
    });
  }
}

async function history(yard: YardUnderFire): Promise<View[]> {
  const api = await yard.api();
  const { jobs } = await api.get<{ jobs: { job: Job }[] }>('/v1/history?limit=10000');
  return jobs.map(({ job }) => ({
    id: job.id,
    name: job.spec.name,
    isArray: job.array !== null,
    phase: job.phase,
    outcome: job.outcome,
    attempt: job.attempt,
  }));
}

interface Job extends Omit<View, 'name' | 'isArray'> {
  readonly array: object | null;
  readonly spec: { readonly name: string };
}
