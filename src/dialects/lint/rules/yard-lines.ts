/** `#YARD` lines, which are comments to every other system: mistakes in them, and what they are no good for alone. */

import { foreignYardLines, readYardLine } from '../../foreign-yard-lines.ts';
import { gpuWordsFrom } from '../../gpu-words.ts';
import { type KeepingContext, keepingFrom } from '../../keeping-words.ts';
import { KeepingMistake } from '../../kept-directories.ts';
import { isGiven } from '../../options.ts';
import { exitCodesFrom } from '../../requeue-words.ts';
import { lateNote, TOO_LONG, yardLines } from '../../yard-lines.ts';
import { type Finding, findingOf, type Level } from '../finding.ts';
import { lastAsked, type Rule, type Subject, type World } from '../subject.ts';

const finding = findingOf('yard');

/** More than anybody writes. */
const MOST_LINES = 500;

export const yardDirectives: Rule = (subject, world) => {
  const { lines, lateLine, isTooLong } = yardLines(subject.bytes);
  if (isTooLong) return [finding('error', 1, TOO_LONG, 'leave out those that say the same')];
  const late =
    lateLine === null ? [] : [finding('warning', lateLine, afterColon(lateNote(lateLine)), 'move it up')];
  const mistakes = lines.slice(0, MOST_LINES).flatMap((line) => {
    const mistake = mistakeIn(() => readYardLine(line));
    return mistake === null ? [] : [saying(mistake, 'error', line.lineNumber)];
  });
  const [first] = lines;
  if (first === undefined || mistakes.length > 0) return [...mistakes, ...late];
  return [...together(subject, world, first.lineNumber), ...late];
};

function together(subject: Subject, world: World, line: number): readonly Finding[] {
  const { given, warnings } = foreignYardLines(subject.bytes);
  const context = contextOf(subject, world);
  const mistake =
    mistakeIn(() => keepingFrom(given, context)) ??
    mistakeIn(() => gpuWordsFrom(given, context)) ??
    mistakeIn(() => exitCodesFrom(given));
  if (mistake !== null) return [saying(mistake, 'error', line)];
  // What a script for nobody else says besides is read by `trainyard submit`.
  const others = subject.dialect === null ? [] : warnings.filter((text) => text.startsWith('#YARD'));
  const { parts, warnings: shared } = keepingFrom(given, context);
  return [
    ...others.map((text) => finding('hint', line, text, 'say it to the system that runs the script')),
    ...shared.map((text) => finding('warning', line, text, 'put %a into the directory')),
    ...(subject.dialect === null ? [] : limits(subject, line, isGiven(given, 'chain'), parts)),
  ];
}

function limits(
  subject: Subject,
  line: number,
  isChained: boolean,
  { chain, keeping }: ReturnType<typeof keepingFrom>['parts'],
): readonly Finding[] {
  const hasLimit = hasTimeLimit(subject);
  if (isChained && !hasLimit) {
    const sentence = 'chain is about a time limit, and the script asks for none';
    const advice = subject.dialect === 'slurm' ? 'add #SBATCH --time=…' : 'add #$ -l h_rt=…';
    return [finding('hint', line, sentence, advice)];
  }
  if (hasLimit && chain !== true && (keeping?.checkpoints ?? null) !== null) {
    const sentence = 'The job keeps checkpoints, but its time limit ends it for good';
    return [finding('hint', line, sentence, 'add chain to the #YARD line, if it is to go on then')];
  }
  return [];
}

function hasTimeLimit(subject: Subject): boolean {
  return subject.directives.asked.some(
    ({ name, value }) => name === 'time' || (name === '-l' && /\b[hs]_rt=/.test(value ?? '')),
  );
}

function contextOf(subject: Subject, { workDir, home }: World): KeepingContext {
  const rerun = lastAsked(subject, 'requeue', 'no-requeue', '-r');
  const says = rerun?.name === 'requeue' || (rerun?.name === '-r' && /^y/i.test(rerun.value ?? ''));
  return {
    workDir,
    home,
    isArray: lastAsked(subject, 'array', '-t') !== null,
    requeue: rerun === null ? null : says ? 'yes' : 'no',
  };
}

function mistakeIn(read: () => unknown): KeepingMistake | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof KeepingMistake) return error;
    throw error;
  }
}

function saying({ message, hint }: KeepingMistake, level: Level, line: number): Finding {
  const sentence = message.startsWith('#YARD in line') ? afterColon(message) : message;
  return finding(level, line, sentence, hint ?? 'see docs/commands.md');
}

/** The finding says the line already. */
function afterColon(text: string): string {
  return text.slice(text.indexOf(': ') + 2);
}
