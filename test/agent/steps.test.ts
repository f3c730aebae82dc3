/** Steps of a job, each run by whoever asked for it. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Attempt, Job } from '../../src/model/job.ts';
import type { Step } from '../../src/model/step.ts';
import type { Voice } from '../../src/model/voice.ts';
import { identityOf, isAlive, processInfo } from '../../src/platform/processes.ts';
import { nodeOf, SPOKEN_OF } from './builders.ts';
import { type Caller, newCaller, runOf, stepOf } from './caller.ts';
import { openYard, TEST_TIMES, type TestYard } from './yard.ts';

const voice: Voice = {
  variables: () => new Map(),
  lastWords: (_, attempt, { step }) => `words ${step} ${attempt.stop?.cause ?? 'cancelled'}`,
};
/** Devices, so that it can be seen which of them a step has. */
const device = (index: number) => ({ index, kind: 'sim', memoryBytes: 2 ** 30, simulated: true });

let yard: TestYard;
let batch: { readonly job: Job; readonly attempt: Attempt };
let callers: Caller[];

beforeEach(async () => {
  callers = [];
  yard = await openYard({
    nodes: [nodeOf({ devices: [device(0), device(1)] })],
    voices: {
      voice: () => voice,
      surroundings: SPOKEN_OF,
      temporary: null,
    },
  });
  const signals = ['USR1', 'USR2']
    .map((name) => `$SIG{${name}} = sub { open F, ">", "batch$_[0]" };`)
    .join(' ');
  const script = `#!/usr/bin/perl\n${signals} open F, ">", "up"; close F; 1 while !-e "down" && 1 + select undef, undef, undef, 0.01;\n`;
  batch = yard.start({ script });
  await yard.made('up');
});
afterEach(async () => {
  for (const { child } of callers) child.kill('SIGKILL');
  await Promise.all(callers.map(({ over }) => over));
  await yard.close();
});

const at = (name: string) => join(yard.workDir, name);
const fileOf = (n = 0) => join(yard.directory, 'yard', 'steps', `17.1.${n}`);
const watch = (step: Step) => yard.effect({ type: 'watchStep', ...batch, step });
/** A process in state Z is dead. */
const isGone = (pid: number) => (processInfo(pid)?.state ?? 'Z') === 'Z';
const endBatch = () => writeFileSync(at('down'), '');

/** A process of the job itself, as the `srun` in a script is. */
function newRunner(): Caller {
  const caller = newCaller(yard, { TRAINYARD_YARD: yard.yardId, TRAINYARD_ATTEMPT: '17.1' });
  callers.push(caller);
  return caller;
}

function begin(each: string, changes: Partial<Step> = {}): Caller {
  const step = stepOf(changes);
  watch(step);
  const runner = newRunner();
  runner.run(runOf(yard.workDir, { each, step: step.n, holdsJob: false }));
  return runner;
}

const trapping = (n: number, code: number, ...signals: readonly string[]) => {
  const traps = signals.map((name) => `$SIG{${name}} = sub { open F, ">", "step${n}$_[0]"; exit ${code} };`);
  return `exec perl -e '${traps.join(' ')} open F, ">", "ready${n}"; close F; sleep 1 while 1'`;
};

test('a step has its part of the job, and its end is told with what it used', async () => {
  const placement = {
    nodes: [
      { node: 'box', ranks: 1, cpus: 1, cpuIds: [], memoryBytes: 0, devices: [{ index: 1, millis: 1000 }] },
    ],
  };
  const runner = begin('echo "$TRAINYARD_STEP $TRAINYARD_ATTEMPT $CUDA_VISIBLE_DEVICES"; exit 4', {
    n: 2,
    placement,
  });
  expect(await yard.reports.next('stepEnded')).toEqual({
    type: 'stepEnded',
    attempt: '17.1',
    step: 2,
    exit: { code: 4, signal: null, outOfMemory: false },
    usage: {
      userCpuMs: expect.any(Number),
      systemCpuMs: expect.any(Number),
      peakMemoryBytes: expect.any(Number),
      rankStatuses: [4],
    },
  });
  expect(await runner.over).toBe(4);
  expect(runner.stdout()).toBe('2 17.1 1\n');
  yard.engine.forgetStep('17.1', 2);
  expect(existsSync(fileOf(2))).toBe(false);
});

