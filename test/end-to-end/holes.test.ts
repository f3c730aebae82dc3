/**
 * What goes wrong with training jobs whose scripts copy checkpoints, pass signals on and ask for another run by hand:
 * one test for each such hole, which shows on a real yard that with a `#YARD` line it is closed.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childrenOf, commandLine, processInfo } from '../../src/platform/processes.ts';
import { until } from './shell-yard.ts';
import { KEEPS, type TrainingYard, trainingYard } from './training-yard.ts';

const PATIENCE_MS = 150_000;

let yard: TrainingYard;
beforeAll(async () => {
  yard = await trainingYard();
}, PATIENCE_MS);
afterAll(() => yard.close(), PATIENCE_MS);

interface WayOut {
  readonly options: string;
  /** What happens when it has saved twice. */
  readonly leave: (name: string, job: string) => unknown;
}

const WAYS_OUT: Readonly<Record<string, WayOut>> = {
  cancelled: { options: '', leave: (_, job) => yard.good(`scancel ${job}`) },
  'out-of-time': { options: '-p short', leave: () => {} },
  crashed: { options: '', leave: (name) => yard.tell(name, 'crash') },
  killed: { options: '', leave: (name) => process.kill(yard.trainerOf(name), 'SIGKILL') },
  preempted: {
    options: '--gres=gpu:1',
    leave: () => yard.batch('urgent', '-p urgent --gres=gpu:1', 'true'),
  },
};

/** Runs the script once for each way out, and gives the jobs by their names; the one that made room runs again. */
async function throughEachWayOut(kind: string, ...lines: string[]): Promise<Map<string, string>> {
  const jobs = new Map<string, string>();
  for (const [way, { options }] of Object.entries(WAYS_OUT))
    jobs.set(`${kind}-${way}`, await yard.batch(`${kind}-${way}`, options, ...lines));
  for (const [way, { leave }] of Object.entries(WAYS_OUT)) {
    const name = `${kind}-${way}`;
    await yard.saying(name, 'saved 2');
    await leave(name, jobs.get(name) as string);
  }
  const preempted = `${kind}-preempted`;
  await until(
    () => yard.said(preempted, 'begins after').length === 2,
    () => `${preempted} to run again`,
  );
  yard.tell(preempted, 'end');
  return jobs;
}

/** In one word each. */
async function outcomesOf(jobs: Iterable<readonly [string, string]>): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const [name, job] of jobs) outcomes[name] = (await yard.ended(job)).split(' ')[0] as string;
  return outcomes;
}

