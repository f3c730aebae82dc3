/** `trainyard show`: everything about one job. */

import { bytesFromText, printable } from '../../model/bytes.ts';
import { type Attempt, displayId, isLive, type Job } from '../../model/job.ts';
import type { DependencyTerm } from '../../model/job-spec.ts';
import { type Keeping, NOTHING_KEPT, type Progress } from '../../model/keeping.ts';
import { keepingPaths } from '../../model/keeping-paths.ts';
import type { JobDetail, LiveUsage } from '../../model/query.ts';
import { formatRanges } from '../../model/ranges.ts';
import { signalName } from '../../model/signals.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { isGiven } from '../options.ts';
import { type Asking, clock, type Program, printOut, query } from '../program.ts';
import { requeueNote } from '../requeue-sentences.ts';
import { type Column, type Row, table } from '../text/table.ts';
import { fromNow, fullTime } from '../text/times.ts';
import { counted, listed } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { noteJson, noteText, progressJson, progressText, retentionText } from './checkpoints-table.ts';
import { deviceUseTable } from './device-use-table.ts';
import { exitText } from './endings.ts';
import { refusalError } from './failure.ts';
import { elementsText, programText, resourcesText, runTimeMs, sharesText } from './job-facts.ts';
import { attemptJson, jobJson, printJson } from './json.ts';
import { limitsText } from './limits-text.ts';
import { findJob, oneJobRef } from './look-up.ts';
import { shortReason } from './reasons.ts';
import { attemptState, OUTCOME_WORDS, stateCell, stateOf } from './states.ts';
import { stepJson, stepsTable } from './steps-table.ts';

export const show: NativeCommand = {
  name: 'show',
  aliases: ['info'],
  group: 'jobs',
  summary: 'everything about one job',
  usage: ['[options] JOB'],
  about: [],
  examples: [
    { line: 'trainyard show 17', says: 'what it asked for, where it ran, how it went' },
    { line: 'trainyard show --script 17 > again.sh', says: 'the script as it was handed in' },
  ],
  options: [{ name: 'script', value: 'none', help: 'print the script as it was handed in' }],
  positionals: 'anywhere',
  arguments: 'some',
  run: runShow,
};

function* runShow(call: Call): Program {
  const ref = oneJobRef(call.positionals, 'show');
  const { detail } = yield* findJob(ref);
  if (isGiven(call.options, 'script')) {
    yield* printScript(call, detail);
    return 0;
  }
  const now = yield* clock();
  const live = yield* liveUsage(detail.view.job);
  const progress = live?.progress ?? detail.view.job.attempt?.progress;
  if (call.json) yield* printJson(detailJson(detail, live, progress, now, call.zone));
  else {
    const facts = factsOf(detail, progress, now, call.zone).filter(([, value]) => value !== '');
    const rows = facts.map(([name, value]): Row => [{ text: name, colour: 'grey' }, value]);
    yield* printOut(`${call.paint('bold', printable(headline(detail.view.job)))}\n`);
    yield* printOut(table(FACT_COLUMNS, rows, { ...call, width: null, indent: '  ', titles: false }));
    if (detail.attempts.length > 0) yield* printOut(`\n${attemptsTable(detail, now, call)}`);
    const used = deviceUseTable(detail.attempts, live?.devices, call);
    if (used !== '') yield* printOut(`\n${used}`);
    if (detail.steps.length > 0) yield* printOut(`\n${stepsTable(detail.steps, now, call)}`);
  }
  return 0;
}

/** What it uses now, and what its program says of itself; null when it does not run. */
function* liveUsage({ id, attempt }: Job): Asking<LiveUsage | null> {
  return isLive(attempt) ? yield* query('usage', { ref: { job: id, index: null } }) : null;
}

const FACT_COLUMNS: readonly Column[] = [{ title: '' }, { title: '' }];

function* printScript(call: Call, { view, script }: JobDetail): Asking<void> {
  if (script === null) {
    throw refusalError(
      'wrongState',
      `job ${displayId(view.job)} is a command and has no script`,
      printable(programText(view.job.spec)),
    );
  }
  if (call.json) yield* printJson({ id: view.job.id, ref: displayId(view.job), script });
  else yield* printOut(bytesFromText(script));
}

function headline(job: Job): string {
  return `${job.array === null ? 'job' : 'array'} ${displayId(job)}  ${job.spec.name}`;
}