test('what a step leaves behind is ended', async () => {
  begin('setsid sleep 100 >/dev/null 2>&1 & echo $! >stray');
  await yard.reports.next('stepEnded');
  const stray = Number(readFileSync(at('stray'), 'utf8'));
  await expect.poll(() => isGone(stray), { interval: 10 }).toBe(true);
  expect(yard.log.join()).toContain('step 0 of attempt 17.1 left 1 processes behind');
});

describe('without a yard', () => {
  test('a step goes on, and its end is found', async () => {
    const runner = begin('while [ ! -e go ]; do sleep 0.01; done; exit 6');
    await yard.engine.close();
    writeFileSync(at('go'), '');
    expect(await runner.over).toBe(6);
    await yard.reopen();
    watch(stepOf());
    expect((await yard.reports.next('stepEnded')).exit.code).toBe(6);
  });

  test('or it is found running', async () => {
    begin('echo $$ >pid; while [ ! -e go ]; do sleep 0.01; done; exit 6');
    await yard.made('pid');
    await yard.reopen();
    watch(stepOf());
    watch(stepOf());
    writeFileSync(at('go'), '');
    expect((await yard.reports.next('stepEnded')).exit.code).toBe(6);
  });
});

describe('a runner that is killed', () => {
  const KILLED = { exit: { code: null, signal: 9, outOfMemory: false }, usage: null };

  test('takes its ranks along, and the job goes on', async () => {
    const runner = begin('setsid sleep 100 & echo $$ $! >pids; : >ready; wait');
    await yard.made('ready');
    runner.child.kill('SIGKILL');
    expect(await yard.reports.next('stepEnded')).toMatchObject(KILLED);
    const pids = readFileSync(at('pids'), 'utf8').trim().split(' ').map(Number);
    expect(pids.map(isGone)).toEqual([true, true]);
    endBatch();
    expect((await yard.reports.next('attemptEnded')).exit.code).toBe(0);
  });

  test('together with the yard', async () => {
    const runner = begin(': >ready; exec sleep 100');
    await yard.made('ready');
    await yard.engine.close();
    runner.child.kill('SIGKILL');
    await runner.over;
    await yard.reopen();
    watch(stepOf());
    expect(await yard.reports.next('stepEnded')).toMatchObject(KILLED);
  });

  test('one that never claims its step loses it', async () => {
    const impatient = await openYard({
      directory: join(yard.directory, 'yard'),
      yardId: yard.yardId,
      times: { ...TEST_TIMES, steps: { claimWithinMs: 50, graceMs: 100 } },
    });
    impatient.effect({ type: 'watchStep', ...batch, step: stepOf() });
    const run = runOf(yard.workDir, { each: 'touch ran', step: 0, holdsJob: false });
    const plan = impatient.engine.planRun(run);
    expect((await impatient.reports.next('stepEnded')).exit.signal).toBe(15);
    expect(() => impatient.engine.planRun(run)).toThrow('the step has ended');
    expect(readFileSync(plan.stepRecord as string, 'utf8')).toBe('revoked\n');
    await impatient.close();
  });
});

