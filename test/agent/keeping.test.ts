import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Attempt } from '../../src/model/job.ts';
import { type Keeping, NOTHING_KEPT } from '../../src/model/keeping.ts';
import { Fault } from '../../src/model/refusal.ts';
import { freeBytesIn } from '../../src/platform/local-disks.ts';
import { identityOf, isAlive, sendSignal } from '../../src/platform/processes.ts';
import type { Flushed, Prepared } from '../../src/storage/keeper.ts';
import { ownIn, SPOKEN_OF } from './builders.ts';
import {
  A_CHECKPOINT,
  ALL_SAFE,
  createFakeKeeper,
  type FakeKeeper,
  gate,
  NOTHING_PREPARED,
} from './fake-keeper.ts';
import { openYard, TEST_TIMES, type TestYard } from './yard.ts';

let yard: TestYard;
let keeper: FakeKeeper;
afterEach(() => yard.close());

/** Scratch is on the disk of the yard's directory. */
async function open() {
  keeper = createFakeKeeper();
  yard = await openYard((directory) => ({
    keeping: {
      keeper: (events) => keeper.create(events),
      scratch: { disks: [{ directory, kind: 'ssd' }], ownIn: (parent) => ownIn(parent, 'own') },
      againExitCodes: [3],
    },
    voices: {
      voice: () => null,
      surroundings: SPOKEN_OF,
      temporary: ownIn(directory, 'temporary'),
    },
    times: { ...TEST_TIMES, sweepAfterMs: 50, retryEveryMs: 100_000 },
  }));
}

const KEPT: Keeping = { ...NOTHING_KEPT, checkpoints: '$SCRATCH/checkpoints', persist: '/lasting/%j' };
const keeping = (changes: Partial<Keeping> = {}) => ({ spec: { keeping: { ...KEPT, ...changes } } });
const WAITS = 'echo $$ >pid; mv pid ready; while [ ! -e go ]; do sleep 0.01; done; exit 0';
const scratchOf = (attempt: string) => join(yard.directory, 'own', 'scratch', attempt);
const noteOf = (attempt: string) => join(yard.directory, 'yard', 'keeping', `${attempt}.json`);
const letGo = () => writeFileSync(join(yard.workDir, 'go'), '');
const told = (attempt = '17.1') =>
  yard.reports.seen.flatMap((one) => ('attempt' in one && one.attempt === attempt ? [one.type] : []));

function nothingIsLeft(attempt = '17.1') {
  expect(existsSync(scratchOf(attempt))).toBe(false);
  expect(existsSync(noteOf(attempt))).toBe(false);
}

/** As the yard would have it by now. */
const asOfNow = (made: ReturnType<TestYard['build']>, changes: Partial<Attempt>) => ({
  ...made,
  attempt: { ...made.attempt, ...changes },
});

test('it learns where to write, runs, and its end is told when all is safe', async () => {
  await open();
  const flushed = gate<Flushed>();
  keeper.flush = () => flushed.opens;
  yard.start({ script: 'env; mkdir $TRAINYARD_CHECKPOINTS; cd "$SCRATCH"; pwd', ...keeping() });
  const syncing = await yard.reports.next('attemptSyncing');
  expect(syncing).toMatchObject({ exit: { code: 0 }, fault: null, usage: { userCpuMs: expect.any(Number) } });
  expect((await keeper.next('flush')).ending).toMatchObject({ isOrderly: true, limitMs: 600_000 });
  expect(existsSync(scratchOf('17.1'))).toBe(true);
  expect(told()).not.toContain('attemptEnded');
  flushed.open({ trouble: null, checkpoint: A_CHECKPOINT });
  const { exit } = await yard.reports.next('attemptEnded');
  expect(exit).toEqual(syncing.exit);
  expect(told()).toEqual([
    'attemptRunning',
    'attemptSyncing',
    'checkpointKept',
    'checkpointTrouble',
    'attemptEnded',
  ]);
  expect(keeper.story()).toEqual(['prepare', 'watch', 'flush']);
  const lines = yard.output().split('\n');
  expect(lines).toContain(`SCRATCH=${scratchOf('17.1')}`);
  expect(lines).toContain(`TRAINYARD_CHECKPOINTS=${scratchOf('17.1')}/checkpoints`);
  expect(lines).toContain('TRAINYARD_PERSIST=/lasting/17');
  expect(lines).toContain(scratchOf('17.1'));
  expect(lines.some((line) => line.startsWith('TRAINYARD_RESUME_FROM'))).toBe(false);
  nothingIsLeft();
});

