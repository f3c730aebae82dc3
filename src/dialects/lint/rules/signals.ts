/** Traps for signals that never come, signals that nobody catches, and traps that run too late. */

import { baseName } from '../../../model/paths.ts';
import { parseSignal, signalName } from '../../../model/signals.ts';
import { parseWarning } from '../../slurm/submit/signal-values.ts';
import { type Finding, findingOf } from '../finding.ts';
import { BUILTINS, PLAIN_TOOLS } from '../known-words.ts';
import { programOf } from '../shell/script.ts';
import type { Placed } from '../shell/walk.ts';
import { lastAsked, type Rule, type Subject } from '../subject.ts';
import { isWellKnownFile } from '../unexported.ts';

const finding = findingOf('signal');

const SIGUSR1 = 10;
const SIGUSR2 = 12;
/** Those that come only when somebody asks for them. */
const ASKED_FOR = new Set([SIGUSR1, SIGUSR2]);

interface Trap {
  readonly line: number;
  readonly signal: number;
}

export const signals: Rule = (subject) => {
  if (subject.shell === null || subject.commands.some(readsAnother)) return [];
  const traps = trapsIn(subject.commands);
  if (subject.dialect === 'slurm') return inSlurm(subject, traps);
  return subject.dialect === 'gridengine' ? inGridEngine(subject, traps) : [];
};

/** Traps may be in another file. */
function readsAnother({ command }: Placed): boolean {
  return /^(?:\.|source)$/.test(programOf(command) ?? '') && !isWellKnownFile(command.words[1]);
}

function inSlurm(subject: Subject, traps: readonly Trap[]): readonly Finding[] {
  const asked = lastAsked(subject, 'signal');
  const warning = asked?.value == null ? null : parseWarning(asked.value);
  if (asked === null || warning === null) {
    const trap = asked === null ? traps.find(({ signal }) => ASKED_FOR.has(signal)) : undefined;
    if (trap === undefined || sendsSignals(subject)) return [];
    const name = signalName(trap.signal).replace(/^SIG/, '');
    const sentence = `Nothing sends ${signalName(trap.signal)}: no directive asks for it`;
    return [finding('hint', trap.line, sentence, `add #SBATCH --signal=B:${name}@60`)];
  }
  const name = signalName(warning.signal);
  const trap = traps.find(({ signal }) => signal === warning.signal);
  if (warning.scope !== 'main') {
    if (trap === undefined || !ASKED_FOR.has(warning.signal)) return [];
    const sentence = `The trap never runs: ${asked.written} ${asked.value} (line ${asked.line}) tells the steps of srun, not this shell`;
    const advice = `write B: before the signal: --signal=B:${asked.value?.replace(/^R:/i, '') ?? ''}`;
    return [finding('warning', trap.line, sentence, advice)];
  }
  if (trap === undefined) {
    // A program that took the shell's place catches it itself.
    if (subject.commands.some(({ command }) => programOf(command) === 'exec')) return [];
    const sentence = `${name} goes to this shell, which has no trap for it and ends`;
    return [
      finding('warning', asked.line, sentence, 'add a trap, or leave out the B: if srun starts the program'),
    ];
  }
  const foreground = programInForeground(subject.commands, trap.line);
  if (foreground === null || /\bwait\b/.test(subject.text)) return [];
  const program = foreground.command.words[0]?.raw ?? '';
  const sentence = `The trap waits until ${program} in line ${foreground.command.line} has ended, which is too late`;
  return [finding('warning', trap.line, sentence, `start it with & and put wait on the next line`)];
}

function inGridEngine(subject: Subject, traps: readonly Trap[]): readonly Finding[] {
  const notify = lastAsked(subject, '-notify');
  const trap = traps.find(({ signal }) => ASKED_FOR.has(signal));
  const soft = subject.directives.asked.some(
    ({ name, value }) => name === '-l' && /\bs_(?:rt|cpu)=/.test(value ?? ''),
  );
  if (notify === null && trap !== undefined && !soft && !sendsSignals(subject)) {
    const sentence = `Nothing sends ${signalName(trap.signal)}: no directive asks for it`;
    return [finding('hint', trap.line, sentence, 'add #$ -notify, or a soft limit such as #$ -l s_rt=…')];
  }
  if (notify === null || trap !== undefined) return [];
  if (subject.commands.some(({ command }) => programOf(command) === 'exec')) return [];
  const sentence =
    'With -notify SIGUSR2 comes ahead of the end, and without a trap for it the script ends there and then';
  return [finding('hint', notify.line, sentence, "add a trap, if only: trap '' USR1 USR2")];
}

function trapsIn(commands: readonly Placed[]): readonly Trap[] {
  return commands.flatMap(({ command }) => {
    if (programOf(command) !== 'trap' || command.words.length < 3) return [];
    // `trap '' USR1` catches nothing: it lets the shell outlive the signal.
    if (/^:?$/.test(command.words[1]?.text ?? '?')) return [];
    return command.words.slice(2).flatMap(({ text }) => {
      const signal = parseSignal(text ?? '');
      return signal === null ? [] : [{ line: command.line, signal }];
    });
  });
}

/** It may send the signal to itself. */
function sendsSignals({ text }: Subject): boolean {
  return /\b(?:kill|timeout|pkill|scancel)\b[^\n]{0,200}USR/.test(text);
}

function programInForeground(commands: readonly Placed[], afterLine: number): Placed | null {
  const found = commands.find(({ command, around }) => {
    if (command.line <= afterLine || command.kind !== 'simple' || around.isApart) return false;
    if (around.within.some(({ kind }) => kind === 'function')) return false;
    const program = programOf(command);
    return program !== null && !BUILTINS.has(program) && !PLAIN_TOOLS.has(baseName(program));
  });
  return found ?? null;
}
