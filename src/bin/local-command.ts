/**
 * What a command does at the caller's end: `up`, `down`, `top`, `glb-start`, `glb-run`, help without a yard, and starting a yard for any
 * other command.
 */

import type { Caller } from '../client/caller.ts';
import { type CommandEnd, runCommand } from '../client/command-client.ts';
import type { FoundYard } from '../client/connect.ts';
import { speaksUtf8 } from '../dialects/environment.ts';
import { GLB_COMMANDS } from '../dialects/glb/commands.ts';
import { UsageError } from '../dialects/native/failure.ts';
import { runNative } from '../dialects/native/run.ts';
import type { Invocation } from '../dialects/program.ts';
import { Fault, RefusalError, refusal } from '../model/refusal.ts';
import { loadOneByOne } from '../platform/load-modules.ts';
import { ensureYard, runningYard } from './ensure-yard.ts';
import { invocationOf, nativeWord, tellRefusal } from './native-call.ts';
import { answerWithoutYard } from './without-yard.ts';

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;
const MOST_RETURNS = 20;
const LOOKS = 25;
const LOOK_EVERY_MS = 50;
/** As a shell has it for a program that was ended by SIGPIPE. */
const EXIT_NO_READER = 141;

/** Throws a RefusalError, a UsageError or a Fault. */
export async function runHere(caller: Caller): Promise<CommandEnd> {
  const invocation = invocationOf(caller);
  const glb = GLB_COMMANDS.find(({ name }) => name === invocation.argv[0]);
  if (glb !== undefined) return exit(await (await import('./glb/run.ts')).runGlb(glb, caller, invocation));
  endsWithItsReader();
  const word = nativeWord(invocation);
  if (word === null) return inYard(caller);
  const isClients = word === 'up' || word === 'top';
  if (!isClients || asksForHelp(invocation)) {
    const answered = withoutYard(invocation);
    if (answered !== null) return answered;
  }
  if (word === 'up') {
    const { up } = await loadOneByOne(import.meta.filename, './up', () => import('./up.ts'));
    return exit(await up(invocation));
  }
  if (word === 'top') return top(caller, invocation);
  if (word === 'down') return down(caller, invocation);
  return inYard(caller);
}

/** `trainyard up | head -1`: what nobody reads any more is not worth a complaint. */
function endsWithItsReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT_NO_READER);
  });
}

async function inYard(caller: Caller): Promise<CommandEnd> {
  // A yard that was just stopping closes without having read anything: the second time there is a new one.
  for (let attempt = 1; ; attempt++) {
    const yard = await ensureYard(caller.environment, null);
    if (yard.started && caller.terminals.includes('2')) {
      process.stderr.write([`started a yard in ${yard.directory}`, ...yard.remarks, ''].join('\n'));
    }
    const how = await runCommand(yard, caller, process);
    if (how.kind !== 'notServed' || attempt === 2) return how;
  }
}

/** The yard has gone; what it began for the caller is with the one that comes next. */
export async function goOn(caller: Caller, ticket: string): Promise<CommandEnd> {
  let how: CommandEnd = { kind: 'yardGone', ticket };
  for (let returns = 0; how.kind === 'yardGone' && returns < MOST_RETURNS; returns++) {
    const yard = (await soonRunningYard()) ?? (await ensureYard(caller.environment, null));
    how = await runCommand(yard, caller, process, how.ticket);
  }
  return how;
}

/** Somebody may be starting one already: a service manager, or another command. */
async function soonRunningYard(): Promise<FoundYard | null> {
  for (let look = 0; look < LOOKS; look++) {
    const yard = await runningYard();
    if (yard !== null) return yard;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return null;
}

function asksForHelp({ argv }: Invocation): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

function withoutYard(invocation: Invocation): CommandEnd | null {
  const answered = answerWithoutYard(runNative(invocation));
  if (answered === null) return null;
  for (const { stream, bytes } of answered.printed) process[stream].write(bytes);
  return exit(answered.exitCode);
}

async function top(caller: Caller, invocation: Invocation): Promise<CommandEnd> {
  const { stdin, stdout, colour } = invocation.terminal;
  if (!stdin || !stdout) {
    const message = 'top shows the yard live and needs a terminal';
    throw new UsageError(refusal('badRequest', message, 'trainyard queue prints the same as text'));
  }
  await ensureYard(caller.environment, null);
  const { runTop } = await import('./top.ts');
  const how = await runTop({
    // Whatever makes it unreachable, the screen says that it is away.
    findYard: () => runningYard().catch(() => null),
    zone: invocation.timeZone,
    abilities: { colour, unicode: speaksUtf8(caller.environment) },
  });
  return typeof how === 'number' ? exit(how) : { kind: 'signal', signal: how };
}

async function down(caller: Caller, invocation: Invocation): Promise<CommandEnd> {
  const yard = await runningYard();
  if (yard !== null) return (await import('./down.ts')).down(caller, yard);
  if (invocation.argv.includes('--json')) process.stdout.write('{"stopped":false}\n');
  else if (!invocation.argv.includes('--quiet')) process.stdout.write('no yard is running\n');
  return exit(0);
}

function exit(code: number): CommandEnd {
  return { kind: 'exit', code };
}

/** Says what went wrong and gives the exit code. */
export function explain(error: unknown, caller: Caller): number {
  const invocation = invocationOf(caller);
  if (error instanceof UsageError || error instanceof RefusalError) tellRefusal(error.refusal, invocation);
  else if (error instanceof Fault) tellRefusal(refusal('unavailable', error.message), invocation);
  else if (isFailedCall(error)) tellRefusal(refusal('unavailable', error.message), invocation);
  else throw error;
  return error instanceof UsageError ? EXIT_USAGE : EXIT_REFUSED;
}

/** The machine said no: a full disk, a missing permission, too many files. */
function isFailedCall(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