test('a job that keeps nothing goes no such way', async () => {
  await open();
  await yard.run({ argv: ['true'] });
  expect(told()).toEqual(['attemptRunning', 'attemptEnded']);
  expect(keeper.story()).toEqual([]);
  expect(readdirSync(join(yard.directory, 'yard', 'keeping'))).toEqual([]);
  expect(existsSync(join(yard.directory, 'own'))).toBe(false);
});

test('scratch alone needs nobody to copy, and goes', async () => {
  await open();
  const { exit } = await yard.run({
    script:
      'mkdir -p "$SCRATCH/a/b"; touch "$SCRATCH/a/b/c"; chmod 500 "$SCRATCH/a/b"; env | grep CHECKPOINTS || echo none',
    ...keeping({ checkpoints: null, persist: null, scratch: { maxBytes: null } }),
  });
  expect(exit.code).toBe(0);
  expect(yard.output()).toBe('none\n');
  expect(told()).not.toContain('attemptSyncing');
  expect(keeper.story()).toEqual(['letGo']);
  nothingIsLeft();
  expect(existsSync(join(yard.directory, 'own'))).toBe(false);
});

test('what the keeper says while it runs is passed on', async () => {
  await open();
  yard.start({ script: WAITS, ...keeping({ scratch: { maxBytes: 1000 } }) });
  await yard.made('ready');
  expect((await keeper.next('watch')).order).toMatchObject({
    attempt: '17.1',
    owner: { yardId: yard.yardId, job: 17 },
    from: `${scratchOf('17.1')}/checkpoints`,
    to: '/lasting/17',
    scratch: { directory: scratchOf('17.1'), maxBytes: 1000 },
  });
  keeper.events?.kept('17.1', A_CHECKPOINT);
  keeper.events?.trouble('17.1', 'the disk is full');
  keeper.events?.overScratch('17.1', 2000);
  expect(yard.reports.seen).toEqual(
    expect.arrayContaining([
      { type: 'checkpointKept', attempt: '17.1', checkpoint: A_CHECKPOINT },
      { type: 'checkpointTrouble', attempt: '17.1', trouble: 'the disk is full' },
      { type: 'overScratch', attempt: '17.1', usedBytes: 2000 },
    ]),
  );
  letGo();
  await yard.reports.next('attemptEnded');
});

test('it is told what to go on from, and what was wrong with what it might have gone on from', async () => {
  await open();
  keeper.prepare = async () => ({
    resumeFrom: '/there/step-3.pt',
    checkpoint: A_CHECKPOINT,
    remarks: ['step-4.pt was damaged'],
  });
  writeFileSync(join(yard.workDir, 'out'), 'of the run before\n');
  await yard.run({ n: 2, script: 'echo "from $TRAINYARD_RESUME_FROM"', ...keeping() });
  expect(yard.output()).toBe('of the run before\ntrainyard: step-4.pt was damaged\nfrom /there/step-3.pt\n');
  expect(yard.log.join()).toContain('attempt 17.2: step-4.pt was damaged');
});