describe('a hole of scripts written by hand', { timeout: PATIENCE_MS }, () => {
  test('a half-written file is copied to persistent storage: only whole ones are', async () => {
    yard.program(
      'slow.py',
      'save(1)',
      'with open(f"{directory}/step-2.ckpt", "wb", buffering=0) as file:',
      '    for block in range(10_000):',
      '        file.write(os.urandom(20_000))',
      '        if block == 100: say("writes")',
      '        time.sleep(0.01)',
    );
    const jobs = new Map<string, string>();
    for (const name of ['half-killed', 'half-cancelled'])
      jobs.set(name, await yard.batch(name, '', KEEPS, 'python3 slow.py'));
    const states = async (job: string) =>
      (await yard.checkpoints(job)).map(({ name, state }) => `${name} ${state}`).toSorted();
    for (const [name, job] of jobs) {
      await yard.saying(name, 'writes');
      await until(
        () => yard.kept(name).includes('step-1.ckpt'),
        () => `a whole checkpoint of ${name}`,
      );
      expect(yard.kept(name)).toEqual(['step-1.ckpt']);
      expect(await states(job)).toContain('step-2.ckpt growing');
    }
    process.kill(yard.trainerOf('half-killed'), 'SIGKILL');
    await yard.good(`scancel ${jobs.get('half-cancelled')}`);
    expect(await outcomesOf(jobs)).toEqual({ 'half-killed': 'FAILED', 'half-cancelled': 'CANCELLED' });
    for (const [name, job] of jobs) {
      expect(yard.kept(name)).toEqual(['step-1.ckpt']);
      expect(await states(job)).toEqual(['step-1.ckpt kept', 'step-2.ckpt unproven']);
      const half = (await yard.checkpoints(job)).find(({ state }) => state === 'unproven')?.path as string;
      expect(half).toContain(join(yard.workDir, 'kept', name, '.trainyard', 'unproven'));
      expect(readFileSync(half).length).toBeGreaterThanOrEqual(100 * 20_000);
    }
  });

  test('the final copy is skipped when a run is cancelled, out of time, crashes, is killed or makes room: it is made', async () => {
    const jobs = await throughEachWayOut('last', KEEPS, 'python3 train.py');
    expect(await outcomesOf(jobs)).toEqual({
      'last-cancelled': 'CANCELLED',
      'last-out-of-time': 'TIMEOUT',
      'last-crashed': 'FAILED',
      'last-killed': 'FAILED',
      'last-preempted': 'COMPLETED',
    });
    for (const name of jobs.keys()) {
      const newest = Math.max(...yard.kept(name).map((each) => Number(/\d+/.exec(each))));
      // Whoever is killed may have saved one more than it could say.
      const saved = Math.max(...yard.said(name, 'saved'));
      expect([saved, saved + 1], `${name}: ${yard.kept(name)}`).toContain(newest);
      const text = readFileSync(join(yard.workDir, 'kept', name, `step-${newest}.ckpt`), 'utf8');
      expect(JSON.parse(text)).toEqual({ step: newest });
    }
    // The second run went on from the last that the first one had saved: no step was taken twice.
    const [, again = 0] = yard.said('last-preempted', 'begins after');
    const steps = yard.said('last-preempted', 'saved');
    expect(again).toBeGreaterThanOrEqual(2);
    expect(steps).toEqual([...new Set(steps)]);
  });

  test('the script says 0 though its training failed: it ends as its trainer does', async () => {
    yard.program('fails.py', 'if directory: save(1)', 'sys.exit(7)');
    const byHand = await yard.batch(
      'by-hand',
      '',
      'mkdir -p by-hand-local by-hand-kept',
      'python3 fails.py &',
      'wait $!',
      'cp -r by-hand-local/. by-hand-kept',
    );
    const withLine = await yard.batch('with-line', '', KEEPS, 'python3 fails.py');
    await yard.ended(byHand);
    await yard.ended(withLine);
    expect(await yard.account(byHand)).toBe('COMPLETED|0:0');
    expect(await yard.account(withLine)).toBe('FAILED|7:0');
    expect(yard.kept('with-line')).toEqual(['step-1.ckpt']);
  });

  test('the node is held after its training, by copies or by a loop that sleeps: it is free for the next job', async () => {
    yard.program('gpu.py', 'until_told("go")', 'save(7)');
    const loop = '(while true; do cp -r "$TRAINYARD_CHECKPOINTS" looped; sleep 600; done) &';
    const first = await yard.batch('first', '--gres=gpu:1', KEEPS, loop, 'python3 gpu.py');
    await yard.saying('first', 'begins after 0');
    const next = await yard.batch('next', '--gres=gpu:1', 'echo has GPU $CUDA_VISIBLE_DEVICES');
    expect(await yard.stateInQueue(next)).toBe('PD');

    // To those who wait for copies, storage that hangs and a keeper that stands still are the same.
    const keeper = childrenOf(await yard.daemonPid()).find((pid) =>
      commandLine(pid).some((word) => word.endsWith('/keeper.js')),
    ) as number;
    process.kill(keeper, 'SIGSTOP');
    try {
      yard.tell('first', 'go');
      await yard.saying('next', 'has GPU 0');
      expect(await yard.ended(next)).toBe('COMPLETED');
      expect(await yard.stateInQueue(first)).toBe('CG');
      expect(yard.kept('first')).toEqual([]);
    } finally {
      process.kill(keeper, 'SIGCONT');
    }
    expect(await yard.ended(first)).toBe('COMPLETED');
    expect(yard.kept('first')).toEqual(['step-7.ckpt']);
  });

  test('an epoch is longer than the slice, and never advances: the job is held, says so, and goes on with more time', async () => {
    yard.program('epoch.py', 'time.sleep(1.5)', 'save(step + 1)');
    const job = await yard.batch('epoch', '-p quick', `${KEEPS} chain`, 'python3 epoch.py');
    let why = '';
    await until(
      async () => {
        why = await yard.good(`trainyard why ${job}`);
        return why.includes('held');
      },
      () => `job ${job} to be held: ${why}`,
    );
    expect(why).toContain('2 runs in a row ended without a new checkpoint; each had 1s');
    expect(why).toContain('give it more time, or save more often, then release it');
    await yard.good(`scontrol update JobId=${job} TimeLimit=1 && scontrol release ${job}`);
    expect(await yard.ended(job)).toBe('COMPLETED');
    expect(yard.kept('epoch')).toEqual(['step-1.ckpt']);
  });

  test('finished and killed are the same status: each way to end has its own', async () => {
    yard.program(
      'polite.py',
      'def end(*_): save(step + 1); sys.exit(0)',
      'signal.signal(signal.SIGTERM, end)',
      'if resumed: sys.exit(0)',
      'say("trains")',
      'while True: time.sleep(0.01)',
    );
    yard.program('big.py', 'big = bytearray(os.urandom(1 << 20)) * 400', 'until_told("end")');
    const polite = 'exec python3 polite.py';
    const jobs = {
      finished: await yard.batch('finished', '', KEEPS, 'true'),
      chained: await yard.batch('chained', '-p short', `${KEEPS} chain`, polite),
      limited: await yard.batch('limited', '-p quick', KEEPS, polite),
      cancelled: await yard.batch('cancelled', '', KEEPS, polite),
      preempted: await yard.batch('preempted', '-p away --gres=gpu:1', KEEPS, polite),
      memory: await yard.batch('memory', '--mem=100M', KEEPS, 'exec python3 big.py'),
      lost: await yard.batch('lost', '--no-requeue', KEEPS, polite),
    };
    for (const name of ['cancelled', 'preempted', 'lost']) await yard.saying(name, 'trains');
    await yard.good(`scancel ${jobs.cancelled}`);
    await yard.batch('more-urgent', '-p urgent --gres=gpu:1', 'true');
    // With whoever would tell how it ended, as when a machine goes down.
    const trainer = yard.trainerOf('lost');
    process.kill(processInfo(trainer)?.ppid as number, 'SIGKILL');
    process.kill(trainer, 'SIGKILL');
    expect(await outcomesOf(Object.entries(jobs))).toEqual({
      finished: 'COMPLETED',
      chained: 'COMPLETED',
      limited: 'TIMEOUT',
      cancelled: 'CANCELLED',
      preempted: 'PREEMPTED',
      memory: 'OUT_OF_MEMORY',
      lost: 'NODE_FAIL',
    });
    expect(yard.said('chained', 'begins after')).toEqual([0, 1]);
  });

  test.each(['B:USR1', 'USR1'])(
    'a signal reaches the shell but not the trainer: it does, and the script passes its status on (%s)',
    async (signal) => {
      yard.program(
        'warned.py',
        'def warned(*_): save(4); sys.exit(5)',
        'signal.signal(signal.SIGUSR1, warned)',
        'say("trains")',
        'while True: time.sleep(0.01)',
      );
      const name = `warned-${signal.replace(':', '-')}`;
      const job = await yard.batch(
        name,
        `-t 10 --signal=${signal}@60`,
        KEEPS,
        'python3 warned.py',
        'status=$?',
        'echo passes on $status',
        'exit $status',
      );
      await yard.saying(name, 'trains');
      // Its last minute begins at once.
      await yard.good(`scontrol update JobId=${job} TimeLimit=1`);
      await yard.ended(job);
      expect(yard.said(name, 'passes on')).toEqual([5]);
      expect(await yard.account(job)).toBe('FAILED|5:0');
      expect(yard.kept(name)).toEqual(['step-4.ckpt']);
    },
  );

  test('files are left behind on the node: nothing is, whatever way a run ends', async () => {
    const litters = [
      'mkdir -p "$SCRATCH/data/deep"; echo samples >"$SCRATCH/data/deep/shard"; ln -s / "$SCRATCH/root"',
      '(while true; do date >>"$SCRATCH/log"; sleep 0.05; done) &',
      'chmod 0 "$SCRATCH/data"',
    ];
    const script = [KEEPS, ...litters, 'python3 train.py'];
    const jobs = await throughEachWayOut('litter', ...script);
    for (const job of jobs.values()) await yard.ended(job);
    // What nobody saw end is cleared away by the next daemon.
    const unseen = await yard.batch('litter-unseen', '', ...script);
    await yard.saying('litter-unseen', 'saved 2');
    const daemon = await yard.daemonPid();
    process.kill(daemon, 'SIGSTOP');
    process.kill(yard.trainerOf('litter-unseen'), 'SIGKILL');
    process.kill(daemon, 'SIGKILL');
    expect(await yard.ended(unseen)).toBe('FAILED');
    expect(readdirSync(yard.local, { recursive: true })).toEqual([]);
  });

  test('two jobs of one name write to one place: the second waits, and goes on from the first', async () => {
    yard.program('shared.py', 'save(step + 5)', 'until_told("end")');
    const first = await yard.batch('shared', '', KEEPS, 'python3 shared.py');
    await yard.saying('shared', 'saved 5');
    const second = await yard.batch('shared', '', KEEPS, 'python3 shared.py');
    const why = await yard.good(`trainyard why ${second}`);
    expect(why).toContain(`job ${first}`);
    expect(why).toContain(join(yard.workDir, 'kept', 'shared'));
    expect(await yard.stateInQueue(second)).toBe('PD');
    expect(yard.said('shared', 'begins after')).toEqual([0]);
    yard.tell('shared', 'end');
    expect(await yard.ended(first)).toBe('COMPLETED');
    expect(await yard.ended(second)).toBe('COMPLETED');
    expect(yard.said('shared', 'begins after')).toEqual([0, 5]);
    expect(yard.kept('shared').toSorted()).toEqual(['step-10.ckpt', 'step-5.ckpt']);
  });
});
