/**
 * `qrsh` and `qlogin`: a command, or a shell to work in, where the yard has a place for it; or with `-inherit` inside a
 * job. Which flags there are and what they mean is in submit/; how the place is waited for, in dialects/allocation.ts.
 */

import { printable } from '../../../model/bytes.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { type Allocation, allocateAgain, awaitAllocation, callersProgram } from '../../allocation.ts';
import {
  type Asking,
  type Invocation,
  keepBlob,
  type Program,
  printErr,
  printOut,
  query,
  runHere,
} from '../../program.ts';
import type { GridEngineCommand } from '../command.ts';
import { GridEngineFailure } from '../failure.ts';
import { hasFlag, lastWord } from '../flags.ts';
import { Rejection } from '../submit/complaints.ts';
import { submitFlag } from '../submit/flag-table.ts';
import { isYes, jobRequest } from '../submit/job-request.ts';
import { type AskedFlag, mergedFlags } from '../submit/layers.ts';
import { nameFrom } from '../submit/names.ts';
import { requestLayers } from '../submit/request-files.ts';
import { readLayer } from '../submit/sources.ts';
import { printVerification, submitJob, type Validation, warnOfNoQueue } from '../submit/submission.ts';
import { type SubmitterFacts, submitterOf } from '../submit/submitter.ts';
import { lookAround, type Surroundings } from '../submit/surroundings.ts';
import { jobVariables } from '../submit/variables.ts';
import { verifyText } from '../submit/verify-text.ts';
import { QLOGIN_HELP, QRSH_HELP } from './help.ts';
import { runInside } from './inherit.ts';
import { mannerOf, rankOf, type Session, sessionVariables } from './session.ts';
import { isImmediate, waitingCustoms } from './waiting.ts';

export const qrsh: GridEngineCommand = { name: 'qrsh', run: (invocation) => run('qrsh', invocation) };
export const qlogin: GridEngineCommand = { name: 'qlogin', run: (invocation) => run('qlogin', invocation) };

function* run(command: Session['command'], invocation: Invocation): Program {
  const { argv, workDir } = invocation;
  const commandLine = yield* readLayer({ command, workDir }, 'commandLine', argv.slice(1));
  if (hasFlag(commandLine.flags, '-help')) {
    yield* printOut(command === 'qrsh' ? QRSH_HELP : QLOGIN_HELP);
    return 0;
  }
  const words = commandLine.rest;
  if (command === 'qlogin' && words.length > 0)
    throw new GridEngineFailure(['error: Unknown option script'], 1);
  if (hasFlag(commandLine.flags, '-inherit')) {
    return yield* runInside({ command, given: mergedFlags([commandLine]), words, invocation });
  }
  const yard = yield* query('yard', {});
  const submitter = submitterOf(invocation, yard.host);
  // What is said there is for all commands; each takes what it knows.
  const defaults = yield* requestLayers({ command: 'qsub', workDir }, yard.directory, submitter.HOME);
  const known = defaults.map((layer) => ({
    ...layer,
    flags: layer.flags.filter((each) => isOf(command, each)),
  }));
  const given = mergedFlags([...known, commandLine]);
  const session: Session = { command, given, words, invocation };
  try {
    return yield* runInOwnJob(session, submitter, yard.mail !== null);
  } catch (error) {
    // The original says here only what the master said.
    throw error instanceof Rejection ? new GridEngineFailure(error.reasons, 1) : error;
  }
}

function isOf(command: Session['command'], { flag }: Pick<AskedFlag, 'flag'>): boolean {
  return submitFlag(flag)?.by.includes(command) === true;
}

