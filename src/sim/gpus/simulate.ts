/**
 * Shared devices from a seed to the end: people submit jobs and hold leases, clients are killed, strangers come and go,
 * machines are lost and the yard dies. After every turn everything is looked at; in the end every job has come to its end
 * and every device is whole again. The yard is the production core in the recipe of the daemon's loop.
 */

import { validate } from '../../core/validate.ts';
import type { Command, Observation } from '../../model/command.ts';
import { type AttemptId, type JobId, jobOfAttempt, type NodeName } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { Node } from '../../model/node.ts';
import { invariant } from '../../model/refusal.ts';
import { createMemoryStore } from '../../store/memory.ts';
import { letHappen } from '../let-happen.ts';
import { seededRandom } from '../random.ts';
import { newWorld } from '../world.ts';
import { simulatedYard } from '../yard.ts';
import type { Behaviour } from './behaviour.ts';
import { boardsOf } from './boards.ts';
import { allIsFree, isReplayed, planIsTheSame } from './checks.ts';
import { watchEndings } from './endings.ts';
import { gpuEngine } from './engine.ts';
import { watchPatience } from './patience.ts';
import { watchPromises } from './promises.ts';
import { aSecondThought } from './second-thoughts.ts';
import { type GpuReport, type GpuSimulation, GpuSimulationFailed } from './simulation.ts';
import { strangersOn } from './strangers.ts';
import { newTally } from './tally.ts';
import type { Submission } from './workload.ts';

/** Reporting an end, and killing what does not end when it is asked to, takes no longer than this. */
const ENDING_MS = 60_000;
const LONGEST_CALM_MS = 30 * 86_400_000;
const RESCAN_MS = 60_000;

