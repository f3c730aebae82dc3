/**
 * `qsub`: hands in a script or a command. Which flags there are and what they mean is in submit/; here is what is done
 * with them, and what is said about it.
 */

import { printable } from '../../model/bytes.ts';
import { withKeptCode } from '../kept-code.ts';
import {
  type Asking,
  type Invocation,
  keepBlob,
  type Program,
  printErr,
  printOut,
  query,
} from '../program.ts';
import { jobWaitedFor } from '../waiting-caller.ts';
import type { GridEngineCommand } from './command.ts';
import { GridEngineFailure } from './failure.ts';
import { hasFlag, lastWord } from './flags.ts';
import { EXIT_USAGE } from './submit/complaints.ts';
import { directiveWords, PLAIN_PREFIX } from './submit/directives.ts';
import { QSUB_HELP } from './submit/help.ts';
import { isYes, jobRequest } from './submit/job-request.ts';
import { type AskedFlag, mergedFlags, repeatedFlags } from './submit/layers.ts';
import { requestLayers } from './submit/request-files.ts';
import { commandFrom, defaultNameOf, type Executable, programOf, scriptFrom } from './submit/script.ts';
import { adviceOn } from './submit/script-advice.ts';
import { type Layer, type Reader, readLayer } from './submit/sources.ts';
import { printVerification, submitJob, type Validation, warnOfNoQueue } from './submit/submission.ts';
import { type SubmitterFacts, submitterOf } from './submit/submitter.ts';
import { lookAround, type Surroundings } from './submit/surroundings.ts';
import { jobVariables } from './submit/variables.ts';
import { verifyText } from './submit/verify-text.ts';
import { awaitEnd, startsAtOnce } from './submit/waiting.ts';
import { codeNotKept, withYardLines, type YardLinesRead } from './submit/yard-lines.ts';
import { readMoment } from './written-moments.ts';

export const qsub: GridEngineCommand = { name: 'qsub', run };

function* run(invocation: Invocation): Program {
  const { argv, workDir, user } = invocation;
  const waited = jobWaitedFor(invocation);
  if (waited !== null) return yield* awaitEnd(waited, { user, isTerse: argv.includes('-terse') });
  const reader: Reader = { command: 'qsub', workDir };
  const commandLine = yield* readLayer(reader, 'commandLine', argv.slice(1));
  if (hasFlag(commandLine.flags, '-help')) {
    yield* printOut(QSUB_HELP);
    return 0;
  }
  const yard = yield* query('yard', {});
  const submitter = submitterOf(invocation, yard.host);
  const defaults = yield* requestLayers(reader, yard.directory, submitter.HOME);
  const executable = yield* executableFrom(reader, [...defaults, commandLine]);
  const script = yield* scriptLayer(reader, executable, mergedFlags([...defaults, commandLine]));
  const given = mergedFlags([...defaults, script, commandLine]);
  return yield* submitAsked({
    invocation,
    submitter,
    executable,
    given,
    // The original does not say who warns of what a script repeats.
    repeated: [...repetitions('', script), ...repetitions('qsub: ', commandLine)],
    sendsMail: yard.mail !== null,
  });
}

function repetitions(who: string, layer: Layer): readonly string[] {
  return repeatedFlags(layer).map(
    (flag) => `${who}warning: "${flag}" option has already been set, overriding previous setting\n`,
  );
}

/** With `-b y` a command, whatever it is; otherwise a script, which must be there. */
function* executableFrom({ workDir }: Reader, layers: readonly Layer[]): Asking<Executable> {
  const words = layers.at(-1)?.rest ?? [];
  if (!isYes(mergedFlags(layers), '-b')) return yield* scriptFrom(words, workDir);
  const command = commandFrom(words);
  if (command === null) {
    throw new GridEngineFailure(['qsub: command required for a binary job'], EXIT_USAGE);
  }
  return command;
}

