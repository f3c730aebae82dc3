import { describe, expect, it } from 'vitest';
import type { Attempt, Job } from '../../model/job.ts';
import { aJob, anAttempt, endedJob, NOW } from '../fake-yard.ts';
import { stateOf } from './states.ts';

const stop = { cause: 'cancelled', by: 'ada', requestedAt: NOW, killAt: NOW, step: 'kill' } as const;

function running(changes: Partial<Attempt> = {}, job: Partial<Job> = {}): Job {
  return aJob({ phase: 'active', attempt: anAttempt(changes), ...job });
}

describe('the letters of a state', () => {
  it.each([
    ['qw', aJob()],
    ['qw', aJob({ phase: 'waiting' }, { beginAt: NOW })],
    ['hqw', aJob({ phase: 'waiting' }, { dependencies: { need: 'all', terms: [{ kind: 'singleton' }] } })],
    ['hqw', aJob({ phase: 'held', hold: { by: 'user', reason: null } })],
    ['Eqw', aJob({ phase: 'held', hold: { by: 'yard', reason: 'no such file', isError: true } })],
    ['Eqw', aJob({ phase: 'held', hold: { by: 'yard', reason: null, isError: true }, restarts: 1 })],
    ['Rq', aJob({ restarts: 1 })],
    ['hRq', aJob({ phase: 'held', hold: { by: 'user', reason: null }, restarts: 2 })],
    ['t', running({ phase: 'assigned' })],
    ['t', running({ phase: 'staging' })],
    ['r', running()],
    ['r', running({ phase: 'syncing' })],
    ['Rr', running({}, { restarts: 1 })],
    ['s', running({ suspendedAt: NOW })],
    ['s', running({ suspendedAt: NOW, suspendedFor: ['job'] })],
    ['S', running({ suspendedAt: NOW, suspendedFor: ['queue'] })],
    ['S', running({ suspendedAt: NOW, suspendedFor: ['preemption'], makesRoomFor: 9 })],
    ['Ss', running({ suspendedAt: NOW, suspendedFor: ['job', 'queue'] })],
    ['Rs', running({ suspendedAt: NOW }, { restarts: 1 })],
    ['dr', running({ phase: 'stopping', stop })],
    ['dRs', running({ phase: 'stopping', stop, suspendedAt: NOW }, { restarts: 1 })],
    ['r', running({ phase: 'stopping', stop: { ...stop, cause: 'timeLimit' } })],
    ['z', endedJob(1)],
  ])('%s', (letters, job) => {
    expect(stateOf(job)).toBe(letters);
  });
});
