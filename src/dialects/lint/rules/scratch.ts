/** Results in a directory that is removed with the job, and that nothing copies out of it. */

import { findingOf } from '../finding.ts';
import type { Rule } from '../subject.ts';

const finding = findingOf('scratch');

const RESULT =
  /^--?(?:out|output|save|ckpt|checkpoint|model|result|log)\w*(?:[-_](?:dir|path|to|folder|root|file))?(?:=|$)/;
const COPIES = /\b(?:cp|rsync|mv|tar|scp|stageout|sbcast|sgather|aws|gsutil|rclone|zip)\b/;

export const scratch: Rule = ({ commands, dialect, text }) => {
  if (dialect === null || COPIES.test(text.replaceAll(/^[ \t]*#.*$/gm, ''))) return [];
  for (const { command } of commands) {
    for (const [at, word] of command.words.entries()) {
      const variable = word.uses.find(({ name }) => /^(?:TMPDIR|SLURM_TMPDIR)$/.test(name));
      if (variable === undefined) continue;
      const option = word.raw.startsWith('-') ? word.raw : (command.words[at - 1]?.raw ?? '');
      if (!RESULT.test(option)) continue;
      const sentence = `$${variable.name} is removed when the job ends, and nothing copies what is written there`;
      return [finding('hint', word.line, sentence, 'copy it at the end, or write it elsewhere')];
    }
  }
  return [];
};