describe('stopping a step', () => {
  const stopStep = (step: Step) => yard.effect({ type: 'stopStep', ...batch, step });

  test('its processes are asked, its runner is not, and says why', async () => {
    const runner = begin(trapping(0, 5, 'TERM'));
    const other = begin(trapping(1, 6, 'TERM'), { n: 1 });
    await yard.made('ready0');
    await yard.made('ready1');
    stopStep(stepOf());
    stopStep(stepOf());
    expect((await yard.reports.next('stepEnded')).exit.code).toBe(5);
    expect(await runner.over).toBe(5);
    expect(runner.stderr()).toBe(
      'srun: Job step aborted: Waiting up to 4 seconds for job step to finish.\nwords 0 cancelled\nsrun: error: box: task 0: Exited with exit code 5\n',
    );
    expect(isAlive(other.identity)).toBe(true);
    expect(existsSync(at('step1TERM'))).toBe(false);
  });

  test('and killed when they do not listen', async () => {
    const runner = begin(`trap "" TERM; : >ready; while :; do sleep 0.01; done`);
    await yard.made('ready');
    stopStep(stepOf());
    expect((await yard.reports.next('stepEnded')).exit.signal).toBe(9);
    expect(await runner.over).toBe(137);
  });

  test('before it began', async () => {
    watch(stepOf());
    stopStep(stepOf());
    expect((await yard.reports.next('stepEnded')).exit.signal).toBe(15);
  });

  test('by another agent', async () => {
    begin(trapping(0, 5, 'TERM'));
    await yard.made('ready0');
    await yard.reopen();
    stopStep(stepOf());
    expect((await yard.reports.next('stepEnded')).exit.code).toBe(5);
  });
});

describe('signals', () => {
  const send = async (signal: number, scope: 'all' | 'steps' | { step: number }) => {
    yard.effect({ type: 'signal', ...batch, n: 1, signal, scope });
    await yard.reports.next('signalSent');
  };

  beforeEach(async () => {
    for (const n of [0, 1]) begin(trapping(n, 7, 'USR1', 'USR2'), { n });
    await yard.made('ready0');
    await yard.made('ready1');
  });

  test('to one step', async () => {
    await send(10, { step: 1 });
    await yard.made('step1USR1');
    expect(existsSync(at('step0USR1'))).toBe(false);
    expect(existsSync(at('batchUSR1'))).toBe(false);
  });

  test('to all steps, and not to the script', async () => {
    await send(12, 'steps');
    await Promise.all([yard.made('step0USR2'), yard.made('step1USR2')]);
    expect(existsSync(at('batchUSR2'))).toBe(false);
  });

  test('to everything, but never to those who run steps', async () => {
    await send(10, 'all');
    await Promise.all([yard.made('step0USR1'), yard.made('step1USR1'), yard.made('batchUSR1')]);
    const codes = await Promise.all(callers.map(({ over }) => over));
    expect(codes).toEqual([7, 7]);
  });
});

describe('the end of the job', () => {
  test('takes its steps along', async () => {
    const runner = begin('echo $$ >pid; : >ready; sleep 100');
    await yard.made('ready');
    const rank = identityOf(Number(readFileSync(at('pid'), 'utf8')))!;
    endBatch();
    expect((await yard.reports.next('attemptEnded')).exit.code).toBe(0);
    expect(isAlive(rank)).toBe(false);
    await runner.over;
    yard.engine.forget('17.1');
    expect(existsSync(fileOf())).toBe(false);
  });

  test('when it is stopped: each is told, and the ranks may end as they like', async () => {
    const runner = begin(trapping(0, 5, 'TERM'));
    await yard.made('ready0');
    const stop = { cause: 'timeLimit', by: null, requestedAt: 0, killAt: 0, step: 'term' } as const;
    yard.effect({ type: 'stop', job: batch.job, attempt: { ...batch.attempt, stop }, step: 'term' });
    await yard.made('step0TERM');
    expect(await runner.over).toBe(5);
    expect(runner.stderr()).toContain('words 0 timeLimit\n');
    expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(15);
  });

  test('a step that has ended by then is told first', async () => {
    const runner = begin('exit 3');
    await runner.over;
    endBatch();
    await yard.reports.next('attemptEnded');
    const types = yard.reports.seen.map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['stepEnded', 'attemptEnded']);
  });
});
