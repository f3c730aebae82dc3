/**
 * What the kernel tells about the processes on devices. Looking at one costs several files, so what does not change
 * while a process lives is remembered, by its number and its start; all processes are never gone through.
 */

import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { printable } from '../../model/bytes.ts';
import { commandLine, type ProcessInfo, processInfo } from '../../platform/processes.ts';
import { readMarker } from '../members.ts';
import type { Kin, ProcessFacts } from './attribution.ts';

export interface ProcessBook {
  /** Null when there is no such process, or none that we may see. */
  factsOf(pid: number): ProcessFacts | null;
  /** A look is over: whoever was not asked for in it is forgotten. */
  turnPage(): void;
}

/** A tree that is deeper goes on to nobody whom we are looking for. */
const MOST_ANCESTORS = 64;
const MOST_COMMAND_CHARACTERS = 120;

export function createProcessBook(yardId: string, userName: (uid: number) => string): ProcessBook {
  let before = new Map<number, ProcessFacts>();
  let page = new Map<number, ProcessFacts | null>();

  function found(pid: number): ProcessFacts | null {
    const info = processInfo(pid);
    if (info === null) return null;
    const known = before.get(pid);
    return known?.startTicks === info.startTicks ? known : readFacts(info, yardId, userName);
  }

  return {
    factsOf(pid) {
      const known = page.get(pid);
      if (known !== undefined) return known;
      const facts = found(pid);
      page.set(pid, facts);
      return facts;
    },
    turnPage() {
      before = new Map([...page].flatMap(([pid, facts]) => (facts === null ? [] : [[pid, facts]])));
      page = new Map();
    },
  };
}

function readFacts(info: ProcessInfo, yardId: string, userName: (uid: number) => string): ProcessFacts {
  const { pid, startTicks, session } = info;
  const leader = session === pid ? null : processInfo(session);
  return {
    pid,
    startTicks,
    session,
    ancestry: [...ancestryOf(info), ...(leader === null ? [] : ancestryOf(leader))],
    markedFor: readMarker(pid, yardId)?.attempt ?? null,
    cgroups: orElse(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8'), ''),
    command: commandOf(pid),
    user: orElse(() => userName(statSync(`/proc/${pid}`).uid), ''),
  };
}

/** Up to the first process, or to ourselves: what we started is not theirs from whom we come. */
function ancestryOf(info: ProcessInfo): readonly Kin[] {
  const ancestry: Kin[] = [];
  let next: ProcessInfo | null = info;
  while (next !== null && next.pid > 1 && next.pid !== process.pid && ancestry.length < MOST_ANCESTORS) {
    ancestry.push({ pid: next.pid, startTicks: next.startTicks });
    next = processInfo(next.ppid);
  }
  return ancestry;
}

function commandOf(pid: number): string {
  const [name = '', ...rest] = commandLine(pid);
  return printable([basename(name), ...rest].join(' ').trim()).slice(0, MOST_COMMAND_CHARACTERS);
}

function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
