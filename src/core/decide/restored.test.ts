import { describe, expect, test } from 'vitest';
import { aJob, aYard } from '../../../test/builders.ts';

const FROM = '2026-11-18 06:30 UTC';
const HELD = {
  phase: 'held',
  hold: {
    by: 'yard',
    reason: 'the store was put back from a backup of 2026-11-18 06:30 UTC, and it may have run since then',
  },
};

describe('after a backup was put back', () => {
  test('what waits is held, and is released by hand', () => {
    const yard = aYard();
    const waiting = yard.submit(aJob());
    yard.tell({ type: 'storeRestored', backupOf: FROM, claimed: [] });
    expect(yard.job(waiting)).toMatchObject(HELD);
    expect(yard.schedule().starts).toEqual([]);
    expect(yard.tell({ type: 'storeRestored', backupOf: FROM, claimed: [] }).changed).toBe(false);
    yard.tell({ type: 'release', target: { job: waiting, index: null }, by: 'ann' });
    expect(yard.schedule().starts).toHaveLength(1);
  });

  test('an attempt with a claim goes on; one without has ended, and its job is held', () => {
    const yard = aYard();
    const claimed = yard.run(aJob());
    const gone = yard.run(aJob());
    yard.tell({ type: 'storeRestored', backupOf: FROM, claimed: [`${claimed}.1`] });
    expect(yard.running()).toEqual([claimed]);
    expect(yard.job(gone)).toMatchObject({ ...HELD, attempt: { phase: 'lost' } });
    expect(yard.schedule().starts).toEqual([]);
  });

  test('one that must not run again is held too', () => {
    const yard = aYard();
    const gone = yard.run(aJob().neverRequeued());
    yard.tell({ type: 'storeRestored', backupOf: FROM, claimed: [] });
    expect(yard.job(gone)).toMatchObject(HELD);
  });

  test('one that its caller ran has ended: nobody else could run it', () => {
    const yard = aYard();
    const gone = yard.run(aJob().runByItsCaller());
    yard.tell({ type: 'storeRestored', backupOf: FROM, claimed: [] });
    expect(yard.job(gone)).toMatchObject({ phase: 'ended', outcome: 'nodeLost' });
  });

  test('what is left of an array is held', () => {
    const yard = aYard();
    const array = yard.submit(aJob().asArray('0-9'));
    yard.tell({ type: 'storeRestored', backupOf: FROM, claimed: [] });
    expect(yard.job(array)).toMatchObject(HELD);
    expect(yard.schedule().starts).toEqual([]);
  });
});
