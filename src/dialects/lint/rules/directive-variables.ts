/** Variables in directives. No shell reads them: Slurm expands none, Grid Engine a few in the paths of files. */

import { type Finding, findingOf } from '../finding.ts';
import type { Asked, Rule, ScriptDialect } from '../subject.ts';

const finding = findingOf('directive-variable');

/** Free text, in which a dollar sign is one. */
const TEXTS = new Set(['comment', 'wrap', 'constraint', 'prefer', '-ac', '-sc', '-N']);

const SLURM_PATTERNS: Readonly<Record<string, string>> = {
  USER: '%u',
  LOGNAME: '%u',
  SLURM_JOB_ID: '%j',
  SLURM_JOBID: '%j',
  SLURM_JOB_NAME: '%x',
  SLURM_ARRAY_JOB_ID: '%A',
  SLURM_ARRAY_TASK_ID: '%a',
  HOSTNAME: '%N',
};

/** What Grid Engine fills in, in `-o`, `-e` and `-i`. */
const GRID_ENGINE_WORDS = new Set(['HOME', 'USER', 'JOB_ID', 'JOB_NAME', 'HOSTNAME', 'TASK_ID']);
const GRID_ENGINE_PATHS = new Set(['-o', '-e', '-i']);

export const directiveVariables: Rule = ({ dialect, directives }) =>
  dialect === null ? [] : directives.asked.flatMap((asked) => inOption(asked, dialect));

function inOption({ line, name, written, value }: Asked, dialect: ScriptDialect): readonly Finding[] {
  if (value === null || TEXTS.has(name)) return [];
  const names = [...value.matchAll(/\$\{?([A-Za-z_]\w*)\}?|\$\(|`/g)].map((match) => match[1] ?? null);
  if (dialect === 'gridengine') {
    // -v and its like are passed on by qsub as they are, and people count on that.
    if (!GRID_ENGINE_PATHS.has(name)) return [];
    const unknown = names.find((each) => each === null || !GRID_ENGINE_WORDS.has(each));
    if (unknown === undefined) return [];
    const sentence = `${written}: Grid Engine does not expand ${unknown === null ? 'commands' : `$${unknown}`} in a directive`;
    const advice =
      unknown === 'SGE_TASK_ID'
        ? 'write $TASK_ID'
        : `it knows ${[...GRID_ENGINE_WORDS].map((each) => `$${each}`).join(', ')}`;
    return [finding('warning', line, sentence, advice)];
  }
  const [first] = names;
  if (first !== undefined) {
    const what = first === null ? 'what a command prints' : `$${first}`;
    return [
      finding(
        'warning',
        line,
        `${written}: Slurm does not expand ${what} in a directive`,
        slurmAdvice(name, first),
      ),
    ];
  }
  if (!/^(?:output|error|input|chdir)$/.test(name) || !value.startsWith('~')) return [];
  return [
    finding('warning', line, `${written}: Slurm does not expand ~ in a directive`, 'write the whole path'),
  ];
}

function slurmAdvice(option: string, variable: string | null): string {
  const isFile = /^(?:output|error|input)$/.test(option);
  const pattern =
    variable !== null && Object.hasOwn(SLURM_PATTERNS, variable) ? SLURM_PATTERNS[variable] : null;
  if (isFile && pattern != null) return `write ${pattern}`;
  return `write it out, or give it on the command line: sbatch --${option}=…`;
}