test('a first run, whose output is emptied or not there yet, is told as well', async () => {
  await open();
  keeper.prepare = async () => ({
    resumeFrom: null,
    checkpoint: null,
    remarks: ['step-4.pt was damaged', 'so'],
  });
  writeFileSync(join(yard.workDir, 'out'), 'of another job\n');
  const said = 'trainyard: step-4.pt was damaged\ntrainyard: so\nhello\n';
  await yard.run({ id: 1, script: 'echo hello', ...keeping() });
  expect(yard.output()).toBe(said);
  rmSync(join(yard.workDir, 'out'));
  await yard.run({ id: 2, script: 'echo hello', ...keeping() });
  expect(yard.output()).toBe(said);
  expect(statSync(join(yard.workDir, 'out')).mode & 0o777).toBe(0o644);
});

test('whoever fails, is asked to end or is killed has not finished what it wrote', async () => {
  await open();
  await yard.run({ id: 1, script: 'exit 1', ...keeping() });
  await yard.run({ id: 2, script: 'exit 3', ...keeping() });
  const made = yard.start({ id: 3, script: `trap 'exit 0' TERM; ${WAITS}`, ...keeping() });
  await yard.made('ready');
  yard.effect({ type: 'stop', ...made, step: 'term' });
  await yard.reports.next('attemptEnded', '3.1');
  const killed = yard.start({
    id: 4,
    script: 'trap "" TERM; : >also; while :; do sleep 0.01; done',
    ...keeping(),
  });
  await yard.made('also');
  yard.effect({ type: 'stop', ...killed, step: 'kill' });
  await yard.reports.next('attemptEnded', '4.1');
  const orderly = keeper.asked.flatMap((one) =>
    one.what === 'flush' ? [[one.order.attempt, one.ending.isOrderly]] : [],
  );
  expect(orderly).toEqual([
    ['1.1', false],
    ['2.1', true],
    ['3.1', true],
    ['4.1', false],
  ]);
  for (const attempt of ['1.1', '2.1', '3.1', '4.1']) nothingIsLeft(attempt);
});

test('one that is lost is made safe too, before that is told', async () => {
  await open();
  yard.start({ script: WAITS, ...keeping() });
  await yard.made('ready');
  const claim = readFileSync(join(yard.directory, 'yard', 'ranks', '17.1.0'), 'utf8');
  sendSignal(Number.parseInt(claim, 10), 9);
  await yard.reports.next('attemptLost');
  expect(told()).toEqual(['attemptRunning', 'attemptSyncing', 'checkpointTrouble', 'attemptLost']);
  expect(yard.reports.seen.find(({ type }) => type === 'attemptSyncing')).toMatchObject({
    exit: { code: null, signal: null },
  });
  expect((await keeper.next('flush')).ending.isOrderly).toBe(false);
  nothingIsLeft();
});

test('nobody writes to it any more when it is made safe', async () => {
  await open();
  let left = true;
  yard.start({
    script: `setsid sh -c 'echo $$ >stray; mv stray there; exec sleep 60' & while [ ! -e there ]; do sleep 0.01; done`,
    ...keeping(),
  });
  await yard.made('there');
  const stray = identityOf(Number(yard.output('there')))!;
  keeper.flush = async () => {
    left = isAlive(stray);
    return ALL_SAFE;
  };
  await yard.reports.next('attemptEnded');
  expect(left).toBe(false);
  // It was made to end, and may have been in the middle of something, whatever its script says.
  expect((await keeper.next('flush')).ending.isOrderly).toBe(false);
});

