/** Directives that nobody reads: after the first command, or with a mark that is not quite theirs. */

import { nearest } from '../../../model/nearest.ts';
import { markedLines } from '../dialect-of.ts';
import { type Finding, findingOf } from '../finding.ts';
import { isComment, type Rule, type Subject } from '../subject.ts';

const finding = findingOf('directive-place');

export const directivePlace: Rule = (subject) => [
  ...tooLate(subject),
  ...misspelt(subject),
  ...ofBothSystems(subject),
];

/** Slurm reads directives up to the first command; Grid Engine reads them everywhere. */
function tooLate(subject: Subject): readonly Finding[] {
  if (subject.dialect !== 'slurm') return [];
  const command = firstCommandLine(subject);
  const late = markedLines(subject, 'slurm').filter((line) => line > command);
  return late.map((line) => {
    const sentence = `Slurm reads no #SBATCH line after the first command, which is in line ${command}`;
    return finding('warning', line, sentence, 'move it up, to the other #SBATCH lines');
  });
}

function firstCommandLine({ lines }: Subject): number {
  const at = lines.findIndex((line) => !/^\s*(?:#|$)/.test(line));
  return at === -1 ? Infinity : at + 1;
}

function misspelt(subject: Subject): readonly Finding[] {
  const end = firstCommandLine(subject);
  return subject.lines.flatMap((text, at) => {
    const line = at + 1;
    if (line > end || !isComment(subject, line)) return [];
    const right = subject.dialect === 'gridengine' ? gridEngineMark(text) : slurmMark(text);
    if (right === null) return [];
    const sentence = `This is a comment to ${right === '#$' ? 'Grid Engine' : 'Slurm'}, not a directive`;
    return [finding('warning', line, sentence, `begin the line with ${right}, as it stands here`)];
  });
}

/** What was meant; null when the line is a comment, or as it should be. */
function slurmMark(text: string): string | null {
  const match = /^([ \t]*)#([ \t]*)([A-Za-z]{4,8})[ \t]+--?[A-Za-z]/.exec(text);
  if (match === null || text.startsWith('#SBATCH')) return gridEngineMark(text);
  return nearest(match[3] as string, ['sbatch']).length > 0 ? '#SBATCH' : null;
}

function gridEngineMark(text: string): string | null {
  return /^(?:[ \t]+#\$|[ \t]*#[ \t]+\$)[ \t]*-[A-Za-z]/.test(text) ? '#$' : null;
}

function ofBothSystems(subject: Subject): readonly Finding[] {
  const [slurm] = markedLines(subject, 'slurm');
  const [gridEngine] = markedLines(subject, 'gridengine');
  if (slurm === undefined || gridEngine === undefined) return [];
  const sentence = `There are #SBATCH lines (${slurm}) and #$ lines (${gridEngine}): sbatch reads the ones, qsub the others`;
  return [finding('hint', Math.max(slurm, gridEngine), sentence, 'keep both in step')];
}
