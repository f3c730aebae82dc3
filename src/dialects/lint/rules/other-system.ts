/** Variables that another system sets in its jobs, and an array's index in a script that is no array. */

import { markedLines } from '../dialect-of.ts';
import { type Finding, findingOf } from '../finding.ts';
import { firstOfEach, plainUses } from '../plain-uses.ts';
import { lastAsked, type Rule, type ScriptDialect, type Subject } from '../subject.ts';

const finding = findingOf('other-system');

const SYSTEMS: Readonly<Record<ScriptDialect, string>> = { slurm: 'Slurm', gridengine: 'Grid Engine' };

/** By the names of Grid Engine; what has no counterpart is not here. */
const COUNTERPARTS: readonly (readonly [gridEngine: string, slurm: string])[] = [
  ['SGE_TASK_ID', 'SLURM_ARRAY_TASK_ID'],
  ['SGE_TASK_FIRST', 'SLURM_ARRAY_TASK_MIN'],
  ['SGE_TASK_LAST', 'SLURM_ARRAY_TASK_MAX'],
  ['SGE_TASK_STEPSIZE', 'SLURM_ARRAY_TASK_STEP'],
  ['JOB_ID', 'SLURM_JOB_ID'],
  ['JOB_NAME', 'SLURM_JOB_NAME'],
  ['NSLOTS', 'SLURM_NTASKS'],
  ['NHOSTS', 'SLURM_JOB_NUM_NODES'],
  ['PE_HOSTFILE', 'SLURM_JOB_NODELIST'],
  ['SGE_O_WORKDIR', 'SLURM_SUBMIT_DIR'],
  ['SGE_O_HOST', 'SLURM_SUBMIT_HOST'],
  ['QUEUE', 'SLURM_JOB_PARTITION'],
];

const FOREIGN: Readonly<Record<ScriptDialect, RegExp>> = {
  slurm: /^(?:SGE_\w+|PBS_\w+|LSB_\w+|JOB_ID|NSLOTS|NHOSTS|PE_HOSTFILE)$/,
  gridengine: /^(?:SLURM_\w+|PBS_\w+|LSB_\w+)$/,
};

export const otherSystem: Rule = (subject) => {
  const { dialect } = subject;
  if (dialect === null) return [];
  const other = dialect === 'slurm' ? 'gridengine' : 'slurm';
  // A script for both asks which of them it runs under.
  const isForBoth = markedLines(subject, other).length > 0;
  return [...(isForBoth ? [] : foreignVariables(subject, dialect)), ...indexWithoutArray(subject, dialect)];
};

function foreignVariables(subject: Subject, dialect: ScriptDialect): readonly Finding[] {
  const asked = plainUses(subject).filter(({ name }) => FOREIGN[dialect].test(name));
  return firstOfEach(asked).map(({ name, line }) => {
    const meant = counterpart(name, dialect);
    const sentence = `${SYSTEMS[dialect]} sets no ${name}`;
    return finding('warning', line, sentence, meant === null ? 'see what it sets instead' : `use ${meant}`);
  });
}

function counterpart(name: string, dialect: ScriptDialect): string | null {
  const row = COUNTERPARTS.find(([gridEngine, slurm]) => name === (dialect === 'slurm' ? gridEngine : slurm));
  if (row !== undefined) return dialect === 'slurm' ? row[1] : row[0];
  if (name === 'PBS_ARRAYID' || name === 'PBS_ARRAY_INDEX') {
    return dialect === 'slurm' ? 'SLURM_ARRAY_TASK_ID' : 'SGE_TASK_ID';
  }
  return null;
}

function indexWithoutArray(subject: Subject, dialect: ScriptDialect): readonly Finding[] {
  const [variable, option] =
    dialect === 'slurm' ? (['SLURM_ARRAY_TASK_ID', 'array'] as const) : (['SGE_TASK_ID', '-t'] as const);
  const use = plainUses(subject).find(({ name }) => name === variable);
  if (use === undefined || lastAsked(subject, option) !== null) return [];
  const written = dialect === 'slurm' ? '--array' : '-t';
  const empty = dialect === 'slurm' ? 'empty' : '"undefined"';
  const sentence = `${variable} is ${empty} unless the job is an array, and no directive makes it one`;
  return [finding('hint', use.line, sentence, `submit with ${written}, or add it to the directives`)];
}
