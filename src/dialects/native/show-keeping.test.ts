import { describe, expect, it } from 'vitest';
import type { Job } from '../../model/job.ts';
import type { Keeping } from '../../model/keeping.ts';
import { rangeOf } from '../../model/ranges.ts';
import { aJob, anAttempt, aView, endedJob, type FakeYard, fakeYard, MINUTE, NOW } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const KEEPING: Keeping = {
  checkpoints: '$SCRATCH/out',
  persist: '/data/%x/%j',
  keepCount: 3,
  keepForMs: 7 * 86_400_000,
  logs: [{ from: '/tmp/tb', to: '/data/tb' }],
  scratch: { maxBytes: 50 * 2 ** 30 },
  snapshot: { tree: 'abc', root: '/home/ada/work', below: '' },
};
const CHECKPOINT = { name: 's-300.pt', step: 300, bytes: 2 ** 30, writtenAt: NOW - MINUTE, keptAt: NOW };
const PROGRESS = { step: 320, steps: 5000, epoch: 2, loss: 0.123456, at: NOW - 2000 };

function training(changes: Partial<Job> = {}): FakeYard {
  const attempt = anAttempt({ trouble: 'no space left on /data' });
  const job = aJob(
    { phase: 'active', attempt, checkpoint: CHECKPOINT, stagnant: 2, ...changes },
    { keeping: KEEPING, chain: true },
  );
  return fakeYard({ views: [aView(job)] });
}

function facts(yard: FakeYard): Record<string, string> {
  const lines = run(yard, ['show', '17']).stdout.split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const match = /^ {2}(\S+(?: \S+)*) {2,}(.+)$/.exec(line);
      return match === null ? [] : [[match[1], match[2]]];
    }),
  );
}

describe('what is kept of a job', () => {
  it('is shown with where and how', () => {
    expect(facts(training())).toMatchObject({
      checkpoints: '$SCRATCH/out',
      'kept in': '/data/train.sh/17',
      keeps: 'the newest 3 of each kind, none older than 7d',
      'newest safe': 's-300.pt (step 300, 1G), written 1m ago',
      trouble: 'no space left on /data',
      logs: '/tmp/tb to /data/tb',
      scratch: 'at most 50G',
      code: 'as submitted, from /home/ada/work',
      chain: 'goes on after its time limit',
      'no progress': 'in its last 2 runs',
    });
  });

  it('is not spoken of otherwise', () => {
    const plain = facts(fakeYard({ views: [aView(aJob())] }));
    for (const name of ['checkpoints', 'kept in', 'newest safe', 'trouble', 'scratch', 'chain', 'progress']) {
      expect(plain).not.toHaveProperty(name);
    }
  });

  it('is shown as a pattern for an array', () => {
    const array = { unstarted: rangeOf(0, 3), dropped: [], live: 0, ended: {} };
    const job = aJob({ array }, { keeping: KEEPING, array: { indices: rangeOf(0, 3), throttle: null } });
    expect(facts(fakeYard({ views: [aView(job)] }))).toMatchObject({ 'kept in': '/data/%x/%j' });
  });

  it('is there for programs', () => {
    expect(JSON.parse(run(training(), ['show', '--json', '17']).stdout)).toMatchObject({
      chain: true,
      keeping: KEEPING,
      checkpoint: { name: 's-300.pt', step: 300, writtenAt: '2026-03-10T14:19:00.000Z' },
      stagnant: 2,
      progress: null,
      attempt: { trouble: 'no space left on /data' },
    });
  });
});

describe('how far it has come', () => {
  it('is what its program says now', () => {
    const yard = training();
    yard.usage.set(17, { parts: [], peakMemoryBytes: null, progress: PROGRESS });
    expect(facts(yard).progress).toBe('step 320 of 5000, epoch 2, loss 0.1235 (2s ago)');
    expect(JSON.parse(run(yard, ['show', '--json', '17']).stdout).progress).toMatchObject({ step: 320 });
  });

  it('or what it said before it ended', () => {
    const progress = { ...PROGRESS, steps: null, epoch: null, loss: null };
    expect(facts(fakeYard({ views: [aView(endedJob(17, {}, { progress }))] })).progress).toBe(
      'step 320 (2s ago)',
    );
  });
});