test('what cannot be made safe stays, and is tried again until it is', async () => {
  await open();
  keeper.flush = async () => ({ trouble: 'the disk is full', checkpoint: null });
  const made = yard.start({
    script: 'mkdir "$TRAINYARD_CHECKPOINTS"; : >"$TRAINYARD_CHECKPOINTS/step-3.pt"',
    ...keeping(),
  });
  await yard.reports.next('attemptEnded');
  expect(yard.reports.seen).toContainEqual({
    type: 'checkpointTrouble',
    attempt: '17.1',
    trouble: 'the disk is full',
  });
  expect(existsSync(join(scratchOf('17.1'), 'checkpoints', 'step-3.pt'))).toBe(true);
  expect(yard.engine.remarks()).toContain('what attempt 17.1 left is not safe: the disk is full');
  // The next daemon does not know the attempt any more, and tries again by itself.
  keeper.flush = async () => ({ trouble: 'the disk is still full', checkpoint: null });
  yard.onRecord.add('17.1');
  await yard.reopen();
  expect((await yard.reports.next('checkpointTrouble')).trouble).toBe('the disk is still full');
  expect(existsSync(join(scratchOf('17.1'), 'checkpoints', 'step-3.pt'))).toBe(true);
  const troubled = { ...made.attempt, trouble: 'the disk is still full' };
  expect(await yard.engine.checkpoints(made.job, troubled, { what: 'list' })).toMatchObject({
    from: `${scratchOf('17.1')}/checkpoints`,
    trouble: 'the disk is still full',
  });
  // So does whoever asks.
  keeper.flush = async () => ALL_SAFE;
  keeper.answer = async ({ from, to }) => ({ from, to, checkpoints: [], done: [], trouble: null });
  const answer = await yard.engine.checkpoints(made.job, made.attempt, { what: 'flush' });
  expect(answer).toMatchObject({ from: null, to: '/lasting/17', trouble: null });
  expect(yard.reports.seen.at(-1)).toEqual({ type: 'checkpointTrouble', attempt: '17.1', trouble: null });
  expect(keeper.asked.findLast(({ what }) => what === 'flush')).toMatchObject({
    ending: { isOrderly: true },
  });
  nothingIsLeft();
  expect(yard.engine.remarks().join()).not.toContain('not safe');
});

test('the next run does not begin without what the last one left', async () => {
  await open();
  keeper.flush = async () => ({ trouble: 'the disk is full', checkpoint: null });
  await yard.run({ script: 'true', ...keeping() });
  const { fault } = await yard.run({ n: 2, script: 'touch ran', ...keeping() });
  expect(fault).toBe('what its run 17.1 left must be safe first: the disk is full');
  expect(existsSync(join(yard.workDir, 'ran'))).toBe(false);
  keeper.flush = async () => ALL_SAFE;
  await yard.run({ n: 3, script: 'touch ran', ...keeping() });
  expect(existsSync(join(yard.workDir, 'ran'))).toBe(true);
  for (const attempt of ['17.1', '17.2', '17.3']) nothingIsLeft(attempt);
});

test('where the next run writes to the same place, it does begin', async () => {
  await open();
  const elsewhere = keeping({ checkpoints: join(yard.directory, 'local'), scratch: { maxBytes: null } });
  keeper.flush = async () => ({ trouble: 'the disk is full', checkpoint: null });
  await yard.run({ script: 'true', ...elsewhere });
  expect(existsSync(noteOf('17.1'))).toBe(true);
  expect(existsSync(scratchOf('17.1'))).toBe(false);
  const { exit } = await yard.run({ n: 2, script: 'true', ...elsewhere });
  expect(exit.code).toBe(0);
  expect(existsSync(noteOf('17.1'))).toBe(false);
  expect(existsSync(noteOf('17.2'))).toBe(true);
});

test('an agent that takes it over goes on looking after it', async () => {
  await open();
  const made = yard.start({ script: `: >"$SCRATCH/mine"; ${WAITS}`, ...keeping() });
  await yard.made('ready');
  await yard.reopen();
  keeper.asked.length = 0;
  yard.perform('watch', made);
  expect((await keeper.next('watch')).order.from).toBe(`${scratchOf('17.1')}/checkpoints`);
  await yard.reports.next('attemptRunning');
  expect(readdirSync(scratchOf('17.1'))).toEqual(['mine']);
  letGo();
  await yard.reports.next('attemptEnded');
  expect(keeper.story()).toEqual(['watch', 'flush']);
  nothingIsLeft();
});

