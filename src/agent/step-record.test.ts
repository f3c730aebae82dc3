import { expect, test } from 'vitest';
import { parseStepRecord } from './step-record.ts';

const CLAIM = '4711 boot 100 200 0\n';

test('ranks are added up, in the order of their numbers', () => {
  const text = `${CLAIM}rank 1 7 10 3 2000\nrank 0 0 120 30 5000\nexit 7 0\nend\n`;
  expect(parseStepRecord(text)).toEqual({
    exit: { code: 7, signal: null, outOfMemory: false },
    usage: { userCpuMs: 130, systemCpuMs: 33, peakMemoryBytes: 5000, rankStatuses: [0, 7] },
  });
});

test('what is not known is not guessed', () => {
  expect(parseStepRecord(`${CLAIM}rank 0 137 - - -\nexit 0 9\nend\n`)).toEqual({
    exit: { code: null, signal: 9, outOfMemory: false },
    usage: { userCpuMs: 0, systemCpuMs: 0, peakMemoryBytes: null, rankStatuses: [137] },
  });
  expect(parseStepRecord(`${CLAIM}exit 0 0\nend\n`)?.usage.rankStatuses).toEqual([]);
});

test('half a record says nothing, and a second try counts', () => {
  const half = `${CLAIM}say stopped\nrank 0 0 1 1 100\nrank 1 0 1`;
  expect(parseStepRecord(half)).toBeNull();
  expect(parseStepRecord(`${half}\nexit 0 0\nen`)).toBeNull();
  expect(parseStepRecord(`${half}\nrank 0 0 1 1 100\nrank 1 3 1 1 50\nexit 3 0\nend\n`)?.usage).toEqual({
    userCpuMs: 2,
    systemCpuMs: 2,
    peakMemoryBytes: 100,
    rankStatuses: [0, 3],
  });
});
