/** For which system a script is written, by the directives in it. */

import { isComment, type Read, type ScriptDialect } from './subject.ts';

const MARKS: Readonly<Record<ScriptDialect, RegExp>> = {
  slurm: /^#SBATCH(?![A-Za-z0-9_])/,
  gridengine: /^#\$[ \t]*-/,
};

/** Lines with directives of the system, from 1. */
export function markedLines(read: Pick<Read, 'lines' | 'shell'>, dialect: ScriptDialect): readonly number[] {
  return read.lines.flatMap((text, at) =>
    MARKS[dialect].test(text) && isComment(read, at + 1) ? [at + 1] : [],
  );
}

/** The one whose directives come first; null when there are none. */
export function dialectOf(read: Read): ScriptDialect | null {
  const [slurm = Infinity] = markedLines(read, 'slurm');
  const [gridengine = Infinity] = markedLines(read, 'gridengine');
  if (slurm === Infinity && gridengine === Infinity) return null;
  return slurm < gridengine ? 'slurm' : 'gridengine';
}
