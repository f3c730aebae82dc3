/**
 * What a letter about a job says, in Grid Engine's words, to the letter: people have filters for them. Which letters
 * somebody wants is decided by `-m`, and when one is due by whoever sends them; nothing is sent here.
 */

import { printable } from '../../model/bytes.ts';
import type { Attempt, Job } from '../../model/job.ts';
import { signalName } from '../../model/signals.ts';
import { two } from '../text/calendar.ts';
import { FAILED, failureWords } from './accounting/failures.ts';
import { recordOf } from './accounting/of-job.ts';
import type { AccountingRecord } from './accounting/record.ts';
import { errorReason } from './error-reasons.ts';
import { instanceName } from './job-facts.ts';
import { listedMoment } from './moments.ts';
import { isInError } from './states.ts';

/** What is told of it; `by`: who had it killed. `startedAgain`: somebody wants that. */
export type News =
  | { readonly kind: 'started' | 'suspended' | 'continued' | 'ended' | 'startedAgain' }
  | { readonly kind: 'killed'; readonly by: string };

export interface Letter {
  /** The letters of `-m` for which it is sent. */
  readonly wantedBy: readonly ('begin' | 'end' | 'abort' | 'suspend')[];
  readonly subject: string;
  readonly body: string;
}

export interface LetterSurroundings {
  readonly host: string;
  readonly zone: string;
}

/** `attempt` is the run that it is about. */
export function letterOf(
  job: Job,
  attempt: Attempt,
  news: News,
  surroundings: LetterSurroundings,
): Letter | null {
  const name = nameOf(job);
  if (news.kind === 'killed') {
    // Two spaces where there is no task: so it is written there.
    const gap = job.element === null ? '  ' : ' ';
    const body = `${name}${gap}was killed by ${news.by}@${surroundings.host}`;
    return { wantedBy: ['abort'], subject: `${name} Killed`, body };
  }
  switch (news.kind) {
    case 'started':
      return {
        wantedBy: ['begin'],
        ...withFields(`${name} Started`, started(job, attempt, surroundings), 10),
      };
    case 'suspended':
      return {
        wantedBy: ['suspend'],
        ...withFields(`${name} Suspended`, paused(job, attempt, surroundings), 15),
      };
    case 'continued':
      return {
        wantedBy: ['suspend'],
        ...withFields(`${name} Continued`, paused(job, attempt, surroundings), 15),
      };
    case 'startedAgain': {
      const number = `${job.element?.array ?? job.id}`;
      const body = `Your job ${number} is was running on host ${printable(hostOf(attempt))}. Pushed manually/automatic rescheduling for this job.`;
      return { wantedBy: ['abort'], subject: `Pushed rescheduling of job ${number}`, body };
    }
    case 'ended':
      return endLetter(job, attempt, surroundings);
  }
}

function nameOf({ id, element, spec }: Job): string {
  return element === null
    ? `Job ${id} (${printable(spec.name)})`
    : `Job-array task ${element.array}.${element.index} (${printable(spec.name)})`;
}

type Fields = readonly (readonly [string, string])[];

function withFields(subject: string, fields: Fields, width: number): Pick<Letter, 'subject' | 'body'> {
  const lines = fields.map(([field, value]) => `\n ${field.padEnd(width)} = ${printable(value)}`);
  return { subject, body: subject + lines.join('') };
}

function started({ spec }: Job, attempt: Attempt, { zone }: LetterSurroundings): Fields {
  return [
    ['User', spec.user],
    ['Queue', spec.queue],
    ['Host', hostOf(attempt)],
    ['Start Time', listedMoment(attempt.startedAt ?? attempt.assignedAt, zone)],
  ];
}

function paused({ spec, submittedAt }: Job, attempt: Attempt, { zone }: LetterSurroundings): Fields {
  return [
    ['Master queue', instanceName({ queue: spec.queue, node: hostOf(attempt) })],
    ['Owner', spec.user],
    ['Submission time', listedMoment(submittedAt, zone)],
    ['Start time', listedMoment(attempt.startedAt ?? attempt.assignedAt, zone)],
  ];
}

const FIELD_WIDTH = 16;

