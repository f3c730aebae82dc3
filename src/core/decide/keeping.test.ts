/** Checkpoints that became safe, trouble with others, and too much in a scratch directory. */

import { describe, expect, test } from 'vitest';
import { aJob, aYard, GIB, MINUTE } from '../../../test/builders.ts';
import { NOTHING_KEPT } from '../../model/keeping.ts';

const saving = aJob().keeping({ checkpoints: '/ck' });

describe('a checkpoint that is safe', () => {
  test('is the newest of its attempt and of its job', () => {
    const yard = aYard();
    yard.run(saving);
    yard.keeps(1, { name: 'a', step: 10 });
    yard.now += MINUTE;
    yard.keeps(1, { name: 'b', step: 20 });
    expect(yard.job(1)).toMatchObject({ checkpoint: { name: 'b' }, attempt: { checkpoint: { name: 'b' } } });
    // What is left is copied newest first.
    expect(yard.keeps(1, { name: 'a', step: 15, writtenAt: yard.now - SOON }).changed).toBe(false);
    expect(yard.keeps(1, { name: 'b', step: 20 }).changed).toBe(false);
    yard.ends(1);
    expect(yard.job(1)).toMatchObject({ outcome: 'completed', checkpoint: { name: 'b' } });
  });

  const SOON = 100;

  test('is known after its attempt, and is not that of the next', () => {
    const yard = aYard();
    yard.run(saving);
    yard.keeps(1, { name: 'a' });
    yard.tell({ type: 'preempt', job: 1, forJob: 2, suspend: false });
    yard.ends(1, 143);
    yard.schedule();
    expect(yard.job(1).checkpoint?.name).toBe('a');
    expect(yard.job(1).attempt?.checkpoint).toBeUndefined();
  });
});

describe('trouble with checkpoints', () => {
  const trouble = (what: string | null) =>
    ({ type: 'checkpointTrouble', attempt: '1.1', trouble: what }) as const;

  test('is on the attempt while it lasts', () => {
    const yard = aYard();
    yard.run(saving);
    expect(yard.tell(trouble(null)).changed).toBe(false);
    yard.tell(trouble('no space left on /data'));
    expect(yard.tell(trouble('no space left on /data')).changed).toBe(false);
    expect(yard.job(1).attempt?.trouble).toBe('no space left on /data');
    yard.tell(trouble(null));
    expect(yard.job(1).attempt).not.toHaveProperty('trouble');
    yard.ends(1);
    expect(yard.job(1)).toMatchObject({ outcome: 'completed', note: null });
  });

  test('that lasts to the end is said on the job, however it ended', () => {
    for (const [code, outcome] of [
      [0, 'completed'],
      [1, 'failed'],
    ] as const) {
      const yard = aYard();
      yard.run(saving);
      yard.syncs(1, code);
      yard.tell(trouble('no space left on /data'));
      yard.ends(1, code);
      expect(yard.job(1)).toMatchObject({
        outcome,
        note: 'its last checkpoints could not be made safe: no space left on /data',
      });
    }
  });

  test('that passes after the end is said no longer', () => {
    for (const note of [null, 'its deadline came before its end']) {
      const yard = aYard();
      yard.run(note === null ? saving : saving.endedBy(yard.now + MINUTE));
      yard.tell(trouble('full'));
      if (note !== null) yard.pass(MINUTE);
      yard.ends(1, note === null ? 0 : 143);
      yard.tell(trouble('gone'));
      expect(yard.job(1).note).toBe(
        `${note === null ? '' : `${note}; `}its last checkpoints could not be made safe: gone`,
      );
      yard.tell(trouble(null));
      expect(yard.job(1)).toMatchObject({ phase: 'ended', note });
      expect(yard.job(1).attempt).not.toHaveProperty('trouble');
    }
  });

  test('of an attempt that was followed by another is none of that one', () => {
    const yard = aYard();
    yard.run(saving);
    yard.tell(trouble('full'));
    yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false });
    yard.ends(1, 143);
    yard.schedule();
    expect(yard.tell(trouble('still full')).changed).toBe(false);
    expect(yard.job(1).attempt).not.toHaveProperty('trouble');
  });

  test('is said beside other things', () => {
    const yard = aYard();
    yard.run(saving);
    yard.tell(trouble('full'));
    yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false });
    yard.ends(1, 143);
    expect(yard.job(1).note).toBe('requeued by ann; its last checkpoints could not be made safe: full');
  });
});

describe('how far its program has come', () => {
  test('is on the attempt, and the furthest on the job', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false });
    yard.endsAt(1, 100, 143);
    yard.schedule();
    yard.endsAt(1, 50);
    expect(yard.job(1)).toMatchObject({ furthestStep: 100, attempt: { progress: { step: 50 } } });
    const other = yard.run(aJob());
    yard.endsAt(other, null);
    expect(yard.job(other)).not.toHaveProperty('furthestStep');
  });
});

