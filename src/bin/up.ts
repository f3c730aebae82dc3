/** `trainyard up`: starts a yard or says that one runs, and tells a newcomer what to try. */

import { yardApi } from '../client/api.ts';
import type { Readiness } from '../client/readiness.ts';
import { up as upCommand } from '../dialects/native/client-commands.ts';
import { optionMistake, usageError } from '../dialects/native/failure.ts';
import { GLOBAL_OPTIONS } from '../dialects/native/help.ts';
import { type GivenOption, isGiven, lastValue, parseOptions } from '../dialects/options.ts';
import type { Invocation } from '../dialects/program.ts';
import { type Paint, painter } from '../dialects/text/colour.ts';
import { counted } from '../dialects/text/words.ts';
import { jsonText, printable } from '../model/bytes.ts';
import type { Node } from '../model/node.ts';
import type { NodeView, YardView } from '../model/query.ts';
import { RefusalError, refusal } from '../model/refusal.ts';
import { formatBytes } from '../model/units.ts';
import { type DaemonOptions, daemonOptions, NO_OPTIONS } from './daemon-options.ts';
import { type EnsuredYard, ensureYard } from './ensure-yard.ts';
import { wordsAround } from './native-call.ts';
import { hasOrders, startOrdersOf } from './start-orders.ts';

/** Gives the exit code; throws a RefusalError or a UsageError. */
export async function up(invocation: Invocation): Promise<number> {
  const given = readOptions(invocation);
  const options = daemonOptions(
    lastValue(given, 'config'),
    lastValue(given, 'simulate-gpus'),
    invocation.workDir,
  );
  const orders = startOrdersOf(given);
  if (isGiven(given, 'foreground')) {
    const { runDaemon } = await import('./run-daemon.ts');
    return runDaemon(options, { announce: announceInForeground, alsoLog: toStderr }, orders);
  }
  // Whoever only gives orders for this start does not want the yard to lose the options that it had.
  const kept = hasOrders(orders) && !hasAny(options) ? null : options;
  const yard = await ensureYard(invocation.environment, kept, { orders });
  if (!yard.started && (hasAny(options) || hasOrders(orders))) throw alreadyRuns(yard);
  if (!isGiven(given, 'quiet'))
    await describe(yard, isGiven(given, 'json'), painter(invocation.terminal.colour));
  return 0;
}

function readOptions(invocation: Invocation): readonly GivenOption[] {
  const specs = [...upCommand.options, ...GLOBAL_OPTIONS];
  const outcome = parseOptions(specs, wordsAround(invocation, 'up'), 'anywhere');
  if (!outcome.ok) throw optionMistake(outcome.error, 'trainyard up --help');
  const { positionals, afterDashes, options } = outcome.arguments;
  if (positionals.length > 0 || afterDashes !== null) throw usageError('up takes no arguments');
  return options;
}

function hasAny(options: DaemonOptions): boolean {
  return options.configFile !== NO_OPTIONS.configFile || options.simulateGpus !== NO_OPTIONS.simulateGpus;
}

function alreadyRuns({ directory }: EnsuredYard): RefusalError {
  const message = `a yard already runs in ${directory}, and takes options only when it starts`;
  return new RefusalError(refusal('wrongState', message, 'stop it first with trainyard down'));
}

async function describe(found: EnsuredYard, json: boolean, paint: Paint): Promise<void> {
  const api = yardApi(found.socketPath, found.listeners);
  const yard = await api.get<YardView>('/v1/yard');
  const { nodes } = await api.get<{ nodes: readonly NodeView[] }>('/v1/nodes');
  if (json) process.stdout.write(`${jsonText({ started: found.started, yard, nodes })}\n`);
  else process.stdout.write(description(found, yard, nodes, paint));
}

function description(found: EnsuredYard, yard: YardView, nodes: readonly NodeView[], paint: Paint): string {
  const state = found.started ? 'is up' : 'is already running';
  return [
    `The yard ${state} in ${paint('bold', printable(yard.directory))} (process ${yard.pid}).`,
    ...nodes.map(({ node }) => `  ${paint('cyan', printable(node.name))}  ${nodeText(node)}`),
    ...yard.remarks.map((remark) => paint('grey', `  ${printable(remark)}`)),
    '',
    'Try:',
    '  trainyard submit -- python3 train.py   run something',
    '  trainyard queue                        what runs and what waits',
    '  trainyard top                          watch it live',
    '',
  ].join('\n');
}

function nodeText(node: Node): string {
  const parts = [counted(node.cpus, 'CPU'), `${formatBytes(node.memoryBytes)} memory`];
  const kinds = new Map<string, number>();
  for (const { kind, memoryBytes } of node.devices) {
    const name = `GPU ${printable(kind)} ${formatBytes(memoryBytes)}`;
    kinds.set(name, (kinds.get(name) ?? 0) + 1);
  }
  for (const [name, count] of kinds) parts.push(`${count} × ${name}`);
  return parts.join(', ');
}

function announceInForeground(word: Readiness): void {
  toStderr(word.kind === 'ready' ? `the yard listens on ${word.socketPath}` : word.sentence);
  if (word.kind === 'failed' && word.hint !== null) toStderr(word.hint);
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
