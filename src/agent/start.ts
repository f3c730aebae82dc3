/**
 * Starting the ranks of an attempt that nobody has claimed: pre-hooks, files, shims. Doing it twice is
 * harmless, since only one shim can claim a rank.
 */

import type { BlobHash } from '../model/ids.ts';
import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import { lazily } from '../platform/libc.ts';
import { bootId } from '../platform/processes.ts';
import { type SpawnResult, spawnDetached } from '../platform/spawn.ts';
import { ownUlimits } from '../platform/ulimits.ts';
import { procsFile } from './cgroups.ts';
import { assembleEnvironment, type SubmittedEnvironment } from './environment.ts';
import { runBefore, type Staging } from './hooks/hook.ts';
import { commandOf, jobVariables, shimArguments, stringBlock, truncatesOutput } from './launch.ts';
import type { LiveAttempt, LiveRank } from './live.ts';
import type { AgentParts } from './parts.ts';
import type { ScriptFile } from './scripts.ts';
import { noteGroups, rankPath } from './yard-files.ts';

/** Everything that goes before the first shim. Throws a Fault when the job cannot run. */
export function stageAttempt(parts: AgentParts, live: LiveAttempt, fresh: boolean): Staged {
  const { job, attempt } = live;
  const { program } = job.spec;
  const environment = parts.environment(program.environment);
  if (environment === null) throw new Fault('its environment is gone from the store', false);
  const script = program.script === null ? null : scriptFile(parts, program.script);
  const places = live.ranks.map((rank) => rank.place);
  const staging: Staging = { job, attempt, places, fresh, cgroups: new Map(), cpuIds: new Map() };
  runBefore(parts.hooks, staging);
  live.cgroups = [...staging.cgroups.values()];
  if (live.cgroups.length > 0) noteGroups(parts.files, attempt.id, live.cgroups);
  return { staging, environment, script };
}

export interface Staged {
  readonly staging: Staging;
  readonly environment: SubmittedEnvironment;
  /** Null for a plain command. */
  readonly script: ScriptFile | null;
}

function scriptFile(parts: AgentParts, hash: BlobHash): ScriptFile {
  let script: ScriptFile | null;
  try {
    script = parts.scripts.file(hash);
  } catch (error) {
    throw new Fault(`cannot write its script: ${errorWords(error)}`, true);
  }
  if (script === null) throw new Fault('its script is gone from the store', false);
  return script;
}

/** They do not change while we live. */
const handedOnUlimits = lazily(ownUlimits);

/** Starts the shim of one rank. */
export function spawnRank(
  parts: AgentParts,
  live: LiveAttempt,
  rank: LiveRank,
  staged: Staged,
  done: (result: SpawnResult) => void,
): void {
  const argv = stringBlock(argumentsOf(parts, live, rank, staged));
  if (argv === null) {
    setImmediate(() => done({ ok: false, error: 'an argument or a path holds a NUL', tooLong: false }));
    return;
  }
  const { job, attempt } = live;
  const node = parts.nodes.get(rank.place.node.node);
  const surroundings = {
    yardId: parts.yardId,
    yardDirectory: parts.yardDirectory,
    nodeHasDevices: (node?.devices.length ?? 0) > 0,
  };
  const variables = jobVariables(job, attempt, rank.place, surroundings, staged.environment);
  const request = {
    path: '/bin/sh',
    argv,
    environment: assembleEnvironment(staged.environment, variables),
    cpuIds: staged.staging.cpuIds.get(rank.place.rank) ?? null,
  };
  spawnDetached(request, (result) => {
    if (result.ok) rank.shim = { kind: 'child', pid: result.pid, reaped: null };
    done(result);
  });
}

export function spawnFault(result: SpawnResult & { ok: false }): string {
  return result.tooLong
    ? 'its arguments and environment together are longer than the system takes'
    : `its shim cannot be started (${result.error})`;
}

function argumentsOf(
  { files }: AgentParts,
  live: LiveAttempt,
  rank: LiveRank,
  { staging, environment, script }: Staged,
): readonly string[] {
  const { job, attempt } = live;
  const { place } = rank;
  const cgroup = staging.cgroups.get(place.nodeNumber);
  return shimArguments({
    shimPath: files.shim,
    rankPath: rankPath(files, attempt.id, place.rank),
    bootId: bootId(),
    umask: job.spec.program.umask,
    workDir: job.spec.workDir,
    streams: place.streams,
    // Files that ranks may share are emptied once, before any of them starts.
    truncate: live.ranks.length === 1 && truncatesOutput(job, attempt),
    cgroupFiles: cgroup === undefined ? [] : [procsFile(cgroup)],
    ulimits: job.spec.program.ulimits,
    ownUlimits: handedOnUlimits(),
    command: commandOf(job.spec.program, script, environment.aroundShell),
  });
}
