/** Variables that a script counts on, and that the job does not get. */

import { findingOf } from '../finding.ts';
import { passedOn } from '../job-environment.ts';
import { firstOfEach, plainUses } from '../plain-uses.ts';
import { programOf } from '../shell/script.ts';
import type { Rule, Subject } from '../subject.ts';

const finding = findingOf('not-passed-on');

export const leftOut: Rule = (subject, world) => {
  const { dialect, directives, isGiven } = subject;
  if (dialect === null) return [];
  const { by } = passedOn(dialect, directives.asked);
  const settingAt = mayBeSetFrom(subject);
  const needed = plainUses(subject).filter(
    ({ name, at }) =>
      /^[A-Z][A-Z0-9_]{2,}$/.test(name) && !isGiven(name) && !ofSystems(name) && at < settingAt,
  );
  return firstOfEach(needed).map(({ name, line }) => {
    if (!world.isInEnvironment(name)) {
      const sentence = `${name} is set neither by the script nor in your environment`;
      const option = dialect === 'slurm' ? `--export=ALL,${name}=…` : `-v ${name}=…`;
      return finding('hint', line, sentence, `set it, or submit with ${option}`);
    }
    const sentence =
      dialect === 'slurm'
        ? `${name} is set in your environment, but ${by?.written ?? '--export'} ${by?.value ?? ''} (line ${by?.line ?? 0}) leaves it out`
        : `${name} is set in your environment, but a job does not get that without -V`;
    const advice =
      dialect === 'slurm' ? `add it: --export=…,${name}` : `add -v ${name}, or set it in the script`;
    return finding('warning', line, sentence, advice);
  });
};

/** What systems and sites set is not the script's business, or another rule's. */
function ofSystems(name: string): boolean {
  return (
    /^(?:SLURM|SGE|PBS|LSB|TRAINYARD|OMPI|PMI|PMIX|CONDA|BASH|CUDA|MODULE)/.test(name) ||
    /^(?:JOB_ID|NSLOTS|NHOSTS|SCRATCH|LOCAL_SCRATCH|WORK)$/.test(name)
  );
}

const SETTING = new Set([
  '.',
  'source',
  'eval',
  'module',
  'ml',
  'conda',
  'mamba',
  'micromamba',
  'spack',
  'load',
]);

/** From where on anything may have been set by what is not in front of us. */
function mayBeSetFrom({ commands, interpreter }: Subject): number {
  if (/(?:^| )-(?:-login|\w*l)/.test(interpreter?.argument ?? '')) return 0;
  return commands.find(({ command }) => SETTING.has(programOf(command) ?? ''))?.command.at ?? Infinity;
}
