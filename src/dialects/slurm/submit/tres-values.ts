/** `--tres-per-task=cpu:2,gres/gpu:v100:1`: CPUs and GPUs of each task in one list. */

import { invalid } from './complaints.ts';
import { type Asked, textAsked } from './given.ts';
import { type GpuTerm, parseGres } from './gpu-values.ts';
import { parseCount } from './values.ts';

export interface TresPerTask {
  readonly cpus: number | null;
  readonly gpus: readonly GpuTerm[];
}

/** Null when it was not given. */
export function readTresPerTask(asked: Asked): TresPerTask | null {
  const text = textAsked(asked, 'tres-per-task');
  if (text === null) return null;
  let cpus: number | null = null;
  const gpus: GpuTerm[] = [];
  for (const part of text.split(',')) {
    const cpuText = /^cpu[:=](.*)$/.exec(part)?.[1];
    const read = cpuText === undefined ? parseGres(part) : parseCount(cpuText, 1);
    if (read === null || typeof read === 'string') throw invalid(asked.command, 'tres-per-task');
    if (typeof read === 'number') cpus = read;
    else gpus.push(...read);
  }
  return { cpus, gpus };
}
