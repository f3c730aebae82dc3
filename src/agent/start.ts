/**
 * Starting the ranks of an attempt that nobody has claimed: pre-hooks, files, shims. Doing it twice is
 * harmless, since only one shim can claim a rank.
 */

import type { BlobHash } from '../model/ids.ts';
import type { Job } from '../model/job.ts';
import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import { lazily } from '../platform/libc.ts';
import { ownHardUlimits, ownUlimits } from '../platform/ulimits.ts';
import { procsFile } from './cgroups.ts';
import { claimWords } from './claim.ts';
import { assembleEnvironment, type SubmittedEnvironment, submittedValue } from './environment.ts';
import { type GrantedLimits, grantedLimits } from './granted-limits.ts';
import { runBefore, type Staging } from './hooks/hook.ts';
import {
  changedVariables,
  commandOf,
  jobVariables,
  MARKER_YARD,
  shimArguments,
  shimCommand,
  stringBlock,
  truncatesOutput,
} from './launch.ts';
import { type LiveAttempt, type LiveRank, type OwnShim, workDirOf } from './live.ts';
import { outputStartsOf } from './out-of-device-memory.ts';
import { sayForeword } from './output-words.ts';
import type { AgentParts } from './parts.ts';
import type { ScriptFile } from './scripts.ts';
import type { ShimStart } from './shims.ts';
import { surroundingsOf } from './surroundings.ts';
import { noteGroups, rankPath } from './yard-files.ts';

/** Everything that goes before the first shim. Throws a Fault when the job cannot run. */
export function stageAttempt(parts: AgentParts, live: LiveAttempt, fresh: boolean): Staged {
  const { program } = live.job.spec;
  const environment = parts.environment(program.environment);
  if (environment === null) throw new Fault('its environment is gone from the store', false);
  const script = program.script === null ? null : scriptFile(parts, program.script);
  const staging = stagePlace(parts, live, fresh);
  if (fresh) live.outputStarts = outputStartsOf(live);
  live.hasForeword = fresh && sayForeword(live);
  return { staging, environment, script };
}

/** What has to be there whoever runs something in the place. */
export function stagePlace(parts: AgentParts, live: LiveAttempt, fresh: boolean): Staging {
  const { job, attempt } = live;
  const places = live.ranks.map((rank) => rank.place);
  const staging: Staging = { job, attempt, places, fresh, cgroups: new Map(), cpuIds: new Map() };
  runBefore(parts.hooks, staging);
  live.cgroups = [...staging.cgroups.values()];
  if (live.cgroups.length > 0) noteGroups(parts.files, attempt.id, live.cgroups);
  return staging;
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
    throw new Fault(`cannot write its script: ${errorWords(error)}`, true, { cause: error });
  }
  if (script === null) throw new Fault('its script is gone from the store', false);
  return script;
}

/** They do not change while we live. */
const handedOnUlimits = lazily(ownUlimits);
const hardUlimits = lazily(ownHardUlimits);

export function limitsOf({ spec }: Job): GrantedLimits {
  return grantedLimits(spec.program.ulimits, hardUlimits());
}

/** Gives the rank to a shim that waits for one like it, or starts one. */
export function startRank(
  parts: AgentParts,
  live: LiveAttempt,
  rank: LiveRank,
  staged: Staged,
  done: (result: ShimStart) => void,
): void {
  const variables = variablesOf(parts, live, rank, staged);
  const program = mayShareShim(live, staged) ? live.job.spec.program : null;
  const waiting = program === null ? null : parts.shims.waitingFor(program);
  if (waiting !== null && handOver(parts, live, rank, staged, variables, waiting)) {
    waiting.variables = variables;
    rank.shim = waiting;
    done({ ok: true, shim: waiting });
    return;
  }
  const shimArguments = argumentsOf(parts, live, rank, staged, claimWords(null), variables);
  const argv = stringBlock(['sh', '-s', parts.files.shim, ...shimArguments]);
  if (argv === null) {
    setImmediate(() => done({ ok: false, error: 'an argument or a path holds a NUL', tooLong: false }));
    return;
  }
  const environment = assembleEnvironment(staged.environment, new Map([[MARKER_YARD, parts.yardId]]));
  const cpuIds = staged.staging.cpuIds.get(rank.place.rank) ?? null;
  parts.shims.start({ argv, environment, cpuIds }, program, (result) => {
    if (result.ok) {
      result.shim.variables = variables;
      rank.shim = result.shim;
    }
    done(result);
  });
}

/** Whether nothing about it stays with its shim that another attempt of the same program would not have. */
function mayShareShim(live: LiveAttempt, { staging }: Staged): boolean {
  return live.ranks.length === 1 && staging.cgroups.size === 0 && staging.cpuIds.size === 0;
}

function handOver(
  parts: AgentParts,
  live: LiveAttempt,
  rank: LiveRank,
  staged: Staged,
  variables: ReadonlyMap<string, string>,
  shim: OwnShim,
): boolean {
  if (shim.startTicks === null) return false;
  const { startTicks, cpuMs, userCpuMs } = shim;
  const claim = claimWords({ startTicks, atTicks: live.sinceTicks, cpuMs, userCpuMs });
  const changes = changedVariables(shim.variables, variables, (name) =>
    submittedValue(staged.environment, name),
  );
  const command = shimCommand(argumentsOf(parts, live, rank, staged, claim, changes));
  return command !== null && parts.shims.assign(shim, command);
}

function variablesOf(
  parts: AgentParts,
  live: LiveAttempt,
  { place }: LiveRank,
  { environment }: Staged,
): ReadonlyMap<string, string> {
  const { job, attempt } = live;
  const surroundings = surroundingsOf(parts, live, place.node.node);
  const spoken = parts.speaking.variables(job, attempt, place, environment);
  return jobVariables(job, attempt, place, surroundings, environment, spoken);
}

export function startFault(result: ShimStart & { ok: false }): string {
  return result.tooLong
    ? 'its arguments and environment together are longer than the system takes'
    : `its shim cannot be started (${result.error})`;
}

function argumentsOf(
  { files, speaking }: AgentParts,
  live: LiveAttempt,
  rank: LiveRank,
  { staging, environment, script }: Staged,
  claim: string,
  variables: ReadonlyMap<string, string | null>,
): readonly string[] {
  const { job, attempt } = live;
  const { place } = rank;
  const cgroup = staging.cgroups.get(place.nodeNumber);
  return shimArguments({
    rankPath: rankPath(files, attempt.id, place.rank),
    claim,
    umask: job.spec.program.umask,
    workDir: workDirOf(live),
    streams: place.streams,
    variables,
    pidVariable: speaking.pidVariable(job),
    // Files that ranks may share are emptied once, before any of them starts.
    truncate: live.ranks.length === 1 && !live.hasForeword && truncatesOutput(job, attempt),
    cgroupFiles: cgroup === undefined ? [] : [procsFile(cgroup)],
    ulimits: limitsOf(job).ulimits,
    ownUlimits: handedOnUlimits(),
    command: commandOf(job.spec.program, script, environment.aroundShell),
  });
}