type Fact = readonly [name: string, value: string];

function factsOf(
  detail: JobDetail,
  progress: Progress | undefined,
  now: number,
  zone: string,
): readonly Fact[] {
  const { view } = detail;
  const { job } = view;
  const { spec } = job;
  const time = (at: number | null) => (at === null ? '' : `${fullTime(at, zone)} (${fromNow(at, now)})`);
  return [
    ['state', stateOf(job).word],
    ['why', view.reason === null ? '' : shortReason(view.reason, now, zone)],
    ['note', job.note ?? ''],
    ['exit', job.phase === 'ended' ? exitText(job) : ''],
    ['elements', arrayText(job)],
    ['number', job.element === null ? '' : `${job.id}`],
    ['user', spec.user],
    ['account', spec.account ?? ''],
    ['queue', spec.queue],
    ['QOS', spec.qos ?? ''],
    ['priority', view.priority === null ? '' : `${Math.round(view.priority)}`],
    ['runs', programText(spec)],
    ['in', spec.workDir],
    ['wants', resourcesText(spec.resources)],
    ['kind', spec.kind ?? ''],
    ['GPU log', spec.gpuLog ?? ''],
    ['constraint', spec.resources.constraint ?? ''],
    ['only on', spec.resources.onlyNodes.join(', ')],
    ['not on', spec.resources.exceptNodes.join(', ')],
    ['time limit', spec.limitMs === null ? 'none' : formatDuration(spec.limitMs)],
    ['warning', warningText(job)],
    ...keepingFacts(job, progress, now),
    ['depends on', dependencyText(job)],
    ['limits', limitsText(job.attempt?.loweredLimits ?? [])],
    ['suspended', isLive(job.attempt) ? suspensionText(job.attempt, time) : ''],
    ['submitted', time(job.submittedAt)],
    ['begins', time(spec.beginAt)],
    ['deadline', time(spec.deadlineAt)],
    ['ended', time(job.endedAt)],
    ['ended by', job.endedBy ?? ''],
    ['restarts', job.restarts === 0 ? '' : `${job.restarts}`],
    ['queued again', requeueNote(job)],
    ['requeue', requeueText(job)],
    ['stdout', job.array === null ? view.stdoutPath : spec.streams.stdout],
    ['stderr', (job.array === null ? view.stderrPath : spec.streams.stderr) ?? ''],
    ['stdin', spec.streams.stdin ?? ''],
    ['comment', spec.comment ?? ''],
  ];
}

function keepingFacts(job: Job, progress: Progress | undefined, now: number): readonly Fact[] {
  const { keeping = NOTHING_KEPT, chain } = job.spec;
  const { checkpoints, persist, logs } = job.array === null ? keepingPaths(job, job.attempt, null) : keeping;
  return [
    ['checkpoints', checkpoints ?? ''],
    ['kept in', persist ?? ''],
    ['keeps', retentionText(keeping)],
    ['newest safe', job.checkpoint === undefined ? '' : noteText(job.checkpoint, now)],
    ['trouble', job.attempt?.trouble ?? ''],
    ['progress', progress === undefined ? '' : progressText(progress, now)],
    ['logs', logs.map(({ from, to }) => `${from} to ${to}`).join('; ')],
    ['scratch', scratchText(keeping)],
    ['code', keeping.snapshot === null ? '' : `as submitted, from ${keeping.snapshot.root}`],
    ['chain', chain === true ? 'goes on after its time limit' : ''],
    ['no progress', (job.stagnant ?? 0) === 0 ? '' : `in its last ${counted(job.stagnant ?? 0, 'run')}`],
  ];
}

function requeueText({ spec: { requeue, aftermath } }: Job): string {
  const codes = aftermath?.againExitCodes ?? null;
  if (codes === null) return requeue ? '' : 'never';
  if (codes.length === 0) return requeue ? 'after no exit code' : 'never';
  return `${requeue ? '' : 'only '}after exit code ${listed(codes.map(String), 20, 'or')}`;
}

function scratchText({ scratch }: Keeping): string {
  if (scratch === null) return '';
  return scratch.maxBytes === null ? 'as much as there is' : `at most ${formatBytes(scratch.maxBytes)}`;
}

