/**
 * What is there before a job starts: a directory of its own, and of a parallel job the list of its hosts and the files
 * into which its environment would write.
 */

import type { Attempt, Job } from '../../../model/job.ts';
import type { Furnishings, VoiceSurroundings } from '../../../model/voice.ts';
import { instanceName } from '../job-facts.ts';
import { defaultName } from '../submit/output-names.ts';
import { wordOf } from '../words.ts';
import { directoryOn, filledPath, hostFile, ownDirectory, spoolDirectory } from './places.ts';

export function furnishingsFor(job: Job, attempt: Attempt, surroundings: VoiceSurroundings): Furnishings {
  const isParallel = wordOf(job, 'pe') !== null;
  return {
    directories: [
      ...attempt.placement.nodes.map((_, at) => directoryOn(at, ownDirectory(job, surroundings))),
      ...(isParallel ? [spoolDirectory(job, surroundings)] : []),
    ],
    files: isParallel ? [{ path: hostFile(job, surroundings), text: hostFileText(job, attempt) }] : [],
    keptFiles: isParallel && job.spec.program.spread !== 'caller' ? parallelOutputs(job, attempt) : [],
  };
}

/** `host slots queue@host processors`, a line for each host. */
function hostFileText({ spec: { queue } }: Job, { placement }: Attempt): string {
  return placement.nodes
    .map(({ node, ranks }) => `${node} ${ranks} ${instanceName({ queue, node })} UNDEFINED\n`)
    .join('');
}

/** Beside output that has its usual name; with a file of its own, that file serves for both. */
function parallelOutputs(job: Job, attempt: Attempt): readonly string[] {
  const isArray = job.element !== null;
  const { stdout, stderr } = job.spec.streams;
  return [[stdout, 'o'] as const, [stderr, 'e'] as const].flatMap(([pattern, letter]) => {
    const usual = defaultName(letter, isArray);
    if (pattern === null || (pattern !== usual && !pattern.endsWith(`/${usual}`))) return [];
    const beside = `${pattern.slice(0, pattern.length - usual.length)}${defaultName(`p${letter}`, isArray)}`;
    return [filledPath(beside, job, attempt)];
  });
}
