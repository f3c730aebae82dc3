/** Places that the yard only gives: whoever asked for one runs something in it. */

import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunHere } from '../../src/model/run-here.ts';
import type { Voice } from '../../src/model/voice.ts';
import { identityOf, isAlive } from '../../src/platform/processes.ts';
import { standsStill } from '../stands-still.ts';
import { SPOKEN_OF } from './builders.ts';
import { type Caller, newCaller, runOf } from './caller.ts';
import { openYard, type TestYard } from './yard.ts';

const voice: Voice = {
  variables: (_job, _attempt, { node, rank }) => new Map([['SPOKEN', `${node.node} ${rank}`]]),
  lastWords: (job, attempt, { step }) => `words ${job.id} ${step} ${attempt.stop?.cause}`,
};

let yard: TestYard;
let caller: Caller;
beforeEach(async () => {
  yard = await openYard({
    commands: ['/yard/commands'],
    voices: {
      voice: () => voice,
      surroundings: SPOKEN_OF,
      temporary: null,
    },
  });
  caller = newCaller(yard);
});
afterEach(async () => {
  caller.child.kill('SIGKILL');
  await caller.over;
  await yard.close();
});

const place = (changes: { readonly caller?: null } = {}) => {
  return yard.start({
    program: { spread: 'caller', caller: changes.caller === null ? null : caller.identity },
    streams: { stdout: 'no/such/directory/out', makeDirectories: true },
  });
};
const stop = (made: ReturnType<typeof place>, step: 'term' | 'kill' = 'term') =>
  yard.effect({
    type: 'stop',
    job: made.job,
    attempt: {
      ...made.attempt,
      stop: { cause: 'cancelled', by: 'ada', requestedAt: 0, killAt: 0, step },
    },
    step,
  });
const waits = 'echo $$ >pid; : >ready; while [ ! -e go ]; do sleep 0.01; done; exit 7';
const letGo = () => writeFileSync(join(yard.workDir, 'go'), '');

test('the place is ready at once, nothing runs in it, and no output is opened', async () => {
  place();
  await yard.reports.next('attemptRunning');
  expect(readdirSync(yard.workDir)).toEqual([]);
  expect(readFileSync(join(yard.directory, 'yard', 'ranks', '17.1.0'), 'utf8')).toBe('');
});

test('what the caller runs knows where it is, and its end is the end of the attempt', async () => {
  place();
  await yard.reports.next('attemptRunning');
  const each =
    'echo "$TRAINYARD_YARD $TRAINYARD_ATTEMPT $TRAINYARD_JOB_ID $TRAINYARD_RANK $(printenv TRAINYARD_STEP || echo none) $TRAINYARD_DIR"; echo "$PATH" | sed "s,.*:,,"; exit 3';
  caller.run(runOf(yard.workDir, { each }));
  const ended = await yard.reports.next('attemptEnded');
  expect(ended).toMatchObject({ exit: { code: 3, signal: null, outOfMemory: false }, fault: null });
  expect(ended.usage?.cpuMs).toBeGreaterThanOrEqual(0);
  expect(await caller.over).toBe(3);
  expect(caller.stdout()).toBe(
    `${yard.yardId} 17.1 17 0 none ${join(yard.directory, 'yard')}\n/yard/commands\n`,
  );
});

test('a signal that ends it is told as one', async () => {
  place();
  caller.run(runOf(yard.workDir, { each: 'kill -11 $$' }));
  expect((await yard.reports.next('attemptEnded')).exit).toMatchObject({ code: null, signal: 11 });
});

