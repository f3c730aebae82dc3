/** Which variables a job has before its script sets any: those of its submitter that are passed on, and the system's own. */

import { LOGIN_VARIABLES, SHELL_VARIABLES } from './known-words.ts';
import type { Asked, Directives, ScriptDialect } from './subject.ts';

/** What the systems set in a job, and what programs around jobs are known by. */
const OF_THE_SYSTEM: Readonly<Record<ScriptDialect, RegExp>> = {
  slurm:
    /^(?:SLURM|SLURMD|SBATCH|PMI|PMIX)_|^(?:CUDA_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES|GPU_DEVICE_ORDINAL|HOSTNAME)$/,
  gridengine:
    /^SGE_|^(?:ARC|COMMD_PORT|CUDA_VISIBLE_DEVICES|ENVIRONMENT|HOSTNAME|JOB_ID|JOB_NAME|JOB_SCRIPT|NHOSTS|NQUEUES|NSLOTS|PE|PE_HOSTFILE|QUEUE|REQUEST|REQNAME|RESTARTED|TMP|SCRATCH)$/,
};

export function givenToJob(
  dialect: ScriptDialect | null,
  { asked }: Directives,
  isInEnvironment: (name: string) => boolean,
): (name: string) => boolean {
  const { all, names } = passedOn(dialect, asked);
  return (name) =>
    /^(?:\d+|\W)$/.test(name) ||
    LOGIN_VARIABLES.has(name) ||
    SHELL_VARIABLES.has(name) ||
    names.has(name) ||
    (dialect !== null && OF_THE_SYSTEM[dialect].test(name)) ||
    (all && isInEnvironment(name));
}

/** Whether the submitter's whole environment is; and the names that are in any case. */
export function passedOn(
  dialect: ScriptDialect | null,
  asked: readonly Asked[],
): { readonly all: boolean; readonly names: ReadonlySet<string>; readonly by: Asked | null } {
  if (dialect === 'gridengine') {
    const lists = asked.filter(({ name }) => name === '-v').map(({ value }) => value ?? '');
    const by = asked.findLast(({ name }) => name === '-V') ?? null;
    return { all: by !== null, names: namesIn(lists.join(',')), by };
  }
  const by = asked.findLast(({ name }) => name === 'export') ?? null;
  const words = (by?.value ?? 'ALL').split(',');
  return { all: words.some((word) => /^\s*all$/i.test(word)), names: namesIn(words.join(',')), by };
}

function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(',').map((part) => part.trim().replace(/=.*$/s, '')));
}
