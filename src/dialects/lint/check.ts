/** All rules on one script: what is to be known of the machine first, and what they find. */

import { dialectOf } from './dialect-of.ts';
import type { Finding } from './finding.ts';
import { gridEngineDirectives } from './gridengine-directives.ts';
import { givenToJob } from './job-environment.ts';
import { assignments } from './rules/assignments.ts';
import { background } from './rules/background.ts';
import { bashisms, SH } from './rules/bashisms.ts';
import { conda } from './rules/conda.ts';
import { devices } from './rules/devices.ts';
import { directivePlace } from './rules/directive-place.ts';
import { directiveVariables } from './rules/directive-variables.ts';
import { firstLine, interpreterPath } from './rules/first-line.ts';
import { gridEngineValues } from './rules/gridengine-values.ts';
import { leftOut } from './rules/left-out.ts';
import { lineEnds } from './rules/line-ends.ts';
import { lostStatus } from './rules/lost-status.ts';
import { otherSystem } from './rules/other-system.ts';
import { directoriesOf, outputDirectories } from './rules/output-directories.ts';
import { partition } from './rules/partition.ts';
import { scratch } from './rules/scratch.ts';
import { signals } from './rules/signals.ts';
import { slurmValues } from './rules/slurm-values.ts';
import { tasks } from './rules/tasks.ts';
import { unexportedVariable } from './rules/unexported-variable.ts';
import { yardDirectives } from './rules/yard-lines.ts';
import { slurmDirectives } from './slurm-directives.ts';
import {
  type Directives,
  type Read,
  type Rule,
  readScript,
  type ScriptDialect,
  type Subject,
  subjectOf,
  type World,
} from './subject.ts';

const RULES: readonly Rule[] = [
  lineEnds,
  firstLine,
  ({ directives }) => directives.findings,
  slurmValues,
  gridEngineValues,
  directivePlace,
  directiveVariables,
  yardDirectives,
  outputDirectories,
  partition,
  unexportedVariable,
  leftOut,
  otherSystem,
  assignments,
  background,
  signals,
  lostStatus,
  tasks,
  conda,
  devices,
  scratch,
  bashisms,
];

/** `dialect`: for which system to take it; null: what its directives say. */
export function scriptToCheck(
  bytes: Uint8Array,
  dialect: ScriptDialect | null,
  isInEnvironment: (name: string) => boolean,
): Subject {
  const read = readScript(bytes);
  const taken = dialect ?? dialectOf(read);
  const directives = directivesIn(read, taken);
  return subjectOf(read, taken, directives, givenToJob(taken, directives, isInEnvironment));
}

function directivesIn({ bytes, lines }: Read, dialect: ScriptDialect | null): Directives {
  switch (dialect) {
    case 'slurm':
      return slurmDirectives(bytes);
    case 'gridengine':
      return gridEngineDirectives(lines);
    case null:
      return { asked: [], findings: [] };
  }
}

/** What rules want to know of the machine: paths, and programs by path or by name. */
export function questionsAbout(
  subject: Subject,
  place: Pick<World, 'workDir' | 'home' | 'user'>,
): { readonly directories: readonly string[]; readonly programs: readonly string[] } {
  const interpreter = subject.interpreter === null ? null : interpreterPath(subject.interpreter);
  return {
    directories: [...new Set(directoriesOf(subject, place).map(({ path }) => path))],
    programs: [...new Set([SH, ...(interpreter === null ? [] : [interpreter])])],
  };
}

/** In the order of lines. */
export function findingsIn(subject: Subject, world: World): readonly Finding[] {
  return RULES.flatMap((rule) => rule(subject, world)).sort((a, b) => a.line - b.line);
}
