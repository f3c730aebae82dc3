/** `conda activate` in a shell that nobody set up for it: it fails, and the job goes on with another Python. */

import { findingOf } from '../finding.ts';
import { programOf } from '../shell/script.ts';
import type { Rule } from '../subject.ts';

const finding = findingOf('conda');

/** What may make `conda` a function of the shell, which `activate` needs. */
const SETS_UP = new Set(['.', 'source', 'eval', 'module', 'ml', 'spack', 'export']);

export const conda: Rule = ({ commands, interpreter, isShell }) => {
  if (!isShell || interpreter === null || /(?:^| )-(?:-login|\w*[li])/.test(interpreter.argument)) return [];
  const activation = commands.find(
    ({ command }) => programOf(command) === 'conda' && command.words[1]?.text === 'activate',
  );
  if (activation === undefined) return [];
  const { at, line } = activation.command;
  const isSetUp = commands.some(({ command }) => {
    if (command.kind === 'function' && command.name === 'conda') return true;
    return command.at < at && SETS_UP.has(programOf(command) ?? '');
  });
  if (isSetUp) return [];
  const sentence = 'conda activate needs a shell that conda has set up, and a job has none';
  return [finding('warning', line, sentence, 'put eval "$(conda shell.bash hook)" before it')];
};
