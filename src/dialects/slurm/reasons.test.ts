import { describe, expect, it } from 'vitest';
import type { Reason } from '../../model/reason.ts';
import { aJob, aView, endedJob, NOW } from '../fake-yard.ts';
import { jobFacts } from './job-facts.ts';
import { reasonWord } from './reasons.ts';

function word(reason: Reason): string {
  return reasonWord({ job: aJob({ phase: 'waiting' }), reason });
}

describe('why a job waits', () => {
  it('is for another job, which may have failed for good', () => {
    const term = { kind: 'afterok', job: 6, index: null } as const;
    const waiting = { term, other: { phase: 'active', outcome: null } } as const;
    const failed = { term, other: { phase: 'ended', outcome: 'failed' } } as const;
    expect(word({ kind: 'dependency', need: 'all', unmet: [waiting] })).toBe('Dependency');
    expect(word({ kind: 'dependency', need: 'all', unmet: [waiting, failed] })).toBe(
      'DependencyNeverSatisfied',
    );
    expect(word({ kind: 'dependency', need: 'any', unmet: [waiting, failed] })).toBe('Dependency');
  });

  it('is a limit of somebody', () => {
    const limit = { kind: 'limit', limit: 'gpus', allowed: 2, used: 2 } as const;
    expect(word({ ...limit, of: { kind: 'user', user: 'ada' } })).toBe('AssocGrpGRES');
    expect(word({ ...limit, of: { kind: 'userInQos', user: 'ada', qos: 'normal' } })).toBe(
      'QOSMaxGRESPerUser',
    );
  });

  it('is over once it runs or has ended', () => {
    expect(reasonWord({ job: aJob({ phase: 'active' }), reason: null })).toBe('None');
    expect(reasonWord({ job: endedJob(1, { outcome: 'timeout' }), reason: null })).toBe('TimeLimit');
    expect(reasonWord({ job: endedJob(1, { outcome: 'failed' }), reason: null })).toBe('NonZeroExitCode');
    const unlaunched = { exit: { code: null, signal: null, outOfMemory: false }, fault: 'no such directory' };
    const failed = endedJob(1, { outcome: 'failed' }, unlaunched);
    expect(reasonWord({ job: failed, reason: null })).toBe('JobLaunchFailure');
    expect(jobFacts(aView(failed), NOW).exit).toEqual({ code: 0, signal: 53 });
  });
});
