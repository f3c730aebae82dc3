/**
 * That a job was queued again because of its exit code, by which rule, and how to switch that off. Told by `why`, `show`
 * and `squeue` alike.
 */

import type { AskedAgain, Job } from '../model/job.ts';
import { counted } from './text/words.ts';

/** None when its last run did not ask for another one, or when the job has ended. */
export function requeueSentences(job: Job): readonly string[] {
  const asked = askedIn(job);
  if (asked === null) return [];
  return [
    `Its last run ended with exit code ${asked.code}, which ${EFFECT[asked.rule]} ${ruleText(asked)}.`,
    ...(job.fruitless === 0 || job.phase === 'held'
      ? []
      : [`So far ${counted(job.fruitless, 'short run')} in a row asked for another one.`]),
    `To switch that off: ${switchOff(asked)}.`,
  ];
}

/** The same for a table's column. */
export function requeueNote(job: Job): string {
  const asked = askedIn(job);
  if (asked === null) return '';
  const runs = job.fruitless === 0 ? '' : `, after ${counted(job.fruitless, 'short run')} in a row`;
  return `because of exit code ${asked.code}${runs} ${ruleText(asked)}; to switch that off: ${switchOff(asked)}`;
}

/** The same in as few words as can be, for what follows a word of Slurm's in a column. */
export function requeueBrief(job: Job): string {
  const asked = askedIn(job);
  if (asked === null || job.phase === 'active') return '';
  const { code, rule } = asked;
  const runs = job.fruitless === 0 ? '' : ` of ${counted(job.fruitless, 'short run')}`;
  const whose = rule === 'own' ? 'its own rule' : `requeue.${CONFIG_KEYS[rule]} in the config`;
  return `requeued after exit code ${code}${runs} by ${whose}; off: #YARD requeue-on=none`;
}

function askedIn({ phase, askedAgain }: Job): AskedAgain | null {
  return phase === 'ended' ? null : (askedAgain ?? null);
}

const EFFECT: Readonly<Record<AskedAgain['rule'], string>> = {
  exitCodes: 'queues it again',
  holdExitCodes: 'queues it again and holds it',
  own: 'queues it again',
};

function ruleText({ rule }: AskedAgain): string {
  return rule === 'own'
    ? '(a rule of the job itself: #YARD requeue-on, or 99 in Grid Engine)'
    : `(a rule of the yard: ${CONFIG_KEYS[rule]} under [requeue] in its config)`;
}

const CONFIG_KEYS: Readonly<Record<Exclude<AskedAgain['rule'], 'own'>, string>> = {
  exitCodes: 'exit_codes',
  holdExitCodes: 'hold_exit_codes',
};

function switchOff({ rule }: AskedAgain): string {
  if (rule === 'own') return 'write #YARD requeue-on=none into the script and submit it again';
  return `write #YARD requeue-on=none into the script and submit it again, or ${CONFIG_KEYS[rule]} = [] under [requeue] into the config for all jobs`;
}
