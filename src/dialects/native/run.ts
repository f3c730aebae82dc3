/**
 * The entry of Trainyard's own command language: finds the command, reads its options, runs it, and turns what
 * goes wrong into a sentence (or a JSON value) and an exit code.
 */

import { nearest } from '../../model/nearest.ts';
import { Fault, type Refusal, RefusalError, refusal } from '../../model/refusal.ts';
import { isGiven, type OptionSpec, type ParsedArguments, parseOptions } from '../options.ts';
import { type Asking, type Invocation, type Program, printOut } from '../program.ts';
import { painter } from '../text/colour.ts';
import { listed, quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { COMMANDS, commandNamed } from './commands.ts';
import {
  EXIT_OK,
  EXIT_REFUSED,
  EXIT_USAGE,
  optionMistake,
  printFailure,
  UsageError,
  usageError,
} from './failure.ts';
import { GLOBAL_OPTIONS, helpOf, overview, VERSION_OPTION } from './help.ts';
import { printJson } from './json.ts';
import { VERSION } from './version.ts';

const LEAST_COLUMNS = 40;

export function* runNative(invocation: Invocation): Program {
  let json = mentionsJson(invocation.argv);
  try {
    const task = taskFor(invocation);
    json = task.json;
    return yield* task.run();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    yield* printFailure(reason, { json, paint: painter(invocation.terminal.colour) });
    return error instanceof UsageError ? EXIT_USAGE : EXIT_REFUSED;
  }
}

/** What the command line asks for, all of its options read. */
interface Task {
  readonly json: boolean;
  readonly run: () => Program;
}

function taskFor(invocation: Invocation): Task {
  const globals = [...GLOBAL_OPTIONS, VERSION_OPTION];
  const before = parsed(globals, invocation.argv.slice(1), 'endOptions', 'trainyard help');
  const [word, ...rest] = [...before.positionals, ...(before.afterDashes ?? [])];
  const isJson = isGiven(before.options, 'json');
  if (isGiven(before.options, 'version')) return { json: isJson, run: () => printVersion(isJson) };
  if (word === undefined) {
    const isAsked = isGiven(before.options, 'help') || invocation.argv.length <= 1;
    if (!isAsked) throw usageError('a command is missing', 'see `trainyard help`');
    return { json: isJson, run: () => printHelp(null, invocation, isJson) };
  }
  return word === 'help'
    ? helpTask(invocation, before, rest)
    : commandTask(invocation, mustBeCommand(word), before, rest);
}

function helpTask(invocation: Invocation, before: ParsedArguments, rest: readonly string[]): Task {
  const after = parsed(GLOBAL_OPTIONS, rest, 'anywhere', 'trainyard help');
  const [topic, ...more] = after.positionals;
  if (more.length > 0) throw usageError('help takes one command at a time');
  const command = topic === undefined ? null : mustBeCommand(topic);
  const json = isGiven([...before.options, ...after.options], 'json');
  return { json, run: () => printHelp(command, invocation, json) };
}

function commandTask(
  invocation: Invocation,
  command: NativeCommand,
  before: ParsedArguments,
  rest: readonly string[],
): Task {
  const { name, positionals, run } = command;
  const known = [...command.options, ...GLOBAL_OPTIONS];
  const after = parsed(known, rest, positionals, `trainyard ${name} --help`);
  const call = callFrom(invocation, command, { ...after, options: [...before.options, ...after.options] });
  const { json } = call;
  if (isGiven(call.options, 'help')) return { json, run: () => printHelp(command, invocation, json) };
  if (command.arguments === 'none' && call.positionals.length > 0) {
    throw usageError(`${name} takes no arguments`, `see \`trainyard ${name} --help\``);
  }
  if (run === 'client') {
    throw usageError(`${name} cannot be asked of a running yard`, 'run it from a shell of its own');
  }
  return { json, run: () => run(call) };
}

function callFrom(invocation: Invocation, command: NativeCommand, given: ParsedArguments): Call {
  const { terminal, timeZone } = invocation;
  const { options, positionals, afterDashes } = given;
  // Only where another command line may follow does it matter on which side of `--` a word stood.
  const merged = command.positionals === 'anywhere';
  return {
    invocation,
    options,
    positionals: merged ? [...positionals, ...(afterDashes ?? [])] : positionals,
    afterDashes: merged ? null : afterDashes,
    json: isGiven(options, 'json'),
    quiet: isGiven(options, 'quiet'),
    paint: painter(terminal.colour),
    width: terminal.stdout ? Math.max(LEAST_COLUMNS, terminal.columns) : null,
    zone: timeZone,
  };
}

function parsed(
  options: readonly OptionSpec[],
  argv: readonly string[],
  style: 'anywhere' | 'endOptions',
  helpCommand: string,
): ParsedArguments {
  const outcome = parseOptions(options, argv, style);
  if (!outcome.ok) throw optionMistake(outcome.error, helpCommand);
  return outcome.arguments;
}

function mustBeCommand(word: string): NativeCommand {
  const command = commandNamed(word);
  if (command !== null) return command;
  const meant = nearest(
    word,
    COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]),
  );
  const hint = meant.length === 0 ? 'see `trainyard help`' : `did you mean ${listed(meant, 3, 'or')}?`;
  throw usageError(`there is no command ${quoted(word)}`, hint, meant);
}

function* printHelp(command: NativeCommand | null, invocation: Invocation, json: boolean): Asking<number> {
  const paint = painter(invocation.terminal.colour && !json);
  const text = command === null ? overview(COMMANDS, paint) : helpOf(command, paint);
  if (json) yield* printJson({ help: text });
  else yield* printOut(text);
  return EXIT_OK;
}

function* printVersion(json: boolean): Asking<number> {
  if (json) yield* printJson({ version: VERSION });
  else yield* printOut(`trainyard ${VERSION}\n`);
  return EXIT_OK;
}

/** What a person is told; null for a defect, which is not theirs. */
function reasonOf(error: unknown): Refusal | null {
  if (error instanceof UsageError || error instanceof RefusalError) return error.refusal;
  if (error instanceof Fault) return refusal('unavailable', error.message);
  return null;
}

/** For errors in options that cannot be read: whether --json is among them. */
function mentionsJson(argv: readonly string[]): boolean {
  const dashes = argv.indexOf('--');
  return (dashes === -1 ? argv : argv.slice(0, dashes)).slice(1).includes('--json');
}