describe('without a yard', () => {
  test('it goes on, and how it ended is found afterwards', async () => {
    const made = place();
    caller.run(runOf(yard.workDir, { each: waits }));
    await yard.made('ready');
    await yard.engine.close();
    letGo();
    expect(await caller.over).toBe(7);
    await yard.reopen();
    yard.perform('watch', made);
    expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  });

  test('the same after eight days', async () => {
    const made = place();
    caller.run(runOf(yard.workDir, { each: waits }));
    await yard.made('ready');
    await yard.engine.close();
    letGo();
    expect(await caller.over).toBe(7);
    const then = Date.now() / 1000 - 8 * 86_400;
    utimesSync(join(yard.directory, 'yard', 'ranks', '17.1.0'), then, then);
    await yard.reopen();
    yard.perform('watch', made);
    expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  });

  test('another one finds it running, and does not start its time anew', async () => {
    const made = place();
    caller.run(runOf(yard.workDir, { each: waits }));
    await yard.made('ready');
    await yard.reopen();
    yard.perform('watch', { ...made, attempt: { ...made.attempt, startedAt: 5, phase: 'running' } });
    letGo();
    expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
    expect(yard.reports.seen.map(({ type }) => type)).toEqual(['nodesSeen', 'attemptEnded']);
  });

  test('a place that was not claimed yet can be claimed from the next one', async () => {
    const made = place();
    await yard.reports.next('attemptRunning');
    await yard.reopen();
    yard.perform('watch', made);
    caller.run(runOf(yard.workDir, { each: 'exit 4' }));
    expect((await yard.reports.next('attemptEnded')).exit.code).toBe(4);
  });
});

describe('a caller that is killed', () => {
  const KILLED = { exit: { code: null, signal: 9, outOfMemory: false }, fault: null };

  test('before it has claimed its place', async () => {
    place();
    await yard.reports.next('attemptRunning');
    caller.child.kill('SIGKILL');
    expect(await yard.reports.next('attemptEnded')).toMatchObject(KILLED);
  });

  test('while it runs something: that goes with it, and all that it started', async () => {
    place();
    caller.run(runOf(yard.workDir, { each: 'setsid sleep 100 & echo $! >stray; : >ready; sleep 100' }));
    await yard.made('ready');
    const stray = identityOf(Number(readFileSync(join(yard.workDir, 'stray'), 'utf8')))!;
    caller.child.kill('SIGKILL');
    expect(await yard.reports.next('attemptEnded')).toMatchObject(KILLED);
    expect(isAlive(stray)).toBe(false);
  });

  test('together with the yard', async () => {
    const made = place();
    caller.run(runOf(yard.workDir, { each: waits }));
    await yard.made('ready');
    await yard.engine.close();
    caller.child.kill('SIGKILL');
    await caller.over;
    await yard.reopen();
    yard.perform('watch', made);
    expect(await yard.reports.next('attemptEnded')).toMatchObject(KILLED);
  });

  test('a place that nobody in particular asked for stays', async () => {
    const made = place({ caller: null });
    await yard.reports.next('attemptRunning');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(yard.reports.seen.some(({ type }) => type === 'attemptEnded')).toBe(false);
    stop(made);
    expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(15);
  });
});

describe('stopping', () => {
  test('before it is claimed: then it cannot be any more', async () => {
    const made = place();
    await yard.reports.next('attemptRunning');
    const run = runOf(yard.workDir, { each: 'touch ran' });
    const plan = yard.engine.planRun(run);
    stop(made);
    expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(15);
    expect(() => yard.engine.planRun(run)).toThrow('the job has ended');
    expect(readFileSync(plan.jobRecord as string, 'utf8')).toMatch(/^revoked\n/);
    expect(isAlive(caller.identity)).toBe(true);
  });

  test('what runs is asked to end; the caller is not, and passes on why', async () => {
    const made = place();
    const each = 'exec perl -e \'$SIG{TERM} = sub { exit 5 }; open F, ">", "ready"; sleep 1 while 1\'';
    caller.run(runOf(yard.workDir, { each }));
    await yard.made('ready');
    stop(made);
    expect((await yard.reports.next('attemptEnded')).exit.code).toBe(5);
    expect(await caller.over).toBe(5);
    expect(caller.stderr()).toBe('words 17 null cancelled\n');
  });

  test('and killed when it does not, also when the caller itself was stopped', async () => {
    const made = place();
    const each = 'exec perl -e \'$SIG{TERM} = "IGNORE"; open F, ">", "ready"; sleep 1 while 1\'';
    caller.run(runOf(yard.workDir, { each }));
    await yard.made('ready');
    caller.child.kill('SIGSTOP');
    stop(made);
    stop(made, 'kill');
    expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(9);
    expect(await caller.over).toBe(0);
  });

  test('others in the session of the caller are left alone', async () => {
    const neighbour = newCaller(yard);
    const made = place();
    caller.run(runOf(yard.workDir, { each: waits }));
    await yard.made('ready');
    stop(made, 'kill');
    await yard.reports.next('attemptEnded');
    expect(isAlive(neighbour.identity)).toBe(true);
    neighbour.child.kill('SIGKILL');
    await neighbour.over;
  });

  test('suspended, it stands still; its caller does not', async () => {
    const made = place();
    caller.run(runOf(yard.workDir, { each: waits }));
    await yard.made('ready');
    yard.effect({ type: 'suspend', ...made, n: 1 });
    const rank = Number(readFileSync(join(yard.workDir, 'pid'), 'utf8'));
    await expect.poll(() => standsStill(rank), { interval: 10 }).toBe(true);
    expect(standsStill(caller.identity.pid)).toBe(false);
    stop(made, 'kill');
    await yard.reports.next('attemptEnded');
  });
});

