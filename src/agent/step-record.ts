/**
 * What the process that ran a step wrote down at its end: a line for each rank, then how the step as a whole ended.
 * Pure.
 *
 *   rank 0 7 120 30 5242880      its number, its status as a shell counts it, CPU of its own and of the system
 *                                in milliseconds, the most memory in bytes; `-` where that is not known
 *   exit 7 0                     the exit code of the step, or 0 and the signal that ended it
 *   end
 */

import type { Exit } from '../model/job.ts';
import type { StepUsage } from '../model/step.ts';

export interface StepRecord {
  readonly exit: Exit;
  readonly usage: StepUsage;
}

/** Null while it is not all there. What a try to write it left unfinished is overruled by the next. */
export function parseStepRecord(text: string): StepRecord | null {
  const found = [...text.matchAll(/^exit (\d{1,3}) (\d{1,2})\nend\n/gm)].at(-1);
  if (found === undefined) return null;
  const [, code, signal] = found as unknown as [string, string, string];
  return { exit: exitOf(Number(code), Number(signal)), usage: usageOf(text.slice(0, found.index)) };
}

function exitOf(code: number, signal: number): Exit {
  return signal === 0
    ? { code, signal: null, outOfMemory: false }
    : { code: null, signal, outOfMemory: false };
}

function usageOf(text: string): StepUsage {
  const ranks = new Map<number, RegExpExecArray>();
  for (const match of text.matchAll(/^rank (\d+) (\d{1,3}) (\d+|-) (\d+|-) (\d+|-)$/gm)) {
    ranks.set(Number(match[1]), match);
  }
  const inOrder = [...ranks].sort(([a], [b]) => a - b).map(([, match]) => match);
  const numbers = (field: number) => inOrder.map((match) => match[field]).filter((text) => text !== '-');
  const sum = (field: number) => numbers(field).reduce((total, text) => total + Number(text), 0);
  const peaks = numbers(5).map(Number);
  return {
    userCpuMs: sum(3),
    systemCpuMs: sum(4),
    peakMemoryBytes: peaks.length === 0 ? null : Math.max(...peaks),
    rankStatuses: inOrder.map((match) => Number(match[2])),
  };
}
