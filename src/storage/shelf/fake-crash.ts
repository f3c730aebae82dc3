/**
 * File calls that stop for ever at a chosen one of those that change something, as a process does that is killed there:
 * nothing after it happens, no cleaning up either. A write that it stops at is half done.
 */

import { closeSync, readdirSync, readlinkSync, writeSync } from 'node:fs';
import type { FileCalls } from './file-calls.ts';
import { type Manners, USUAL_MANNERS } from './ground.ts';

const CHANGING: readonly (keyof FileCalls)[] = [
  'open',
  'write',
  'truncate',
  'dress',
  'sync',
  'syncAll',
  'reserve',
  'makeDirectory',
  'makeLink',
  'nameAlso',
  'rename',
  'exchange',
  'remove',
  'removeDirectory',
  'permit',
  'date',
];

export interface Crash {
  readonly manners: Manners;
  /** Resolves when it has happened. */
  readonly happened: Promise<void>;
  /** How many changing calls there were until now. */
  readonly count: () => number;
}

/** Before the call of that number, counted from 0. */
export function crashAt(number: number): Crash {
  let count = 0;
  const underWay = new Set<Promise<unknown>>();
  let happen: () => void = () => {};
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  const never = new Promise<never>(() => {});

  const passed = (result: unknown) => {
    if (result instanceof Promise) {
      underWay.add(result);
      const remove = () => underWay.delete(result);
      result.then(remove, remove);
    }
    return result;
  };

  const crashing = (calls: FileCalls): FileCalls => {
    const wrapped = { ...calls } as Record<keyof FileCalls, unknown>;
    for (const name of Object.keys(calls) as (keyof FileCalls)[]) {
      const call = calls[name] as (...args: unknown[]) => unknown;
      const isChanging = CHANGING.includes(name);
      wrapped[name] = (...args: unknown[]) => {
        if (count > number) return never;
        if (!isChanging || count++ < number) return passed(call(...args));
        if (name === 'write') {
          const [fd, from, start, bytes, at] = args as [number, Buffer, number, number, number];
          writeSync(fd, from, start, bytes >> 1, at);
        }
        // What other threads have begun, the kernel ends before it closes their files.
        void Promise.allSettled(underWay).then(happen);
        return never;
      };
    }
    return wrapped as FileCalls;
  };

  const { direct, patient } = USUAL_MANNERS;
  return {
    manners: { direct: crashing(direct), patient: crashing(patient) },
    happened,
    count: () => count,
  };
}

/** What the kernel does for a process that is gone: its files are closed, and with them its lock. */
export function closeFilesUnder(directory: string): void {
  for (const name of readdirSync('/proc/self/fd')) {
    try {
      if (readlinkSync(`/proc/self/fd/${name}`).startsWith(`${directory}/`)) closeSync(Number(name));
    } catch {
      // It was the listing itself.
    }
  }
}
