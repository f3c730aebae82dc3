import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../model/bytes.ts';
import { PLAIN_SPEC } from '../model/plain.ts';
import { aJob } from './fake-yard.ts';
import { foreignYardLines } from './foreign-yard-lines.ts';
import { requeueBrief, requeueNote, requeueSentences } from './requeue-sentences.ts';
import { withRequeueWords } from './requeue-words.ts';

const read = (line: string, spec = PLAIN_SPEC) =>
  withRequeueWords(spec, foreignYardLines(bytesFromText(`#YARD ${line}\n`)).given);

describe('requeue-on', () => {
  it('names exit codes, or none', () => {
    const none = { errorExitCodes: [], faultsAreErrors: false };
    expect(read('requeue-on=3,75,3').aftermath).toEqual({ ...none, againExitCodes: [3, 75] });
    expect(read('requeue-on=none').aftermath).toEqual({ ...none, againExitCodes: [] });
    expect(read('chain').aftermath).toBeUndefined();
  });

  it('takes the place of the exit codes of another system, and of nothing else', () => {
    const aftermath = { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true };
    expect(read('requeue-on=3', { ...PLAIN_SPEC, aftermath }).aftermath).toEqual({
      ...aftermath,
      againExitCodes: [3],
    });
  });

  it.each(['0', '256', '3,', '3;4', 'all', '', '-1', '03', Array(21).fill('3').join(',')])(
    'cannot be "%s"',
    (value) => {
      expect(() => read(`requeue-on="${value}"`)).toThrow('exit codes from 1 to 255 are wanted');
    },
  );
});

describe('a job that was queued again', () => {
  const asked = (changes: object) => aJob({ restarts: 1, fruitless: 2, ...changes });
  const byYard = { askedAgain: { code: 3, rule: 'exitCodes' } } as const;

  it('says by which rule, and how to switch it off', () => {
    const job = asked({ phase: 'pending', ...byYard });
    expect(requeueSentences(job).join(' ')).toBe(
      'Its last run ended with exit code 3, which queues it again (a rule of the yard: exit_codes under [requeue] in its config). ' +
        'So far 2 short runs in a row asked for another one. ' +
        'To switch that off: write #YARD requeue-on=none into the script and submit it again, or exit_codes = [] under [requeue] into the config for all jobs.',
    );
    expect(requeueNote(job)).toMatch(
      /^because of exit code 3, after 2 short runs in a row \(a rule of the yard/,
    );
    expect(requeueBrief(job)).toBe(
      'requeued after exit code 3 of 2 short runs by requeue.exit_codes in the config; off: #YARD requeue-on=none',
    );
  });

  it('tells a rule of its own from one of the yard', () => {
    const own = asked({ phase: 'active', fruitless: 0, askedAgain: { code: 99, rule: 'own' } });
    expect(requeueNote(own)).toMatch(/^because of exit code 99 \(a rule of the job itself/);
    expect(requeueNote(own)).not.toContain('config');
    expect(requeueBrief(own)).toBe('');
  });

  it('says nothing once it has ended, or when it was queued again for another reason', () => {
    for (const job of [asked({ phase: 'ended', ...byYard }), asked({ phase: 'pending' })]) {
      expect(requeueSentences(job)).toEqual([]);
      expect(requeueNote(job) + requeueBrief(job)).toBe('');
    }
  });
});