function* runInOwnJob(session: Session, submitter: SubmitterFacts, sendsMail: boolean): Asking<number> {
  const { given, invocation } = session;
  const { ticket, environment, user } = invocation;
  const customs = waitingCustoms(session);
  const again = ticket === null ? null : allocateAgain(ticket, customs);
  if (again !== null) return yield* runIn(session, yield* again);
  const variables = jobVariables({ given, environment, home: submitter.HOME, user });
  const surroundings = yield* lookAround(given, sendsMail);
  const called = calledBy(session);
  const { spec, warnings } = yield* jobRequest(
    {
      command: session.command,
      given: given.filter(({ flag }) => !STREAMS.includes(flag)),
      invocation,
      submitter,
      program: callersProgram(invocation, session.words),
      defaultName: nameOf(session),
      variables,
      words: { script: called, isBinary: 'y', ...(isImmediate(session) ? { isImmediate: 'y' } : {}) },
    },
    surroundings,
  );
  for (const text of [...warnings, ...streamWarnings(session)])
    yield* printErr(`${session.command}: warning: ${printable(text)}\n`);
  if (hasFlag(given, '-verify')) {
    const executable = { kind: 'command', called, args: session.words.slice(1) } as const;
    const zone = invocation.timeZone;
    yield* printOut(
      verifyText({ spec, submitter, executable, zone, deadlineAt: null, isImmediate: isImmediate(session) }),
    );
    return 0;
  }
  const blob = yield* keepBlob(variables.environment);
  return yield* handIn(session, callersJob(spec, blob), surroundings);
}

/** Whoever asked for the place runs in it once, and sees the output. */
function callersJob(spec: JobSpec, environment: string): JobSpec {
  const { aftermath: _, ...own } = spec;
  const streams = { ...spec.streams, stdin: null, stdout: '/dev/null', stderr: null };
  return { ...own, program: { ...spec.program, environment }, streams, requeue: false };
}

function* handIn(session: Session, spec: JobSpec, surroundings: Surroundings): Asking<number> {
  const validation = (lastWord(session.given, '-w') ?? 'n') as Validation;
  if (validation === 'v' || validation === 'p')
    return yield* printVerification(spec, validation, surroundings.now);
  if (validation === 'w') yield* warnOfNoQueue(spec);
  const id = yield* submitJob(spec, validation, surroundings);
  if (isVerbose(session)) {
    yield* printOut(`Your job ${id} ("${printable(spec.name)}") has been submitted\n`);
    yield* printErr('waiting for interactive job to be scheduled ...\n');
  }
  return yield* runIn(session, yield* awaitAllocation(id, waitingCustoms(session)));
}

function* runIn(session: Session, { job, attempt }: Allocation): Asking<number> {
  const policy = yield* query('policy', {});
  const queue = policy.queues.find(({ name }) => name === job.spec.queue);
  const [share] = attempt.placement.nodes;
  if (share === undefined) throw new Error(`attempt ${attempt.id} has no place`);
  if (isVerbose(session)) {
    yield* printErr(
      `Your interactive job ${job.id} has been successfully scheduled.\nEstablishing builtin session to host ${share.node} ...\n`,
    );
  }
  const rank = rankOf(session, {
    share,
    nodeNumber: 0,
    workDir: job.spec.workDir,
    isPinned: job.spec.resources.cpusAsked,
    variables: sessionVariables(session),
  });
  return yield* runHere({
    attempt: attempt.id,
    step: null,
    holdsJob: true,
    ranks: [rank],
    environment: 'job',
    input: hasFlag(session.given, '-nostdin') ? { kind: 'none' } : { kind: 'rank', rank: 0 },
    manner: mannerOf(session, `${job.id}`, queue?.graceMs ?? policy.graceMs),
  });
}

/** `qlogin` always says what it does. */
function isVerbose({ command, given }: Session): boolean {
  return command === 'qlogin' || hasFlag(given, '-verbose');
}

/** What Grid Engine calls the script of such a job. */
function calledBy({ command, words }: Session): string {
  if (words.length > 0) return 'QRSH';
  return command === 'qlogin' ? 'QLOGIN' : 'QRLOGIN';
}

/** The first word may be a whole command line. */
function nameOf(session: Session): string {
  const [program = ''] = (session.words[0] ?? '').trim().split(/[^\w./+-]/);
  const name = nameFrom(program);
  return /^[A-Za-z_]/.test(name) ? name : calledBy(session);
}

const STREAMS = ['-o', '-e', '-j'];

function streamWarnings({ given }: Session): readonly string[] {
  const flags = [...new Set(given.map(({ flag }) => flag))].filter((flag) => STREAMS.includes(flag));
  const warnings = flags.map((flag) => `${flag} has no effect here: output goes to where it was called`);
  if (lastWord(given, '-b') !== null && !isYes(given, '-b'))
    warnings.push('-b n has no effect here: what is named is run where it is');
  return warnings;
}
