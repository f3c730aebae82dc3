/** Tasks that are asked for and never started: sbatch runs the script once, whatever `--ntasks` says. */

import { baseName } from '../../../model/paths.ts';
import { parseCount, parseNodeCount } from '../../slurm/submit/values.ts';
import { findingOf } from '../finding.ts';
import { programOf } from '../shell/script.ts';
import { lastAsked, type Rule, type Subject } from '../subject.ts';

const finding = findingOf('tasks');

/** Programs of one process; what others do is not known. */
const INTERPRETERS = /^(?:python[\d.]*|julia|Rscript|R|java|perl|node|ruby|matlab|octave)$/;
const LAUNCHERS =
  /\b(?:[sj]run|mpi\w*|horovodrun|orterun|prt?e?run|ibrun|aprun|torchrun|torch\.distributed|deepspeed|accelerate|parallel|pdsh|clush|ssh|ray|dask|xargs|charmrun|lightning|SLURM_\w*(?:TASK|PROC|NODE)\w*)/;

export const tasks: Rule = (subject) => {
  if (subject.dialect !== 'slurm' || subject.shell === null) return [];
  const ntasks = lastAsked(subject, 'ntasks');
  const nodes = lastAsked(subject, 'nodes');
  const taskCount = parseCount(ntasks?.value ?? '', 1) ?? 1;
  const nodeCount = leastNodes(nodes?.value ?? '');
  const program = onlyInterpreter(subject);
  if ((taskCount <= 1 && nodeCount <= 1) || program === null) return [];
  if (nodeCount > 1) {
    const sentence = `${program} runs once, on the first of ${nodeCount} nodes: nothing starts it on the others`;
    return [finding('warning', nodes?.line ?? 0, sentence, 'put srun before it, or ask for one node')];
  }
  const sentence = `${program} runs once: nothing starts it as ${taskCount} tasks`;
  const advice = `put srun before it, or ask for threads: --cpus-per-task=${taskCount}`;
  return [finding('hint', ntasks?.line ?? 0, sentence, advice)];
};

function leastNodes(text: string): number {
  const count = text === '' ? null : parseNodeCount(text);
  return count?.ok === true ? count.min : 1;
}

/** What the script runs, when all of that is known to be one process; null otherwise. */
function onlyInterpreter({ commands, text }: Subject): string | null {
  if (LAUNCHERS.test(text.replaceAll(/^[ \t]*#.*$/gm, ''))) return null;
  if (commands.some(({ around }) => around.pipeline.after === '&')) return null;
  const program = commands
    .map(({ command }) => programOf(command))
    .find((each) => INTERPRETERS.test(baseName(each ?? '')));
  return program ?? null;
}