function arrayText(job: Job): string {
  if (job.array === null || job.spec.array === null) return '';
  const { throttle, indices } = job.spec.array;
  const ended = Object.entries(job.array.ended).map(
    ([outcome, count]) => `${count} ${OUTCOME_WORDS[outcome as keyof typeof OUTCOME_WORDS].word}`,
  );
  return [
    `${elementsText(job)} (${formatRanges(indices)})`,
    throttle === null ? '' : `${throttle} at once`,
    `${job.array.live} under way`,
    ...ended,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function suspensionText(attempt: Attempt, time: (at: number | null) => string): string {
  const { suspendedAt, makesRoomFor } = attempt;
  if (suspendedAt === null) return '';
  return makesRoomFor == null
    ? time(suspendedAt)
    : `${time(suspendedAt)} to make room for job ${makesRoomFor}`;
}

function warningText(job: Job): string {
  const { warning } = job.spec;
  if (warning === null) return '';
  const whom = WARNED[typeof warning.scope === 'object' ? 'steps' : warning.scope];
  return `${signalName(warning.signal)}${whom}, ${formatDuration(warning.beforeMs)} before the limit`;
}

const WARNED = { main: ' to the main process', all: '', steps: ' to its steps' } as const;

function dependencyText(job: Job): string {
  const { dependencies } = job.spec;
  if (dependencies === null) return '';
  return listed(dependencies.terms.map(termText), 20, dependencies.need === 'all' ? 'and' : 'or');
}

function termText(term: DependencyTerm): string {
  if (term.kind === 'singleton') return 'singleton';
  const delay = term.delayMs === undefined ? '' : `+${formatDuration(term.delayMs)}`;
  return `${term.kind}:${term.job}${term.index === null ? '' : `_${term.index}`}${delay}`;
}

const ATTEMPT_COLUMNS: readonly Column[] = [
  { title: 'ATTEMPT' },
  { title: 'STATE' },
  { title: 'EXIT' },
  { title: 'STARTED' },
  { title: 'RAN', align: 'right' },
  { title: 'CPU', align: 'right' },
  { title: 'MEMORY', align: 'right' },
  { title: 'WHERE', shrinkTo: 12 },
  { title: 'FAULT', shrinkTo: 12 },
];

function attemptsTable({ view, attempts }: JobDetail, now: number, call: Call): string {
  const rows = attempts.map((attempt) => attemptRow(view.job, attempt, now, call.zone));
  return table(ATTEMPT_COLUMNS, rows, { ...call, indent: '  ' });
}

function attemptRow(job: Job, attempt: Attempt, now: number, zone: string): Row {
  const ranMs = runTimeMs(attempt, now);
  const cpuMs = attempt.usage?.cpuMs ?? null;
  const peak = attempt.usage?.peakMemoryBytes ?? null;
  return [
    attempt.id,
    stateCell(attemptState(attempt)),
    exitText({ ...job, attempt }) || '-',
    attempt.startedAt === null ? '-' : fullTime(attempt.startedAt, zone),
    ranMs === null ? '-' : formatDuration(ranMs),
    cpuMs === null ? '-' : formatDuration(cpuMs),
    peak === null ? '-' : formatBytes(peak),
    sharesText(attempt.placement).join('; '),
    attempt.fault ?? '',
  ];
}

function detailJson(
  detail: JobDetail,
  live: LiveUsage | null,
  progress: Progress | undefined,
  now: number,
  zone: string,
): Record<string, unknown> {
  const { job } = detail.view;
  const { spec } = job;
  return {
    ...jobJson(detail.view, now, zone),
    workDir: spec.workDir,
    argv: spec.program.argv,
    isScript: spec.program.script !== null,
    spread: spec.program.spread,
    streams: spec.streams,
    warning: spec.warning,
    dependencies: spec.dependencies,
    requeue: spec.requeue,
    chain: spec.chain ?? false,
    keeping: spec.keeping ?? null,
    checkpoint: noteJson(job.checkpoint),
    progress: progressJson(progress),
    stagnant: job.stagnant ?? 0,
    fruitless: job.fruitless,
    askedAgain: job.askedAgain ?? null,
    kind: spec.kind ?? null,
    gpuLog: spec.gpuLog ?? null,
    devices: live?.devices ?? job.attempt?.usage?.devices ?? [],
    nice: spec.nice,
    origin: spec.origin,
    attempts: detail.attempts.map((attempt) => attemptJson(attempt, now)),
    steps: detail.steps.map((step) => stepJson(step, now)),
    elements: detail.elements.map((element) => jobJson(element, now, zone)),
  };
}
