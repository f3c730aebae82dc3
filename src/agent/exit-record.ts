/** What a shim wrote down at the end, and what it means. Pure. */

import type { Exit, GivenBack } from '../model/job.ts';

export interface ExitRecord {
  /** As a shell counts it: 128 and more for a signal. Null when the job never ran. */
  readonly status: number | null;
  /** What could not be set up, in the shim's words: `directory`, `stdin`, `stdout`, `stderr`, `cgroup`, `ulimit n 4096`. */
  readonly fault: string | null;
  /** Why the program could not be executed, and which: `no such file: /no/such/python`. */
  readonly refused: string | null;
  readonly cpuMs: number;
  /** Of that, what it used itself; the rest is what the kernel did for it. */
  readonly userCpuMs: number;
}

const LAST_SIGNAL = 64;

/** Finds the record in a rank's file. Null while it is not all there. What others add later does no harm. */
export function parseExitRecord(text: string): ExitRecord | null {
  const found = [...text.matchAll(/^(.*\n.*\n)status (\d{1,3})\nend\n/gm)].at(-1);
  if (found === undefined) return null;
  const [, times, status] = found as unknown as [string, string, string];
  const fault = /^fault (.*)$/m.exec(text)?.[1] ?? null;
  const refused = /^refused (.*)$/m.exec(text)?.[1] ?? null;
  return { status: fault === null ? Number(status) : null, fault, refused, ...cpuOf(times) };
}

/** `0m1.250000s 0m0.120000s`, its own time before the kernel's, the decimal point as the shell's language has it. */
function cpuOf(text: string): Pick<ExitRecord, 'cpuMs' | 'userCpuMs'> {
  let [own, kernel] = [0, 0];
  for (const [at, [, minutes, seconds]] of [...text.matchAll(/(\d+)m(\d+(?:[.,]\d+)?)s/g)].entries()) {
    const ms = Number(minutes) * 60_000 + Number((seconds as string).replace(',', '.')) * 1000;
    if (at % 2 === 0) own += ms;
    else kernel += ms;
  }
  return { cpuMs: Math.round(own + kernel), userCpuMs: Math.round(own) };
}

/**
 * A status above 128 is a signal when nobody else could have chosen the number: a plain command that the
 * shell saw die, or any job that was sent one. A script may well say `exit 130` of its own accord.
 */
export function exitOf(
  status: number,
  circumstances: {
    readonly plainCommand: boolean;
    readonly signalled: boolean;
    readonly outOfMemory: boolean;
  },
): Exit {
  const outOfMemory = circumstances.outOfMemory && status !== 0;
  const signal = status - 128;
  const believable = circumstances.plainCommand || circumstances.signalled || outOfMemory;
  if (signal >= 1 && signal <= LAST_SIGNAL && believable) return { code: null, signal, outOfMemory };
  return { code: status, signal: null, outOfMemory };
}

/** What whoever held a place from outside has said in giving it back, as an exit like any other. */
export function exitOfReturned(how: Exclude<GivenBack, 'killed'>): Exit {
  const exit = { code: how === 'succeeded' ? 0 : 1, signal: null, outOfMemory: false };
  return how === 'deviceOutOfMemory' ? { ...exit, deviceOutOfMemory: true } : exit;
}