test('an agent that finds it over makes it safe', async () => {
  await open();
  const made = yard.start({ script: WAITS, ...keeping() });
  await yard.made('ready');
  const job = identityOf(Number(yard.output('ready')))!;
  await yard.engine.close();
  letGo();
  await expect.poll(() => isAlive(job), { interval: 10, timeout: 10_000 }).toBe(false);
  await yard.reopen();
  yard.perform('watch', made);
  await yard.reports.next('attemptEnded');
  expect(told()).toContain('attemptSyncing');
  expect(keeper.story()).toContain('flush');
  nothingIsLeft();
});

test('an agent that dies while it is made safe is followed by one that does it again', async () => {
  await open();
  keeper.flush = () => new Promise(() => {});
  const made = yard.start({ script: 'exit 3', ...keeping() });
  const { exit, usage, fault } = await yard.reports.next('attemptSyncing');
  await yard.reopen();
  keeper.flush = async () => ALL_SAFE;
  keeper.asked.length = 0;
  yard.perform('watch', asOfNow(made, { phase: 'syncing', startedAt: 1, exit, usage, fault }));
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(3);
  expect((await keeper.next('flush')).ending.isOrderly).toBe(true);
  nothingIsLeft();
});

test('and if it was lost, that is not forgotten', async () => {
  await open();
  keeper.flush = () => new Promise(() => {});
  const made = yard.start({ script: WAITS, ...keeping() });
  await yard.made('ready');
  sendSignal(Number.parseInt(readFileSync(join(yard.directory, 'yard', 'ranks', '17.1.0'), 'utf8'), 10), 9);
  const { exit } = await yard.reports.next('attemptSyncing');
  await yard.reopen();
  keeper.flush = async () => ALL_SAFE;
  yard.perform('watch', asOfNow(made, { phase: 'syncing', startedAt: 1, exit, usage: null, fault: null }));
  expect((await yard.reports.next('attemptLost')).reason).toBe(
    'its shim ended without leaving an exit status',
  );
  nothingIsLeft();
});

test('one that is stopped while it is made ready never starts, and leaves nothing', async () => {
  await open();
  const prepared = gate<Prepared>();
  keeper.prepare = () => prepared.opens;
  const made = yard.start({ script: 'touch ran', ...keeping() });
  await keeper.next('prepare');
  expect(existsSync(scratchOf('17.1'))).toBe(true);
  yard.effect({ type: 'stop', ...made, step: 'term' });
  // Its place is free, but what is being copied there is not removed from under whoever copies.
  await yard.reports.next('attemptSyncing');
  expect(existsSync(scratchOf('17.1'))).toBe(true);
  prepared.open(NOTHING_PREPARED);
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(15);
  expect(told()).toEqual(['attemptSyncing', 'attemptEnded']);
  expect(existsSync(join(yard.workDir, 'ran'))).toBe(false);
  expect(keeper.story()).not.toContain('flush');
  nothingIsLeft();
});

test('one that an agent died over is made ready again by the next', async () => {
  await open();
  keeper.prepare = () => new Promise(() => {});
  const made = yard.start({ script: 'echo ran >>runs', ...keeping() });
  await keeper.next('prepare');
  await yard.reopen();
  keeper.prepare = async () => NOTHING_PREPARED;
  yard.perform('start', made);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(0);
  expect(yard.output('runs')).toBe('ran\n');
  nothingIsLeft();
});

test('what cannot be made ready is a fault, and leaves nothing', async () => {
  await open();
  keeper.prepare = async () => {
    throw new Fault('/lasting/17 belongs to job 12 of another yard', false);
  };
  const { fault } = await yard.run({ script: 'touch ran', ...keeping() });
  expect(fault).toBe('/lasting/17 belongs to job 12 of another yard');
  expect(told()).toEqual(['attemptEnded']);
  expect(existsSync(join(yard.workDir, 'ran'))).toBe(false);
  nothingIsLeft();
});

