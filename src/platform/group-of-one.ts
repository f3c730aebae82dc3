/**
 * Whether a process is the only one in its process group. The kernel has no such question, and reading about
 * every process of the machine takes long; but it tells the best disk priority within a group. So the process
 * is given the worst for a moment: when that is also the best, nobody else is there.
 */

import { arch } from 'node:process';
import { lazily, libc } from './libc.ts';

const CALLS: Readonly<Record<string, { readonly set: number; readonly get: number }>> = {
  x64: { set: 251, get: 252 },
  arm64: { set: 30, get: 31 },
};
const PROCESS = 1;
const GROUP = 2;
const CLASS_SHIFT = 13;
const IDLE_CLASS = 3;

const syscall = lazily(() => libc().func('long syscall(long number, int which, int who, int priority)'));

/**
 * For a leader of a group that starts no process meanwhile and whose number is certainly its own, such as a
 * child that waits. False when somebody else is there, a zombie included, or when it cannot be told.
 */
export function isAloneInGroup(leader: number): boolean {
  const numbers = CALLS[arch];
  if (numbers === undefined) return false;
  const get = (which: number) => Number(syscall()(numbers.get, which, leader, 0));
  const set = (priority: number) => Number(syscall()(numbers.set, PROCESS, leader, priority)) === 0;
  const own = get(PROCESS);
  if (own < 0 || classOf(own) === IDLE_CLASS) return false;
  if (!set(IDLE_CLASS << CLASS_SHIFT)) return false;
  const best = get(GROUP);
  // Without a class of its own it may still show a level, which cannot be set.
  return set(classOf(own) === 0 ? 0 : own) && classOf(best) === IDLE_CLASS;
}

function classOf(priority: number): number {
  return priority >> CLASS_SHIFT;
}
