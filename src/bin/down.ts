/**
 * `trainyard down`, seen from outside: the yard says how it goes, and the command returns when the yard has
 * really gone, so that `trainyard down && trainyard up` does what it says.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../client/caller.ts';
import { type CommandEnd, runCommand } from '../client/command-client.ts';
import { type FoundYard, processAt } from '../client/connect.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../platform/processes.ts';

const LOOK_EVERY_MS = 10;
const LONGEST_STOP_MS = 20_000;

export async function down(caller: Caller, yard: FoundYard): Promise<CommandEnd> {
  const daemon = await daemonOf(yard);
  const how = await runCommand(yard, caller, process);
  if (how.kind === 'exit' && how.code === 0 && daemon !== null) await untilGone(daemon);
  return how;
}

/** Known from the kernel: no reply decides who is waited for, or sent a signal. Null: it is gone, or not to be seen. */
export async function daemonOf(yard: FoundYard): Promise<ProcessIdentity | null> {
  try {
    const pid = await processAt(yard);
    return pid === null ? null : identityOf(pid);
  } catch {
    return null;
  }
}

export async function untilGone(daemon: ProcessIdentity): Promise<void> {
  const deadline = performance.now() + LONGEST_STOP_MS;
  while (performance.now() < deadline && isAlive(daemon)) await sleep(LOOK_EVERY_MS);
}
