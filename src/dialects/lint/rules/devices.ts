/** Devices chosen by hand in a job that was given devices: it then uses those of somebody else. */

import { findingOf } from '../finding.ts';
import { assignmentIn, programOf } from '../shell/script.ts';
import type { Rule, Subject } from '../subject.ts';

const finding = findingOf('devices');

export const devices: Rule = (subject) => {
  const asked = gpusAsked(subject);
  if (asked === null) return [];
  return subject.commands
    .flatMap(({ command }) => [
      ...command.assignments,
      ...(programOf(command) === 'export'
        ? command.words.slice(1).flatMap((word) => assignmentIn(word) ?? [])
        : []),
    ])
    .filter(
      ({ name, word }) =>
        name === 'CUDA_VISIBLE_DEVICES' && /^CUDA_VISIBLE_DEVICES=\d+(?:,\d+)*$/.test(word.text ?? ''),
    )
    .slice(0, 1)
    .map(({ line }) => {
      const sentence = `CUDA_VISIBLE_DEVICES is set by hand, but the job is told there which devices it was given (line ${asked})`;
      return finding('warning', line, sentence, 'leave it out');
    });
};

/** The line that asks for devices. */
function gpusAsked({ directives, dialect }: Subject): number | null {
  const found = directives.asked.find(({ name, value }) =>
    dialect === 'slurm'
      ? /^gpus(?:$|-per-)/.test(name) ||
        (name === 'gres' && /^(?:gres[:/])?(?:gpu|shard|mps)\b/.test(value ?? ''))
      : name === '-l' && /(?:^|,)gpus?=/.test(value ?? ''),
  );
  return found?.line ?? null;
}
