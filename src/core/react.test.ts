import { describe, expect, test } from 'vitest';
import { aJob, aYard, MINUTE } from '../../test/builders.ts';
import { effectName, react } from './react.ts';

describe('what is owed', () => {
  test('an assigned attempt is to be started until the engine says that it runs', () => {
    const yard = aYard();
    yard.submit(aJob());
    expect(react(yard.state)).toEqual([]);
    yard.schedule();
    expect(react(yard.state)).toMatchObject([{ type: 'start', job: { id: 1 }, attempt: { id: '1.1' } }]);
    expect(react(yard.state)).toEqual(react(yard.state));
    yard.runs(1);
    expect(react(yard.state)).toMatchObject([{ type: 'watch' }]);
    yard.ends(1);
    expect(react(yard.state)).toEqual([]);
  });

  test('an attempt that was asked to stop before it ran is stopped and not started', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.schedule();
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(react(yard.state)).toMatchObject([{ type: 'stop', step: 'term' }]);
  });

  test('for those named only', () => {
    const yard = aYard();
    for (let job = 0; job < 3; job++) yard.submit(aJob());
    yard.schedule();
    expect(react(yard.state, [2, 99]).map(({ job }) => job.id)).toEqual([2]);
  });

  test('everything owed to one attempt has a name of its own', () => {
    const yard = aYard();
    yard.run(
      aJob()
        .limitedTo(10 * MINUTE)
        .warnedBefore(MINUTE),
    );
    for (let signal = 0; signal < 2; signal++)
      yard.tell({ type: 'signal', target: { job: 1, index: null }, by: 'ann', signal: 10, scope: 'all' });
    yard.pass(9 * MINUTE);
    expect(react(yard.state).map(effectName)).toEqual(['watch', 'warn', 'signal 1', 'signal 2']);
    yard.pass(MINUTE);
    expect(react(yard.state).map(effectName)).toEqual(['watch', 'stop term']);
    yard.pass(MINUTE);
    expect(react(yard.state).map(effectName)).toEqual(['watch', 'stop kill']);
  });
});