function endLetter(job: Job, attempt: Attempt, surroundings: LetterSurroundings): Letter | null {
  const record = recordOf(job, attempt, { group: '' });
  if (record === null) return null;
  const where = placeAndTimes(record, surroundings.zone);
  const memory = memoryText(record.maxvmem);
  if (record.failed === FAILED.no) {
    const fields: Fields = [
      ...where,
      ['User Time', clockText(record.utime)],
      ['System Time', clockText(record.stime)],
      ['Wallclock Time', clockText(record.wallclock)],
      ['CPU', clockText(record.cpu)],
      ['Max vmem', memory],
      ['Exit Status', `${record.exitStatus}`],
    ];
    return { wantedBy: ['end'], ...withFields(`${nameOf(job)} Complete`, fields, FIELD_WIDTH) };
  }
  const signal = attempt.exit?.signal ?? null;
  // A run that was stopped for another one is told of like any that was killed.
  const failed = record.failed === FAILED.rescheduling && signal !== null ? FAILED.afterJob : record.failed;
  const action = actionAfter(job, attempt, failed);
  const fields: Fields = [
    ['Exit Status', exitStatusText(attempt)],
    ['Signal', signal === null ? 'unknown signal' : shortSignal(signal)],
    ...where,
    ['CPU', hasReturned(attempt) ? clockText(record.cpu) : 'NA'],
    ['Max vmem', memory],
  ];
  const { subject, body } = withFields(`${nameOf(job)} ${action}`, fields, FIELD_WIDTH);
  const hint = action === IN_ERROR ? CLEARING : '';
  const why = `failed ${failureWords(failed)} because:\n${printable(reasonOf(job, attempt))}${hint}`;
  return { wantedBy: ['abort', 'end'], subject, body: `${body}\n${why}` };
}

function placeAndTimes(record: AccountingRecord, zone: string): Fields {
  const moment = (seconds: number) => (seconds === 0 ? '<unknown>' : listedMoment(seconds * 1000, zone));
  return [
    ['User', record.owner],
    ['Queue', instanceName({ queue: record.qname, node: record.hostname })],
    ['Host', record.hostname],
    ['Start Time', moment(record.startTime)],
    ['End Time', moment(record.endTime)],
  ];
}

const IN_ERROR = 'Set in error state';
const CLEARING = '\nUse "qmod -c <jobid>" to clear job error state\nonce the problem is fixed.';

function actionAfter(job: Job, attempt: Attempt, failed: number): string {
  if (failed === FAILED.applicationError) return 'Rescheduled due to application error';
  if (isInError(job) && job.attempt?.id === attempt.id) return IN_ERROR;
  return failed === FAILED.rescheduling ? 'Rescheduled' : 'Aborted';
}

function reasonOf(job: Job, attempt: Attempt): string {
  if (attempt.fault !== null) return errorReason(attempt.fault);
  const signal = attempt.exit?.signal ?? null;
  const code = attempt.exit?.code ?? null;
  if (signal === null) return code === null ? '<unknown reason>' : `exit_status of job start = ${code}`;
  const number = job.element?.array ?? job.id;
  return `job ${number}.${job.element?.index ?? 1} died through signal ${shortSignal(signal)} (${signal})`;
}

function exitStatusText({ exit }: Attempt): string {
  if (exit === null || (exit.code === null && exit.signal === null)) return '-1';
  return `${exit.signal === null ? exit.code : 128 + exit.signal}`;
}

function hasReturned({ exit }: Attempt): boolean {
  return exit !== null && (exit.code !== null || exit.signal !== null);
}

function hostOf({ placement }: Attempt): string {
  return placement.nodes[0]?.node ?? 'UNKNOWN';
}

function shortSignal(signal: number): string {
  return signalName(signal).replace(/^SIG/, '');
}

/** `00:01:05`. */
function clockText(seconds: number): string {
  const whole = Math.max(0, Math.trunc(seconds));
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(two).join(':');
}

const UNITS = ['', 'K', 'M', 'G', 'T'] as const;

/** `12.345M`. */
function memoryText(bytes: number): string {
  if (bytes <= 0) return 'NA';
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(3)}${UNITS[power]}`;
}
