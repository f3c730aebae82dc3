/**
 * `trainyard submit`: hands in a script or a command, and may stay to see it through. Which options there are
 * and what they mean is in submit-options.ts and job-request.ts.
 */

import { MOST_SCRIPT_BYTES } from '../../model/bounds.ts';
import { bytesFromText } from '../../model/bytes.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { absolutePath, baseName } from '../../model/paths.ts';
import { countOf } from '../../model/ranges.ts';
import { RefusalError } from '../../model/refusal.ts';
import { formatBytes } from '../../model/units.ts';
import { variableOf } from '../environment.ts';
import { gpuWarnings, gpuWordsFrom, withGpuWords } from '../gpu-words.ts';
import { type KeepingAsked, keepingFrom } from '../keeping-words.ts';
import { withKeptCode } from '../kept-code.ts';
import { KeepingMistake } from '../kept-directories.ts';
import { type GivenOption, isGiven, lastGiven, lastValue } from '../options.ts';
import {
  type Asking,
  clock,
  command,
  keepBlob,
  type Program,
  printErr,
  printOut,
  type ReadResult,
  readFile,
  readStdin,
} from '../program.ts';
import { withRequeueWords } from '../requeue-words.ts';
import { counted, quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { readDirectives } from './directives.ts';
import { printNote, refusalError, usageError } from './failure.ts';
import { followJob } from './follow-job.ts';
import { environmentFrom, jobSpecFrom } from './job-request.ts';
import { printJson } from './json.ts';
import { checkScript, readHead, tooLarge } from './script.ts';
import { DEPENDENCY_OPTIONS, SUBMIT_OPTIONS } from './submit-options.ts';
import { sizeOfFile } from './tail.ts';
import { waitForJobs } from './wait.ts';

export const submit: NativeCommand = {
  name: 'submit',
  aliases: ['sub', 'run'],
  group: 'jobs',
  summary: 'hand in a script or a command',
  usage: [
    '[options] SCRIPT [ARGUMENTS…]',
    '[options] -- COMMAND [ARGUMENTS…]',
    '[options] --wrap "SHELL TEXT"',
    '[options] - < SCRIPT',
  ],
  about: [
    'Options come before the script; what follows it belongs to the script.',
    'A script may carry options itself, before its first command: #YARD --cpus 4 --time 2h',
    'or #YARD cpus=4 time=2h. The command line wins over the script.',
    'In paths, %j is the job, %A the array, %a the index, %x the name, %u the user, %N the node,',
    '%t the rank, %r how often it was started again, %% a percent sign.',
    'A warning is for all processes of the job; with main: (or B:) before the signal for its main',
    'process and what that runs in the foreground, with steps: for its steps.',
    'What is kept, and when, is told in docs/checkpoints.md.',
  ],
  examples: [
    { line: 'trainyard submit train.sh', says: 'run a script' },
    {
      line: 'trainyard submit -g 1 -t 2h -- python train.py --lr 0.1',
      says: 'a command on one GPU for two hours',
    },
    { line: 'trainyard submit --share -- python train.py', says: 'takes only what it needs of a GPU' },
    { line: 'trainyard submit -a 0-99%8 sweep.sh', says: 'a hundred runs, eight at once' },
    { line: 'trainyard submit --afterok 17 evaluate.sh', says: 'once job 17 has ended well' },
    {
      line: 'trainyard submit -t 1h --chain --checkpoints out train.sh',
      says: 'hour by hour, until it is done',
    },
    { line: 'trainyard submit -f -- make test', says: 'watch it, and return its exit code' },
  ],
  options: SUBMIT_OPTIONS,
  positionals: 'endOptions',
  arguments: 'some',
  run: runSubmit,
};

function* runSubmit(call: Call): Program {
  const follows = isGiven(call.options, 'follow');
  const waits = isGiven(call.options, 'wait');
  if (follows && call.json) throw usageError('--follow has no JSON form', 'use --wait with --json');
  const handedIn = yield* whatToRun(call);
  const given = yield* withDirectives(call, handedIn);
  if (follows && isGiven(given, 'array')) {
    throw usageError(
      '--follow shows one job, and this is an array',
      'use --wait, then `trainyard logs` for an element',
    );
  }
  const spec = yield* specFrom(call, handedIn, given);
  const result = yield* command({ type: 'submit', spec });
  if (!result.ok) throw new RefusalError(result.refusal);
  const job = result.job as number;
  if (follows) {
    if (!call.quiet) yield* printErr(`submitted job ${job}\n`);
    return yield* followJob(call, { job, index: null });
  }
  if (waits) {
    if (!call.json) yield* announce(call, job, spec);
    return yield* waitForJobs(call, [{ job, index: null }]);
  }
  yield* announce(call, job, spec);
  return 0;
}

function* announce(call: Call, job: number, spec: JobSpec): Asking<void> {
  const elements = spec.array === null ? null : countOf(spec.array.indices);
  if (call.json) yield* printJson({ id: job, ref: `${job}`, name: spec.name, elements });
  else if (call.quiet) yield* printOut(`${job}\n`);
  else {
    const many = elements === null ? '' : `, an array of ${counted(elements, 'element')}`;
    yield* printOut(`submitted job ${job}${many}\n`);
  }
}

/** Either a script with its arguments, or a command. */
type HandedIn =
  | {
      readonly kind: 'script';
      readonly bytes: Uint8Array;
      readonly arguments: readonly string[];
      /** For messages: `"train.sh"`, or `stdin`. */
      readonly called: string;
      readonly name: string;
      readonly path: string | null;
    }
  | { readonly kind: 'command'; readonly argv: readonly string[] };

function* whatToRun(call: Call): Asking<HandedIn> {
  const wrapped = lastValue(call.options, 'wrap');
  const [first, ...rest] = call.positionals;
  if (call.afterDashes !== null) {
    if (wrapped !== null || first !== undefined) {
      throw usageError('give a script, a command after --, or --wrap, but only one of them');
    }
    if ((call.afterDashes[0] ?? '') === '') throw usageError('a command must follow --');
    return { kind: 'command', argv: call.afterDashes };
  }
  if (wrapped !== null) {
    if (first !== undefined) throw usageError('--wrap takes the place of a script: leave one of them out');
    return wrappedScript(wrapped);
  }
  if (first === undefined || first === '-') return yield* scriptFromStdin(call, rest);
  return yield* scriptFromFile(call, first, rest);
}

function wrappedScript(text: string): HandedIn {
  if (text.trim() === '') throw usageError('--wrap must not be empty');
  const bytes = bytesFromText(`#!/bin/sh\n${text}\n`);
  const called = 'the text of --wrap';
  checkScript(bytes, called, 'FILE');
  return { kind: 'script', bytes, arguments: [], called, name: 'wrap', path: null };
}

function* scriptFromStdin(call: Call, rest: readonly string[]): Asking<HandedIn> {
  if (call.positionals.length === 0 && call.invocation.terminal.stdin) {
    throw usageError(
      'there is nothing to submit',
      'name a script: trainyard submit train.sh\nor a command: trainyard submit -- python train.py',
    );
  }
  const read = yield* readStdin(MOST_SCRIPT_BYTES);
  if (!read.ok) {
    throw read.error === 'tooLarge'
      ? tooLarge('stdin', null)
      : refusalError('noSuchFile', 'stdin cannot be read');
  }
  checkScript(read.bytes, 'stdin', 'FILE');
  return { kind: 'script', bytes: read.bytes, arguments: rest, called: 'stdin', name: 'stdin', path: null };
}

function* scriptFromFile(call: Call, path: string, rest: readonly string[]): Asking<HandedIn> {
  const called = quoted(path);
  const read = yield* readFile(path, MOST_SCRIPT_BYTES);
  if (!read.ok) {
    const sizeBytes = read.error === 'tooLarge' ? yield* sizeOfFile(path) : null;
    throw unreadable(read.error, call, path, sizeBytes);
  }
  checkScript(read.bytes, called, path.includes('/') ? path : `./${path}`);
  const absolute = absolutePath(call.invocation.workDir, path);
  const name = baseName(absolute);
  return { kind: 'script', bytes: read.bytes, arguments: rest, called, name, path: absolute };
}

type ReadError = Extract<ReadResult, { ok: false }>['error'];

function unreadable(error: ReadError, call: Call, path: string, sizeBytes: number | null) {
  const called = quoted(path);
  switch (error) {
    case 'missing': {
      const asCommand = `to run a command, put it after --: trainyard submit -- ${call.positionals.join(' ')}`;
      return refusalError(
        'noSuchFile',
        path.startsWith('/')
          ? `there is no file ${called}`
          : `there is no file ${called} in ${call.invocation.workDir}`,
        path.includes('/') && call.positionals.length === 1 ? null : asCommand,
      );
    }
    case 'directory':
      return refusalError('noSuchFile', `${called} is a directory, not a script`);
    case 'denied':
      return refusalError('notAllowed', `${called} may not be read`, 'check its permissions: ls -l');
    case 'tooLarge':
      return tooLarge(called, sizeBytes === null ? null : formatBytes(sizeBytes));
    case 'unreadable':
      return refusalError(
        'noSuchFile',
        `${called} cannot be read as a file`,
        'a pipe can be given as stdin: -',
      );
  }
}

/** The script's options, then those of the command line, which come later and so win. */
function* withDirectives(call: Call, handedIn: HandedIn): Asking<readonly GivenOption[]> {
  if (handedIn.kind === 'command') return call.options;
  const head = readHead(handedIn.bytes);
  if (!call.quiet && !call.json) {
    for (const note of head.notes) yield* printNote(`${handedIn.called}: ${note}`, call.paint);
  }
  const directives = readDirectives(head.directives, SUBMIT_OPTIONS, handedIn.called);
  const replacesDependencies = DEPENDENCY_OPTIONS.some((name) => isGiven(call.options, name));
  const kept = directives.filter(({ name }) => !(replacesDependencies && DEPENDENCY_OPTIONS.includes(name)));
  return [...kept, ...call.options];
}

function* specFrom(call: Call, handedIn: HandedIn, given: readonly GivenOption[]): Asking<JobSpec> {
  const { invocation } = call;
  const now = yield* clock();
  const program = {
    script: null,
    argv: handedIn.kind === 'script' ? handedIn.arguments : handedIn.argv,
    environment: '',
    umask: invocation.umask,
    ulimits: invocation.ulimits,
    spread: isGiven(given, 'every-rank') ? 'everyRank' : 'once',
    caller: null,
  } as const;
  const scriptPath = handedIn.kind === 'script' ? handedIn.path : null;
  const defaultName = handedIn.kind === 'script' ? handedIn.name : baseName(handedIn.argv[0] as string);
  const environment = environmentFrom(given, invocation.environment);
  // Everything is checked before anything is kept, so that a mistake leaves nothing behind.
  const isScript = handedIn.kind === 'script';
  const plain = jobSpecFrom({ given, program, isScript, defaultName, scriptPath }, invocation, now);
  const spec = sharingAsked(call, given, plain);
  const kept = yield* withKeeping(call, given, spec);
  const script = isScript ? yield* keepBlob(handedIn.bytes) : null;
  return { ...kept, program: { ...kept.program, script, environment: yield* keepBlob(environment) } };
}

function* withKeeping(call: Call, given: readonly GivenOption[], spec: JobSpec): Asking<JobSpec> {
  const { parts, wantsSnapshot, warnings } = keepingAsked(call, given, spec);
  const notes = [...warnings, ...gpuWarnings(spec)];
  if (!call.quiet && !call.json) for (const text of notes) yield* printNote(text, call.paint);
  const code = yield* withKeptCode({ ...spec, ...parts }, wantsSnapshot);
  if (!code.ok) throw new RefusalError(code.refusal);
  return code.spec;
}

function keepingAsked(call: Call, given: readonly GivenOption[], spec: JobSpec): KeepingAsked {
  const said = lastGiven(given, ['requeue', 'no-requeue'])?.name;
  return orUsageError(() =>
    keepingFrom(given, {
      workDir: spec.workDir,
      home: homeOf(call),
      isArray: spec.array !== null,
      requeue: said === undefined ? null : said === 'requeue' ? 'yes' : 'no',
    }),
  );
}

/** How it has its GPUs, and which exit codes queue it again. */
function sharingAsked(call: Call, given: readonly GivenOption[], spec: JobSpec): JobSpec {
  const wantsNone = isGiven(given, 'gpus') && spec.resources.gpus === null;
  return orUsageError(() => {
    const words = gpuWordsFrom(given, { workDir: spec.workDir, home: homeOf(call) });
    return withRequeueWords(withGpuWords(spec, words, wantsNone), given);
  });
}

function homeOf({ invocation }: Call): string | null {
  return variableOf(invocation.environment, 'HOME');
}

function orUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof KeepingMistake) throw usageError(error.message, error.hint);
    throw error;
  }
}
