import { describe, expect, it } from 'vitest';
import type { Reason } from '../../model/reason.ts';
import { aJob, aView, endedJob, NOW } from '../fake-yard.ts';
import { jobFacts } from './job-facts.ts';
import { describedReason, reasonWord } from './reasons.ts';

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

  it('is that it was queued again too often, or an exit code that asks for that', () => {
    const reason = { kind: 'held', by: 'yard', note: 'x' } as const;
    const held = (rule: 'exitCodes' | 'holdExitCodes') =>
      aJob({ phase: 'held', hold: { by: 'yard', reason: 'x' }, askedAgain: { code: 3, rule } });
    expect(reasonWord({ job: held('exitCodes'), reason })).toBe('JobHoldMaxRequeue');
    expect(reasonWord({ job: held('holdExitCodes'), reason })).toBe('JobHeldAdmin');
    expect(word(reason)).toBe('JobHeldAdmin');
    const pending = aJob({ phase: 'pending', askedAgain: { code: 3, rule: 'exitCodes' } });
    const waits = { kind: 'priority', behind: null, ahead: 0 } as const;
    expect(describedReason({ job: pending, reason: waits })).toBe(
      'Priority, requeued after exit code 3 by requeue.exit_codes in the config; off: #YARD requeue-on=none',
    );
    expect(describedReason({ job: aJob({ phase: 'pending' }), reason: waits })).toBe('Priority');
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