describe('more in a scratch directory than it may have', () => {
  test('ends the job as failed, with what it had', () => {
    const yard = aYard();
    yard.run(aJob().keeping({ scratch: { maxBytes: 2 * GIB } }));
    yard.tell({ type: 'overScratch', attempt: '1.1', usedBytes: 3 * GIB });
    expect(yard.job(1).attempt?.stop).toMatchObject({ cause: 'scratch', step: 'term' });
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({
      outcome: 'failed',
      note: 'it wrote more to its scratch directory than the 2G that it asked for',
    });
  });
});

describe('what cannot be kept', () => {
  test.each([{ keepCount: 0 }, { keepCount: 1.5 }, { keepForMs: 0 }, { scratch: { maxBytes: 0 } }])(
    '%o is refused',
    (what) => {
      const yard = aYard();
      expect(yard.refusalOf({ type: 'submit', spec: aJob().keeping(what).spec }).code).toBe('badRequest');
      const job = yard.submit(aJob());
      const changes = { keeping: { ...NOTHING_KEPT, ...what } };
      const update = { type: 'update', target: { job, index: null }, by: 'ann', changes } as const;
      expect(yard.refusalOf(update).code).toBe('badRequest');
    },
  );

  test.each([
    ['..', { checkpoints: '/home/ann/ck/%x' }],
    ['.', { checkpoints: '/ck', persist: '/home/ann/%x' }],
    ['', { checkpoints: '/home/ann/%x/ck' }],
    ['.', { checkpoints: '/ck/.%x' }],
    ['a\nb', { checkpoints: '/ck/%x' }],
    ['..', { logs: [{ from: '/tb', to: '/home/ann/%x' }] }],
    ['n'.repeat(252), { checkpoints: '/ck/run-%x' }],
  ])('the name %j as a part of %o is refused, also when it comes later', (name, what) => {
    const yard = aYard();
    const refused = yard.refusalOf({ type: 'submit', spec: aJob().named(name).keeping(what).spec });
    expect(refused).toMatchObject({ code: 'badRequest', hint: expect.stringContaining('write %j') });
    expect(refused.message).not.toContain('\n');
    const job = yard.submit(aJob().named('net').keeping(what));
    const update = { type: 'update', target: { job, index: null }, by: 'ann', changes: { name } } as const;
    expect(yard.refusalOf(update).code).toBe('badRequest');
  });

  test.each([
    ['..', '/ck/run-%x'],
    ['a/b', '/ck/%x'],
    ['..', '/ck/%%x/%j'],
  ])('the name %j is fine in %s', (name, checkpoints) => {
    expect(aYard().submit(aJob().named(name).keeping({ checkpoints }))).toBe(1);
  });

  test('what a running job keeps, and where, stays as it is', () => {
    const yard = aYard();
    yard.run(aJob().named('net').keeping({ checkpoints: '/ck/%x' }));
    yard.run(aJob().named('net').keeping({ checkpoints: '/other/%j' }));
    const change = (job: number, changes: object) =>
      ({ type: 'update', target: { job, index: null }, by: 'ann', changes }) as const;
    expect(yard.refusalOf(change(1, { keeping: NOTHING_KEPT })).message).toContain('what it keeps');
    expect(yard.refusalOf(change(1, { name: 'web' })).message).toContain('where its checkpoints are kept');
    expect(yard.tell(change(2, { name: 'web' })).changed).toBe(true);
  });
});

describe('a run for which nothing could be made ready', () => {
  const fault = 'there is no room for its scratch directory';
  const exit = { code: null, signal: null, outOfMemory: false };
  const faulty = (attempt: string) => ({ type: 'attemptEnded', attempt, exit, usage: null, fault }) as const;

  test('is held with that, holds nothing, and goes on when it is released', () => {
    const yard = aYard();
    yard.submit(saving);
    yard.schedule();
    yard.tell(faulty('1.1'));
    expect(yard.job(1)).toMatchObject({ phase: 'held', hold: { by: 'yard', reason: fault }, note: fault });
    yard.schedule();
    expect(yard.job(1).phase).toBe('held');
    yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
    yard.schedule();
    expect(yard.job(1)).toMatchObject({ phase: 'active', attempt: { id: '1.2' } });
  });

  test('has failed when it had begun, or keeps nothing', () => {
    const yard = aYard();
    yard.run(saving);
    yard.tell(faulty('1.1'));
    expect(yard.job(1)).toMatchObject({ outcome: 'failed', note: fault });
    yard.submit(aJob());
    yard.schedule();
    yard.tell(faulty('2.1'));
    expect(yard.job(2)).toMatchObject({ outcome: 'failed', note: fault });
  });
});
