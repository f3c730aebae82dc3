import { describe, expect, test } from 'vitest';
import { aJob, aNode, aStep, aYard, MINUTE, type TestYard } from '../../../test/builders.ts';
import type { Command } from '../../model/command.ts';
import type { StepRequest } from '../../model/step.ts';

const starting = (job: number, wish: Partial<StepRequest> = {}, by = 'ann'): Command => ({
  type: 'startStep',
  target: { job, index: null },
  by,
  request: aStep(wish),
});

const stopping = (job: number, step: number, by = 'ann'): Command => ({
  type: 'stopStep',
  target: { job, index: null },
  by,
  step,
});

/** A job on two nodes, with two CPUs and two devices on each. */
function runningYard(): TestYard {
  const node = (name: string) => aNode(name).withNumberedCpus(0, 1, 2, 3).withGpus(2);
  const yard = aYard().withNodes(node('n1'), node('n2'));
  yard.run(aJob().wanting({ nodes: 2, ranks: 4, gpus: 2, gpusPer: 'node' }));
  return yard;
}

describe('a step', () => {
  test('gets its number and its part of what the attempt holds', () => {
    const yard = runningYard();
    expect(yard.tell(starting(1, { ranks: 2 }))).toMatchObject({ ok: true, job: 1, step: 0 });
    expect(yard.tell(starting(1, { ranks: 2 }))).toMatchObject({ step: 1 });
    const [first, second] = [...(yard.state.steps.get('1.1')?.values() ?? [])];
    expect(first?.placement.nodes.map(({ node, cpuIds }) => [node, cpuIds])).toEqual([
      ['n1', [0]],
      ['n2', [0]],
    ]);
    expect(second?.placement.nodes.map(({ cpuIds }) => cpuIds)).toEqual([[1], [1]]);
    expect(yard.job(1).attempt?.stepCount).toBe(2);
  });

  test('waits while others use what it needs, and is told when it could never be', () => {
    const yard = runningYard();
    yard.step(1, { ranks: 3 });
    expect(yard.refusalOf(starting(1, { ranks: 2 }))).toMatchObject({ code: 'busy' });
    expect(yard.refusalOf(starting(1, { ranks: 5 }))).toMatchObject({
      code: 'neverPossible',
      message: 'the step wants 5 CPUs and job 1 has 4 for it',
    });
    const gpus = { count: 5, per: 'job', kind: null, shareMillis: 1000 } as const;
    expect(yard.refusalOf(starting(1, { gpus })).message).toBe(
      'the step wants 5 GPUs and job 1 has 4 for it',
    );
    expect(yard.refusalOf(starting(1, { onlyNodes: ['n7'] })).message).toBe('job 1 has no place on node n7');
    const nodes = { min: 2, max: 2 };
    expect(yard.refusalOf(starting(1, { ranks: 2, nodes, exceptNodes: ['n1'] })).message).toBe(
      'the step wants 2 nodes and may use 1 of job 1',
    );
    yard.stepEnds(1, 0);
    expect(yard.step(1, { ranks: 2 }).n).toBe(1);
  });

  test('is for a job of one’s own that runs', () => {
    const yard = runningYard();
    yard.submit(aJob().held());
    expect(yard.refusalOf(starting(2))).toMatchObject({
      code: 'wrongState',
      message: 'job 2 is not running',
    });
    expect(yard.refusalOf(starting(1, {}, 'eve'))).toMatchObject({ code: 'notAllowed' });
    expect(yard.refusalOf(starting(9))).toMatchObject({ code: 'noSuchJob' });
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.refusalOf(starting(1))).toMatchObject({ code: 'wrongState' });
  });

  test('does not begin before the attempt has', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.schedule();
    expect(yard.refusalOf(starting(1))).toMatchObject({ code: 'wrongState' });
  });

  test.each<Partial<StepRequest>>([
    { ranks: 0 },
    { ranks: 1.5 },
    { cpusPerRank: 0 },
    { ranksPerNode: 0 },
    { firstNode: -1 },
    { nodes: { min: 2, max: 1 } },
    { ranks: 1, nodes: { min: 2, max: 2 } },
    { gpus: { count: -1, per: 'job', kind: null, shareMillis: 1000 } },
  ])('%o makes no sense', (wish) => {
    expect(runningYard().refusalOf(starting(1, wish))).toMatchObject({ code: 'badRequest' });
  });

  test('of an element of an array is asked of the element', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-1'));
    yard.schedule();
    yard.runs({ job: 1, index: 0 });
    expect(yard.refusalOf(starting(1))).toMatchObject({ code: 'wrongState', message: 'job 1 is an array' });
    expect(yard.step({ job: 1, index: 0 }).attempt).toBe(yard.job({ job: 1, index: 0 }).attempt?.id);
  });
});