/** What a script says about itself; what it is, and how its lines begin, it cannot say. */
function* scriptLayer(reader: Reader, executable: Executable, outer: readonly AskedFlag[]): Asking<Layer> {
  if (executable.kind === 'command') return { source: 'script', flags: [], rest: [] };
  const prefix = lastWord(outer, '-C') ?? PLAIN_PREFIX;
  const layer = yield* readLayer(reader, 'script', directiveWords(executable.bytes, prefix));
  return { ...layer, flags: layer.flags.filter(({ flag }) => flag !== '-b' && flag !== '-C') };
}

interface Submission {
  readonly invocation: Invocation;
  readonly submitter: SubmitterFacts;
  readonly executable: Executable;
  readonly given: readonly AskedFlag[];
  /** Lines about flags that stand there twice. */
  readonly repeated: readonly string[];
  readonly sendsMail: boolean;
}

function* submitAsked(submission: Submission): Asking<number> {
  const { invocation, submitter, executable, given } = submission;
  const { environment, user } = invocation;
  const variables = jobVariables({ given, environment, home: submitter.HOME, user });
  const surroundings = yield* lookAround(given, submission.sendsMail);
  // Everything is checked before anything is kept, so that a mistake leaves nothing behind.
  const { spec: plain, warnings } = yield* jobRequest(
    {
      command: 'qsub',
      given,
      invocation,
      submitter,
      program: programOf(executable, given, submitter.HOME),
      defaultName: defaultNameOf(executable),
      variables,
      words: {
        script: executable.called,
        ...(executable.kind === 'command' ? { isBinary: 'y' } : {}),
      },
    },
    surroundings,
  );
  const kept = withYardLines(plain, executable, given, submitter.HOME);
  const { spec } = kept;
  for (const line of submission.repeated) yield* printOut(line);
  const advice = executable.kind === 'script' ? adviceOn(executable.bytes, variables.environment) : [];
  for (const text of [...warnings, ...kept.warnings, ...advice]) {
    yield* printErr(`qsub: warning: ${printable(text)}\n`);
  }
  if (hasFlag(given, '-verify')) {
    yield* printOut(verifyText({ ...submission, spec, ...whenAsked(submission, surroundings) }));
    return 0;
  }
  return yield* handIn(submission, kept, variables.environment, surroundings);
}

function whenAsked({ given, invocation: { timeZone: zone } }: Submission, { now }: Surroundings) {
  const deadline = lastWord(given, '-dl');
  const moment = deadline === null ? null : readMoment(deadline, now, zone);
  return { zone, deadlineAt: moment?.ok === true ? moment.at : null, isImmediate: isYes(given, '-now') };
}

function* handIn(
  { invocation: { user }, executable, given }: Submission,
  { spec, wantsSnapshot }: YardLinesRead,
  environment: Uint8Array,
  surroundings: Surroundings,
): Asking<number> {
  const validation = (lastWord(given, '-w') ?? 'n') as Validation;
  if (validation === 'v' || validation === 'p') {
    return yield* printVerification(spec, validation, surroundings.now);
  }
  if (validation === 'w') yield* warnOfNoQueue(spec);
  const code = yield* withKeptCode(spec, wantsSnapshot);
  if (!code.ok) throw codeNotKept(code.refusal);
  const script = executable.kind === 'script' ? yield* keepBlob(executable.bytes) : null;
  const program = { ...spec.program, script, environment: yield* keepBlob(environment) };
  const id = yield* submitJob({ ...code.spec, program }, validation, surroundings);
  const range = spec.origin.words.taskRange;
  const shown = range === undefined ? `${id}` : `${id}.${range}`;
  const isTerse = hasFlag(given, '-terse');
  const isThere = !isYes(given, '-now') || (yield* startsAtOnce(id, shown, user));
  const kind = range === undefined ? 'job' : 'job-array';
  yield* printOut(
    isTerse ? `${shown}\n` : `Your ${kind} ${shown} ("${printable(spec.name)}") has been submitted\n`,
  );
  if (!isThere) return 1;
  return isYes(given, '-sync') ? yield* awaitEnd(id, { user, isTerse }) : 0;
}
