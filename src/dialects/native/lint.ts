/**
 * `trainyard lint`: looks at scripts before they are submitted and says what will go wrong. Which mistakes it knows
 * is in the rules; here is what it is given to look at and how it is said.
 */

import { MOST_SCRIPT_BYTES } from '../../model/bounds.ts';
import { printable } from '../../model/bytes.ts';
import { absolutePath, baseName } from '../../model/paths.ts';
import { variableNames, variableOf } from '../environment.ts';
import { findingsIn, questionsAbout, scriptToCheck } from '../lint/check.ts';
import type { Finding, Level } from '../lint/finding.ts';
import { SCRIPT_DIALECTS, type ScriptDialect, type World } from '../lint/subject.ts';
import { lastValue } from '../options.ts';
import {
  type Asking,
  findProgram,
  type Program,
  printOut,
  query,
  type ReadResult,
  readFile,
  readStdin,
} from '../program.ts';
import type { Colour } from '../text/colour.ts';
import { counted, listed, quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { badValue, EXIT_OK, EXIT_REFUSED, usageError } from './failure.ts';
import { printJson } from './json.ts';

const AUTO = 'auto';
const DIALECTS: readonly string[] = [...SCRIPT_DIALECTS, AUTO];

export const lint: NativeCommand = {
  name: 'lint',
  aliases: [],
  group: 'jobs',
  summary: 'look for mistakes in scripts before they are submitted',
  usage: ['[--dialect DIALECT] SCRIPT…'],
  about: [
    'Knows mistakes in directives, in what a job is given, and in what a shell makes of a script.',
    'Nothing is run. Returns 1 when there are errors or warnings, and 0 when there are only hints.',
  ],
  examples: [
    { line: 'trainyard lint train.sh', says: 'one script' },
    { line: 'trainyard lint --dialect slurm - < train.sh', says: 'one from stdin, for Slurm' },
    { line: 'trainyard lint -q jobs/*.sh && echo fine', says: 'many; no hints and no advice' },
  ],
  options: [
    {
      name: 'dialect',
      value: 'required',
      argument: 'DIALECT',
      help: 'slurm, gridengine, or auto: by the directives in the script',
    },
  ],
  positionals: 'anywhere',
  arguments: 'some',
  run: runLint,
};

interface Checked {
  /** As its user knows it. */
  readonly script: string;
  readonly dialect: ScriptDialect | null;
  readonly findings: readonly Finding[];
}

function* runLint(call: Call): Program {
  const dialect = dialectAsked(call);
  const paths = call.positionals;
  if (paths.length === 0) throw usageError('lint needs a script', 'for example: trainyard lint train.sh');
  const { queues, unknownQueue } = yield* query('policy', {});
  const known = unknownQueue === 'refuse' ? queues.map(({ name }) => name) : null;
  const checked: Checked[] = [];
  for (const path of paths) checked.push(yield* checkScript(call, path, dialect, known));
  if (call.json) yield* printJson(jsonOf(checked));
  else yield* printOut(textOf(checked, call));
  const levels = checked.flatMap(({ findings }) => findings.map(({ level }) => level));
  return levels.some((level) => level !== 'hint') ? EXIT_REFUSED : EXIT_OK;
}

function dialectAsked(call: Call): ScriptDialect | null {
  const text = lastValue(call.options, 'dialect') ?? AUTO;
  if (!DIALECTS.includes(text)) throw badValue('--dialect', text, `it is ${listed(DIALECTS, 3, 'or')}`);
  return text === AUTO ? null : (text as ScriptDialect);
}

function* checkScript(
  call: Call,
  path: string,
  dialect: ScriptDialect | null,
  queues: readonly string[] | null,
): Asking<Checked> {
  const read = path === '-' ? yield* readStdin(MOST_SCRIPT_BYTES) : yield* readFile(path, MOST_SCRIPT_BYTES);
  const bytes = bytesOf(read, path);
  const { environment, workDir, user } = call.invocation;
  const names = variableNames(environment);
  const isInEnvironment = (name: string) => names.has(name);
  const subject = scriptToCheck(bytes, dialect, isInEnvironment);
  const place = { workDir, home: variableOf(environment, 'HOME'), user, isInEnvironment };
  const questions = questionsAbout(subject, place);
  const directories = new Map<string, boolean | null>();
  for (const each of questions.directories) directories.set(each, yield* isDirectory(each));
  const programs = new Map<string, string | null>();
  for (const each of questions.programs) programs.set(each, yield* whereIs(each, environment));
  const world: World = {
    ...place,
    hasDirectory: (each) => directories.get(each) ?? null,
    programAt: (each) => programs.get(each),
    queues,
  };
  return {
    script: path === '-' ? 'stdin' : path,
    dialect: subject.dialect,
    findings: findingsIn(subject, world),
  };
}

function bytesOf(read: ReadResult, path: string): Uint8Array {
  if (read.ok) return read.bytes;
  const called = path === '-' ? 'stdin' : quoted(path);
  switch (read.error) {
    case 'missing':
      throw usageError(`there is no file ${called}`);
    case 'directory':
      throw usageError(`${called} is a directory, not a script`);
    case 'denied':
      throw usageError(`${called} may not be read`, 'check its permissions: ls -l');
    case 'tooLarge':
      throw usageError(`${called} is larger than any script may be`);
    case 'unreadable':
      throw usageError(`${called} cannot be read as a file`);
  }
}

/** Null when it cannot be said. */
function* isDirectory(path: string): Asking<boolean | null> {
  const read = yield* readFile(path, 1);
  if (read.ok || read.error === 'missing') return false;
  return read.error === 'directory' ? true : null;
}

/** A path, or a name to look for on the PATH. */
function* whereIs(program: string, environment: Uint8Array): Asking<string | null> {
  const isPath = program.includes('/');
  const directory = isPath ? absolutePath('/', `${program}/..`) : (variableOf(environment, 'PATH') ?? '');
  const found = yield* findProgram(isPath ? baseName(program) : program, directory);
  return found?.realPath ?? null;
}

const COLOURS: Readonly<Record<Level, Colour>> = { error: 'red', warning: 'yellow', hint: 'cyan' };

function textOf(checked: readonly Checked[], call: Call): string {
  const rows = checked.flatMap(({ script, findings }) =>
    findings
      .filter(({ level }) => !(call.quiet && level === 'hint'))
      .map((finding) => ({ place: `${printable(script)}:${finding.line}:`, finding })),
  );
  const width = Math.max(0, ...rows.map(({ place }) => place.length));
  const lines = rows.flatMap(({ place, finding: { level, sentence, advice } }) => {
    const word = call.paint(COLOURS[level], `${level}:`);
    const gap = ' '.repeat('warning:'.length - `${level}:`.length);
    const first = `${place.padEnd(width)} ${word}${gap} ${printable(sentence)}`;
    if (call.quiet) return [first];
    return [first, `${' '.repeat(width + 'warning:'.length + 2)}${call.paint('grey', printable(advice))}`];
  });
  if (!call.quiet) lines.push(summary(checked));
  return lines.map((line) => `${line}\n`).join('');
}

function summary(checked: readonly Checked[]): string {
  const scripts = counted(checked.length, 'script');
  const counts = countsOf(checked);
  const said = [
    ...(counts.errors > 0 ? [counted(counts.errors, 'error')] : []),
    ...(counts.warnings > 0 ? [counted(counts.warnings, 'warning')] : []),
    ...(counts.hints > 0 ? [counted(counts.hints, 'hint')] : []),
  ];
  return `${scripts}: ${said.length === 0 ? 'nothing found' : listed(said)}`;
}

function countsOf(checked: readonly Checked[]) {
  const levels = checked.flatMap(({ findings }) => findings.map(({ level }) => level));
  const count = (wanted: Level) => levels.filter((level) => level === wanted).length;
  return { errors: count('error'), warnings: count('warning'), hints: count('hint') };
}

function jsonOf(checked: readonly Checked[]): unknown {
  return { scripts: checked, ...countsOf(checked) };
}
