import { expect, test } from 'vitest';
import { exitOf, parseExitRecord } from './exit-record.ts';

const nobody = { plainCommand: false, signalled: false, outOfMemory: false };

test('a record counts only when it is whole', () => {
  const whole = '7 boot\n0m0.010000s 0m0.020000s\n1m1.500s 0m0.500s\nstatus 3\nend\n';
  expect(parseExitRecord(whole)).toEqual({
    status: 3,
    fault: null,
    refused: null,
    cpuMs: 62_030,
    userCpuMs: 61_510,
  });
  for (let length = 0; length < whole.length; length++) {
    expect(parseExitRecord(whole.slice(0, length))).toBeNull();
  }
});

test('a fault is told in the words of the shim', () => {
  expect(parseExitRecord('7 boot\nfault ulimit n 4096\n0m0,1s 0m0s\n0m0s 0m0s\nstatus 125\nend\n')).toEqual({
    status: null,
    fault: 'ulimit n 4096',
    refused: null,
    cpuMs: 100,
    userCpuMs: 100,
  });
});

test('a program that could not be executed is told with its exit status', () => {
  expect(
    parseExitRecord('7 boot\nrefused no such file: /x: y\n0m0s 0m0s\n0m0s 0m0s\nstatus 127\nend\n'),
  ).toMatchObject({ status: 127, fault: null, refused: 'no such file: /x: y' });
});

test('a try that a full disk cut off is overruled by the next', () => {
  expect(parseExitRecord('7 boot\n0m5s 0m5s\n0m\n0m1s 0m0s\n0m0s 0m0s\nstatus 2\nend\n')?.cpuMs).toBe(1000);
});

test('somebody who comes too late changes nothing', () => {
  const late = '7 boot\n0m1s 0m0s\n0m0s 0m0s\nstatus 2\nend\n8 boot\nrevoked\n';
  expect(parseExitRecord(late)).toEqual({
    status: 2,
    fault: null,
    refused: null,
    cpuMs: 1000,
    userCpuMs: 1000,
  });
});

test('garbage is no record', () => {
  expect(parseExitRecord('hello\nend\n')).toBeNull();
  expect(parseExitRecord('status x\nend\n')).toBeNull();
});

test('a high status is a signal only when nobody else can have chosen it', () => {
  expect(exitOf(143, nobody)).toEqual({ code: 143, signal: null, outOfMemory: false });
  expect(exitOf(143, { ...nobody, plainCommand: true }).signal).toBe(15);
  expect(exitOf(143, { ...nobody, signalled: true }).signal).toBe(15);
  expect(exitOf(255, { ...nobody, plainCommand: true }).code).toBe(255);
  expect(exitOf(128, { ...nobody, plainCommand: true }).code).toBe(128);
});

test('running out of memory is no excuse for a success', () => {
  expect(exitOf(0, { ...nobody, outOfMemory: true })).toEqual({ code: 0, signal: null, outOfMemory: false });
  expect(exitOf(137, { ...nobody, outOfMemory: true })).toEqual({ code: null, signal: 9, outOfMemory: true });
});
