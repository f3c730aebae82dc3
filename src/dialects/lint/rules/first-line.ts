/** The first line: whether it says who is to read the script, and whether that program is there. */

import { findingOf } from '../finding.ts';
import type { Interpreter } from '../interpreter.ts';
import { lastAsked, type Rule } from '../subject.ts';

const finding = findingOf('first-line');

export const firstLine: Rule = (subject, world) => {
  const { text, lines, interpreter, dialect } = subject;
  if (text.trim() === '')
    return [finding('error', 1, 'The script is empty', 'write what is to be run into it')];
  if (interpreter === null) {
    return lastAsked(subject, '-S') === null ? [missing(lines, dialect === 'slurm')] : [];
  }
  const path = interpreterPath(interpreter);
  if (path === null || world.programAt(path) !== null) return [];
  const sentence = `There is no ${path} on this machine, and the script is run with it`;
  return [
    finding('warning', 1, sentence, 'name an interpreter that is there, or #!/usr/bin/env and its name'),
  ];
};

function missing(lines: readonly string[], isRefused: boolean) {
  const later = lines.slice(0, 20).findIndex((line) => line.trimStart().startsWith('#!'));
  if (later > 0 || lines[0]?.trimStart().startsWith('#!') === true) {
    const sentence = 'The #! line must be the very first, at its very beginning';
    return finding(isRefused ? 'error' : 'warning', later + 1, sentence, 'put it there');
  }
  const sentence = isRefused
    ? 'The first line does not say who reads the script (#!), and sbatch refuses that'
    : 'The first line does not say who reads the script (#!): it will be /bin/sh';
  return finding(isRefused ? 'error' : 'hint', 1, sentence, 'begin with a line #!/bin/bash');
}

/** What is to be looked for on the machine: a path, or a name on the PATH; null when it cannot be said. */
export function interpreterPath({ path, program }: Interpreter): string | null {
  if (path.endsWith('/env')) return program === 'env' ? null : program;
  return path.startsWith('/') ? path : null;
}