export function simulateGpus(simulation: GpuSimulation): GpuReport {
  const { seed, nodes, policy, submissions, timing, faults, watch } = simulation;
  const random = seededRandom(seed);
  const world = newWorld();
  const boards = boardsOf(nodes);
  const store = createMemoryStore();
  const promises = watchPromises(policy);
  const endings = watchEndings(boards, behaviourFor);
  const patience = watchPatience((watch?.longestLimitMs ?? 0) + ENDING_MS);
  const counts = {
    killedClients: 0,
    crashes: 0,
    strangers: 0,
    lostNodes: 0,
    secondThoughts: 0,
    events: 0,
    turns: 0,
  };
  const tally = newTally();
  const down = new Set<NodeName>();
  const unanswered = new Set<number>();
  const jobs = new Map<number, JobId>();
  const lastAtMs = Math.max(0, ...submissions.map(({ atMs }) => atMs));
  let turnIsArranged = false;
  let submissionsLeft = submissions.length;
  const isCalm = () => world.nowMs >= lastAtMs;

  const engine = gpuEngine({ world, boards, behaviourOf: behaviourFor, keptMillis, send: tell, timing });
  const strangers = strangersOn(boards, world, random, tell);
  const yard = simulatedYard({
    store,
    policy,
    perform: engine.perform,
    forget: engine.forget,
    diesNow: () => faults.crash > 0 && !isCalm() && random.chance(faults.crash),
    committed(batch) {
      const { events } = batch;
      counts.events += events.length;
      for (const { event } of events) {
        tally.follow(event, yard.state);
        if (watch === null) continue;
        endings.follow(promises.replayed, event);
        promises.follow(event);
      }
      if (watch === null) return;
      validate(yard.state);
      isReplayed(yard.state, promises.replayed, new Set(batch.jobs.map(({ id }) => id)));
      patience.look(
        yard.state,
        events.map(({ event }) => event),
        world.nowMs,
      );
    },
    reloaded: (state) => watch !== null && isReplayed(state, promises.replayed, null),
  });

  try {
    start();
    run();
    if (watch !== null) finished();
  } catch (error) {
    const log = store.events({ job: null, afterSeq: 0, limit: 30, newest: true });
    throw new GpuSimulationFailed(
      simulation,
      error,
      log.map(({ seq, event }) => `${seq} ${JSON.stringify(event)}`),
    );
  }
  const counted = tally.report();
  const capacity = [...boards.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    seed,
    ...counts,
    ...counted,
    memoryUsed: engine.usedByteMs() / (capacity * counted.makespanMs),
    rerun: endings.rerun,
    footprints: yard.state.footprints.size,
    longestWaitMs: patience.longestMs,
  };

  function finished(): void {
    isReplayed(yard.state, promises.replayed, null);
    allIsFree(yard.state, boards);
  }

  function start(): void {
    tell({ type: 'nodesSeen', nodes });
    for (const [n, { atMs }] of submissions.entries()) world.after(atMs, () => submit(n));
    repeatedly(faults.strangerEveryMs, () => {
      counts.strangers++;
      strangers.come();
    });
    repeatedly(faults.nodeLostEveryMs, loseNode);
    repeatedly(faults.secondThoughtEveryMs, () => {
      const thought = aSecondThought(random, yard.state);
      if (thought === null) return;
      counts.secondThoughts++;
      tell(thought);
    });
  }

  function run(): void {
    letHappen({
      world,
      dueAt: () => yard.dueAt(),
      isTurnArranged: () => turnIsArranged,
      turn,
      isFinished,
      look: () =>
        invariant(
          world.nowMs < lastAtMs + LONGEST_CALM_MS,
          `${yard.state.counts.pending} jobs never started`,
        ),
    });
  }

  function isFinished(): boolean {
    if (submissionsLeft > 0 || turnIsArranged || unanswered.size > 0) return false;
    const { held, waiting, pending, active } = yard.state.counts;
    return held + waiting + pending + active === 0;
  }

  function turn(): void {
    counts.turns++;
    if (watch !== null && counts.turns % 16 === 0) planIsTheSame(yard.state, policy, world.wall());
    if (yard.turn(world.wall()) !== 'crashed') return;
    counts.crashes++;
    tell({ type: 'nodesSeen', nodes: seenNodes() });
    engine.rescan();
    for (const report of strangers.reports()) tell(report);
    for (const n of unanswered) ask(n);
  }

  function tell(command: Command | Observation): void {
    yard.ask(command);
    arrangeTurn();
  }

  function arrangeTurn(): void {
    if (turnIsArranged) return;
    turnIsArranged = true;
    world.after(simulation.turnEveryMs, () => {
      turnIsArranged = false;
      turn();
    });
  }

  function submit(n: number): void {
    submissionsLeft--;
    unanswered.add(n);
    ask(n);
    const { killedAfterMs, cancelledAfterMs } = submissions[n] as Submission;
    if (killedAfterMs !== null) world.after(killedAfterMs, () => killClient(n));
    if (cancelledAfterMs !== null) world.after(cancelledAfterMs, () => cancel(n));
  }

  function ask(n: number): void {
    const { spec } = submissions[n] as Submission;
    yard.ask({ type: 'submit', spec }, (decision) => {
      unanswered.delete(n);
      if (decision.ok && decision.job !== null) jobs.set(n, decision.job);
    });
    arrangeTurn();
  }

  /** Where it runs nobody says a word; where it waits, the engine sees that nobody waits for it any more. */
  function killClient(n: number): void {
    const id = jobs.get(n);
    const job = id === undefined ? undefined : yard.state.jobs.get(id);
    if (job === undefined || job.phase === 'ended') return;
    counts.killedClients++;
    if (job.phase === 'active') engine.killClient(job.id);
    else cancel(n);
  }

  function cancel(n: number): void {
    const job = jobs.get(n);
    if (job !== undefined && yard.state.jobs.get(job)?.phase !== 'ended')
      tell({ type: 'cancel', target: { job, index: null }, by: 'root' });
  }

  function repeatedly(everyMs: number | null, happen: () => void): void {
    if (everyMs === null) return;
    world.after(random.waitMs(everyMs), () => {
      if (isCalm()) return;
      happen();
      repeatedly(everyMs, happen);
    });
  }

  function seenNodes(): Node[] {
    return nodes.map((node) => ({ ...node, state: down.has(node.name) ? 'lost' : 'up' }));
  }

  function loseNode(): void {
    const { name } = random.pick(nodes);
    if (down.has(name)) return;
    counts.lostNodes++;
    down.add(name);
    engine.loseNode(name);
    tell({ type: 'nodeLost', node: name, reason: 'it does not answer' });
    world.after(random.waitMs(RESCAN_MS), () => {
      down.delete(name);
      tell({ type: 'nodesSeen', nodes: seenNodes() });
    });
  }

  function behaviourFor({ spec, element }: Job): Behaviour {
    return (submissions[Number(spec.comment)] as Submission).behaviour(element?.index ?? 0);
  }

  function keptMillis(attempt: AttemptId): readonly number[] {
    const job = yard.state.jobs.get(jobOfAttempt(attempt));
    if (job?.attempt?.id !== attempt) return [];
    return job.attempt.placement.nodes.flatMap(({ devices }) => devices.map(({ millis }) => millis));
  }
}