test('nobody starts where there is no room for what it may write, others counted', async () => {
  await open();
  const huge = 2 ** 60;
  const { fault } = await yard.run({
    id: 1,
    script: 'touch ran',
    ...keeping({ scratch: { maxBytes: huge } }),
  });
  expect(fault).toMatch(
    /^there is no room for its scratch directory: it asks for 1024P, and .* are free in /,
  );
  expect(existsSync(join(yard.workDir, 'ran'))).toBe(false);
  expect(keeper.story()).toEqual([]);
  nothingIsLeft('1.1');
});

test('two that start at once do not get the same room', async () => {
  await open();
  const maxBytes = Math.floor((await freeBytesIn(yard.directory)) * 0.7);
  const one = yard.start({ id: 1, script: WAITS, ...keeping({ scratch: { maxBytes } }) });
  const other = yard.start({ id: 2, script: WAITS, ...keeping({ scratch: { maxBytes } }) });
  const ended = await yard.reports.next('attemptEnded');
  expect(ended.fault).toContain('are promised to other jobs');
  expect([one, other].map(({ attempt }) => attempt.id)).toContain(ended.attempt);
  letGo();
  const winner = ended.attempt === '1.1' ? '2.1' : '1.1';
  expect((await yard.reports.next('attemptEnded', winner)).exit.code).toBe(0);
});

test('how far its program has come is told while it runs and at the end', async () => {
  await open();
  const said = '{"step": 30, "steps": 100, "loss": 0.5, "at": 1700000000}';
  yard.start({
    script: `mkdir -p "$TRAINYARD_ATTEMPT_DIR"; echo '${said}' >"$TRAINYARD_ATTEMPT_DIR/progress.json"; ${WAITS}`,
  });
  await yard.made('ready');
  const progress = { step: 30, steps: 100, epoch: null, loss: 0.5, at: 1_700_000_000_000 };
  expect(yard.engine.measure('17.1')?.progress).toEqual(progress);
  letGo();
  expect((await yard.reports.next('attemptEnded')).progress).toEqual(progress);
  const own = join(yard.directory, 'temporary', 'attempts', '17.1');
  expect(existsSync(own)).toBe(true);
  yard.engine.forget('17.1');
  await expect.poll(() => existsSync(own), { interval: 5, timeout: 10_000 }).toBe(false);
});

test('what was left of attempts that nobody knows any more goes soon after the start', async () => {
  await open();
  const made = yard.start({ script: `mkdir -p "$TRAINYARD_ATTEMPT_DIR"; ${WAITS}`, ...keeping() });
  await yard.made('ready');
  const own = join(yard.directory, 'temporary', 'attempts', '17.1');
  const other = join(yard.directory, 'temporary', 'attempts', '16.1');
  mkdirSync(other);
  await yard.engine.close();
  // As if the yard had given the attempt up: while it runs it is left alone.
  yard.onRecord.add('17.1');
  await yard.reopen();
  await expect.poll(() => existsSync(other), { interval: 5, timeout: 10_000 }).toBe(false);
  expect(existsSync(scratchOf('17.1'))).toBe(true);
  const job = identityOf(Number(yard.output('ready')))!;
  letGo();
  await expect.poll(() => isAlive(job), { interval: 10, timeout: 10_000 }).toBe(false);
  await yard.reopen();
  await expect.poll(() => existsSync(noteOf('17.1')), { interval: 5, timeout: 10_000 }).toBe(false);
  expect(keeper.asked.findLast(({ what }) => what === 'flush')).toMatchObject({
    ending: { isOrderly: false },
  });
  nothingIsLeft();
  expect(existsSync(own)).toBe(false);
  expect(made.attempt.id).toBe('17.1');
});