describe('the end of a step', () => {
  test('is remembered once, whatever is reported later', () => {
    const yard = runningYard();
    yard.step(1);
    yard.stepEnds(1, 0, 3);
    const before = yard.events.length;
    yard.stepEnds(1, 0, 4);
    expect(yard.events.length).toBe(before);
    expect(yard.events.at(-1)).toMatchObject({ type: 'stepEnded', n: 0, exit: { code: 3 } });
    expect(yard.state.steps.size).toBe(0);
  });

  test('is the end of its attempt at the latest, and is told before that', () => {
    const yard = runningYard();
    yard.step(1);
    yard.step(1);
    yard.ends(1);
    const types = yard.events.map(({ type }) => type);
    expect(types.slice(-4)).toEqual(['stepEnded', 'stepEnded', 'attemptEnded', 'jobEnded']);
    expect(yard.events.at(-4)).toMatchObject({ exit: { code: null, signal: null } });
  });

  test.each([
    [0, 15],
    [MINUTE, 9],
  ])('with an attempt that was stopped %i ms ago it is by signal %i', (waitMs, signal) => {
    const yard = runningYard();
    yard.step(1);
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    yard.pass(waitMs);
    yard.ends(1, 143);
    const end = yard.events.find(({ type }) => type === 'stepEnded');
    expect(end).toMatchObject({ exit: { code: null, signal } });
  });

  test('comes with a lost node, and the next attempt counts its steps anew', () => {
    const yard = runningYard();
    yard.step(1);
    yard.tell({ type: 'nodeLost', node: 'n2', reason: 'gone' });
    expect(yard.state.steps.size).toBe(0);
    const node = (name: string) => aNode(name).withNumberedCpus(0, 1, 2, 3).withGpus(2);
    yard.withNodes(node('n1'), node('n2'));
    yard.schedule();
    yard.runs(1);
    expect(yard.step(1)).toMatchObject({ attempt: '1.2', n: 0 });
  });
});

describe('stopping a step', () => {
  test('is owed until it has ended', () => {
    const yard = runningYard();
    yard.step(1);
    yard.step(1);
    expect(yard.owed(1).map(({ type }) => type)).toEqual(['watch', 'watchStep', 'watchStep']);
    yard.tell(stopping(1, 1));
    expect(yard.owed(1)).toMatchObject([
      { type: 'watch' },
      { type: 'watchStep', step: { n: 0 } },
      { type: 'watchStep', step: { n: 1 } },
      { type: 'stopStep', step: { n: 1, stoppedBy: 'ann' } },
    ]);
    expect(yard.tell(stopping(1, 1)).changed).toBe(false);
    yard.stepEnds(1, 1, 143);
    expect(yard.owed(1).map(({ type }) => type)).toEqual(['watch', 'watchStep']);
    expect(yard.tell(stopping(1, 1)).changed).toBe(false);
  });

  test('that was never there is refused', () => {
    const yard = runningYard();
    expect(yard.refusalOf(stopping(1, 0))).toMatchObject({
      code: 'noSuchStep',
      message: 'job 1 has no step 0',
    });
    yard.step(1);
    expect(yard.refusalOf(stopping(1, 0, 'eve'))).toMatchObject({ code: 'notAllowed' });
  });

  test('is left to the attempt when that is stopped', () => {
    const yard = runningYard();
    yard.step(1);
    yard.tell(stopping(1, 0));
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.owed(1).map(({ type }) => type)).toEqual(['watch', 'watchStep', 'stop']);
  });
});

describe('a signal', () => {
  const signalling = (step: number): Command => ({
    type: 'signal',
    target: { job: 1, index: null },
    by: 'ann',
    signal: 10,
    scope: { step },
  });

  test('for one step goes to one that lives', () => {
    const yard = runningYard();
    yard.step(1);
    yard.tell(signalling(0));
    expect(yard.owed(1).at(-1)).toMatchObject({ type: 'signal', signal: 10, scope: { step: 0 } });
    expect(yard.refusalOf(signalling(1))).toMatchObject({ code: 'noSuchStep' });
    yard.stepEnds(1, 0);
    expect(yard.refusalOf(signalling(0))).toMatchObject({ code: 'noSuchStep' });
  });
});

test('many steps one after the other leave nothing behind in memory', () => {
  const yard = runningYard();
  const { state } = yard;
  for (let n = 0; n < 200; n++) {
    yard.step(1);
    yard.stepEnds(1, n);
  }
  expect(state.steps.size).toBe(0);
  expect(yard.job(1).attempt?.stepCount).toBe(200);
  expect(JSON.stringify(yard.job(1)).length).toBeLessThan(3000);
});
