/** What the yard adds to what a caller is about to run itself: where to record it, and how to be recognised. */

import { basename } from 'node:path';
import { byVisibleNames } from '../model/device-variables.ts';
import type { NodeShare, Placement } from '../model/job.ts';
import { Fault } from '../model/refusal.ts';
import type { HereRank, RunHere } from '../model/run-here.ts';
import type { RunPlan } from '../model/run-plan.ts';
import { procsFile } from './cgroups.ts';
import { parseEnvironment, submittedVariables } from './environment.ts';
import { MARKER_STEP, placeVariables } from './launch.ts';
import type { LiveAttempt } from './live.ts';
import type { AgentParts } from './parts.ts';
import { surroundingsOf } from './surroundings.ts';
import { rankPath, stepPath } from './yard-files.ts';

/** Throws a Fault when the place is not the caller's any more. */
export function planRun(parts: AgentParts, live: LiveAttempt | null, run: RunHere): RunPlan {
  if (live === null || live.phase === 'ending') throw new Fault('the job has ended', false);
  const step = run.step === null ? null : live.steps.get(run.step);
  if (step === undefined || step?.over === true) throw new Fault('the step has ended', false);
  const placement = step?.step.placement ?? live.attempt.placement;
  return {
    run: { ...run, ranks: run.ranks.map((rank) => seeingDevices(parts, rank)) },
    jobRecord: run.holdsJob ? rankPath(parts.files, run.attempt, 0) : null,
    stepRecord: run.step === null ? null : stepPath(parts.files, run.attempt, run.step),
    variables: run.ranks.map((rank, at) => variablesOf(parts, live, run, placement, rank, at)),
    cgroupFiles: new Map(live.cgroups.map((directory) => [nodeNumberOf(directory), [procsFile(directory)]])),
    commands: parts.commands.length === 0 ? null : parts.commands.join(':'),
    python: parts.python,
  };
}

function variablesOf(
  parts: AgentParts,
  live: LiveAttempt,
  { step, ranks, environment, holdsJob }: RunHere,
  placement: Placement,
  rank: HereRank,
  at: number,
): ReadonlyMap<string, string> {
  const node = shareOn(placement, rank.node);
  const localRank = ranks.slice(0, at).filter((other) => other.nodeNumber === rank.nodeNumber).length;
  const { job, attempt } = live;
  const submitted = parts.environment(job.spec.program.environment) ?? parseEnvironment(new Uint8Array(0));
  const variables = placeVariables(
    job,
    attempt,
    { rank: rank.rank, localRank, node },
    ranks.length,
    surroundingsOf(parts, live, rank.node),
    // Inside a job everybody has what the job was told, unless somebody there has changed it.
    (name) => (!holdsJob && environment !== 'job') || submitted.names.has(name),
  );
  if (step !== null) variables.set(MARKER_STEP, `${step}`);
  if (environment !== 'job') return variables;
  const place = { rank: rank.rank, localRank, nodeNumber: rank.nodeNumber, node };
  return new Map([
    ...submittedVariables(submitted),
    ...variables,
    ...[...parts.speaking.variables(job, attempt, place, submitted)].map(
      ([name, value]) => [name, byVisibleNames(name, value, parts.nodes.get(rank.node) ?? null)] as const,
    ),
  ]);
}

/** Dialects know devices by their numbers. */
function seeingDevices({ nodes }: AgentParts, rank: HereRank): HereRank {
  const node = nodes.get(rank.node) ?? null;
  if (node?.devices.some(({ visibleAs }) => visibleAs !== undefined) !== true) return rank;
  const variables = Object.entries(rank.variables).map(([name, value]) => [
    name,
    byVisibleNames(name, value, node),
  ]);
  return { ...rank, variables: Object.fromEntries(variables) };
}

function shareOn({ nodes }: Placement, node: string): NodeShare {
  const share = nodes.find((each) => each.node === node);
  if (share === undefined) throw new Fault(`it has nothing on node ${node}`, false);
  return share;
}

/** Control groups are named after the attempt and the node's number in it. */
function nodeNumberOf(directory: string): number {
  return Number(basename(directory).split('.').at(-1));
}
