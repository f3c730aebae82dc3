/** What an edit is: the change that one flag of `qalter` makes to a job, and what is said of it. */

import type { JobChanges } from '../../../model/command.ts';
import type { Job } from '../../../model/job.ts';
import { variableOf } from '../../environment.ts';
import type { Asking, Invocation } from '../../program.ts';
import type { Changer } from '../changer.ts';
import { askedAttributes } from '../submit/attributes.ts';
import type { AskedFlag } from '../submit/layers.ts';
import { submitterFrom } from '../submit/submitter.ts';
import type { Surroundings } from '../submit/surroundings.ts';
import { type GridEngineWord, wordOf } from '../words.ts';

export interface EditContext {
  readonly given: readonly AskedFlag[];
  readonly invocation: Invocation;
  readonly changer: Changer;
  readonly surroundings: Surroundings;
  /** As the edits before this one have left it; of an array its own record. */
  readonly job: Job;
  readonly isArray: boolean;
}

export interface Edited {
  readonly changes?: JobChanges;
  /** Null takes the word away. */
  readonly words?: Readonly<Partial<Record<GridEngineWord, string | null>>>;
  readonly lines: readonly string[];
  /** Sentences, without the name of the command. */
  readonly warnings?: readonly string[];
}

/** Null when the flag was not given. Throws what is wrong with it. */
export type Edit = (context: EditContext) => Edited | null | Asking<Edited | null>;

export function isGiven({ given }: EditContext, flag: string, kind: 'hard' | 'soft' = 'hard'): boolean {
  const isSoft = kind === 'soft';
  return given.some((each) => each.flag === flag && (!CAN_BE_SOFT.has(flag) || each.isSoft === isSoft));
}

/** Of other flags it makes no difference. */
const CAN_BE_SOFT: ReadonlySet<string> = new Set(['-l', '-q']);

export function modified(what: string, { job }: EditContext): string {
  return `modified ${what} of job ${job.id}`;
}

const FLAGS_OF_WORDS: readonly (readonly [GridEngineWord, string, boolean])[] = [
  ['queues', '-q', false],
  ['softQueues', '-q', true],
  ['masterQueues', '-masterq', false],
  ['resources', '-l', false],
  ['outputPath', '-o', false],
  ['errorPath', '-e', false],
  ['inputPath', '-i', false],
  ['isMerged', '-j', false],
  ['mailOptions', '-m', false],
  ['mailList', '-M', false],
  ['holdJobs', '-hold_jid', false],
  ['holdArrayJobs', '-hold_jid_ad', false],
];

/** The flags that the job was submitted with, except where others were given now. */
export function flagsNow(context: EditContext): readonly AskedFlag[] {
  const { job, given } = context;
  const before = FLAGS_OF_WORDS.flatMap(([word, flag, isSoft]): AskedFlag[] => {
    const said = wordOf(job, word);
    if (said === null || isGiven(context, flag, isSoft ? 'soft' : 'hard')) return [];
    return [{ flag, words: [said], layer: 0, isSoft }];
  });
  return [...before, ...given.map((each) => ({ ...each, layer: 0 }))];
}

export function hardAttributes(context: EditContext) {
  return askedAttributes(flagsNow(context), 'hard');
}

/** Of whoever submitted it, where that is known. */
export function homeOf({ job, invocation }: EditContext): string {
  return submitterFrom(wordOf(job, 'submitter'))?.HOME ?? variableOf(invocation.environment, 'HOME') ?? '/';
}
