import { describe, expect, test } from 'vitest';
import type { CheckpointNote } from '../model/keeping.ts';
import { createKeptTeller, createTroubleTeller } from './tellers.ts';

function note(name: string, writtenAt: number): CheckpointNote {
  return { name, step: null, bytes: 1, writtenAt, keptAt: writtenAt };
}

function listening() {
  const told: string[] = [];
  const events = {
    kept: (_attempt: string, { name }: CheckpointNote) => told.push(name),
    trouble: (_attempt: string, trouble: string | null) => told.push(`${trouble}`),
    overScratch: () => {},
    log: () => {},
  };
  return { told, events };
}

describe('what is safe', () => {
  test('is told at once, and of many in a row the newest', () => {
    const { told, events } = listening();
    const teller = createKeptTeller('1.1', events, 60_000);
    for (const n of [1, 2, 4, 3]) teller.kept(note(`step-${n}`, n));
    expect(told).toEqual(['step-1']);
    teller.finish();
    teller.finish();
    expect(told).toEqual(['step-1', 'step-4']);
    teller.kept(note('step-0', 0));
    teller.finish();
    expect(told.length).toBe(2);
  });

  test('is not told any more when nobody wants to know', () => {
    const { told, events } = listening();
    const teller = createKeptTeller('1.1', events, 60_000);
    teller.kept(note('step-1', 1));
    teller.kept(note('step-2', 2));
    teller.stop();
    teller.finish();
    expect(told).toEqual(['step-1']);
  });
});

describe('what is wrong', () => {
  test('is told when it changes, that of checkpoints first', () => {
    const { told, events } = listening();
    const teller = createTroubleTeller('1.1', events);
    teller.set('logs', 'no room for logs');
    teller.set('logs', 'no room for logs');
    teller.set('checkpoints', 'no room');
    teller.set('checkpoints', null);
    teller.set('logs', null);
    teller.set('checkpoints', null);
    expect(told).toEqual(['no room for logs', 'no room', 'no room for logs', 'null']);
  });

  test('is not told again when only a number has changed', () => {
    const { told, events } = listening();
    const teller = createTroubleTeller('1.1', events);
    teller.set('checkpoints', 'step-1 needs 3 GiB, and 1.5 GiB is free');
    teller.set('checkpoints', 'step-2 needs 3 GiB, and 20 MiB is free');
    teller.set('checkpoints', 'permission denied');
    expect(told).toEqual(['step-1 needs 3 GiB, and 1.5 GiB is free', 'permission denied']);
  });

  test('and is over is told once by one who does not know what was told before', () => {
    const { told, events } = listening();
    const teller = createTroubleTeller('1.1', events);
    teller.set('checkpoints', null);
    expect(told).toEqual([]);
    teller.works();
    teller.works();
    expect(told).toEqual(['null']);
  });
});