test('its file goes when its end is on record', async () => {
  place();
  caller.run(runOf(yard.workDir, { each: 'true' }));
  await yard.reports.next('attemptEnded');
  const file = join(yard.directory, 'yard', 'ranks', '17.1.0');
  expect(existsSync(file)).toBe(true);
  yard.engine.forget('17.1');
  await expect.poll(() => existsSync(file), { interval: 20 }).toBe(false);
});

describe('plainly', () => {
  const plain = (changes: Partial<RunHere> & { readonly each: string }) => {
    const run = runOf(yard.workDir, changes);
    return { ...run, manner: { ...run.manner, name: 'qrsh', plain: true } };
  };

  test('it has the environment of its job and what its dialect says, and nothing of the caller', async () => {
    caller.child.kill('SIGKILL');
    await caller.over;
    caller = newCaller(yard, { OF_CALLER: 'c', OF_JOB: 'c' });
    yard.start({
      program: { spread: 'caller', caller: caller.identity },
      environment: `OF_JOB=j\0SPOKEN=j\0PATH=${process.env.PATH}\0`,
    });
    const each = 'echo "$OF_CALLER:$OF_JOB:$SPOKEN:$OWN:$TRAINYARD_JOB_ID"';
    const run = plain({ each, environment: 'job' });
    caller.run({ ...run, ranks: run.ranks.map((rank) => ({ ...rank, variables: { OWN: 'o' } })) });
    expect(await caller.over).toBe(0);
    expect(caller.stdout()).toBe(':j:box 0:o:17\n');
    expect(caller.stderr()).toBe('');
  });

  test.each([
    ['exit 5', 5, { code: 5, signal: null }],
    ['kill -9 $$', 137, { code: null, signal: 9 }],
  ])('nothing is said of how it ends: %s', async (each, status, exit) => {
    place();
    caller.run(plain({ each }));
    expect(await yard.reports.next('attemptEnded')).toMatchObject({ exit });
    expect(await caller.over).toBe(status);
    expect(caller.stderr()).toBe('');
  });

  test('a signal to the caller goes straight on', async () => {
    place();
    caller.run(plain({ each: `trap 'exit 6' TERM; ${waits}` }));
    await yard.made('ready');
    caller.child.kill('SIGTERM');
    expect(await caller.over).toBe(6);
    expect(caller.stderr()).not.toContain('qrsh');
  });

  test('what cannot be run is said in few words', async () => {
    place();
    const run = plain({ each: '' });
    caller.run({ ...run, ranks: run.ranks.map((rank) => ({ ...rank, argv: ['/no/such'] })) });
    expect(await caller.over).toBe(1);
    expect(caller.stderr()).toBe(
      'qrsh_starter: executing child process /no/such failed: No such file or directory\n',
    );
  });

  test('a directory that is not there is said', async () => {
    place();
    const run = plain({ each: 'true' });
    caller.run({ ...run, ranks: run.ranks.map((rank) => ({ ...rank, workDir: '/no/such' })) });
    expect(await caller.over).toBe(1);
    expect(caller.stderr()).toBe(
      'qrsh_starter: cannot change to directory /no/such: No such file or directory\n',
    );
  });
});
