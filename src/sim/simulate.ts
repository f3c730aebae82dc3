/**
 * One simulation from its seed to its end: people submit and change their minds, machines and the disk fail,
 * reports get lost, clocks are set, and the yard dies again and again. After every turn the watchdog looks at
 * everything. When the unrest is over, faults stop and every job must come to its end.
 */

import type { Decision } from '../core/decide/decide.ts';
import type { Command, Observation } from '../model/command.ts';
import type { JobId } from '../model/ids.ts';
import { invariant } from '../model/refusal.ts';
import { createMemoryStore } from '../store/memory.ts';
import { simulatedEngine } from './engine.ts';
import { letHappen } from './let-happen.ts';
import { machinesOf, makeNodes } from './nodes.ts';
import { type SimulationOptions, simulationOptions } from './options.ts';
import { seededRandom } from './random.ts';
import {
  countRarity,
  type FaultCounts,
  isShortRunHold,
  type Rarities,
  type Report,
  reportOf,
} from './report.ts';
import { watchdog } from './watchdog.ts';
import { SIMULATED_POLICY, secondThought, someJob } from './workload.ts';
import { newWorld } from './world.ts';
import { simulatedYard } from './yard.ts';

const RESCAN_MS = 30_000;
const LATEST_REPORT_MS = 20_000;
const RETRY_MS = 1000;
/** Calm that lasts longer than this without everything having ended means that something never will. */
const LONGEST_CALM_MS = 7 * 86_400_000;

/** Says what was broken, what led to it, and how to see it again. */
export class SimulationFailed extends Error {
  constructor(seed: number, cause: unknown, recent: readonly string[]) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(
      [`seed ${seed}: ${what}`, `  npm run sim -- --seed ${seed}`, 'the last events:', ...recent].join('\n'),
      { cause },
    );
  }
}

export function simulate(given: Partial<SimulationOptions> = {}): Report {
  const options = simulationOptions(given);
  const { faults } = options;
  const random = seededRandom(options.seed);
  const world = newWorld();
  const policy = SIMULATED_POLICY;
  const machines = machinesOf(makeNodes(options.nodes, random));
  const counts: FaultCounts = {
    crashes: 0,
    failedCommits: 0,
    lostNodes: 0,
    clockJumps: 0,
    lostReports: 0,
    repeatedReports: 0,
    lateReports: 0,
  };
  const rarities: Rarities = {
    moves: 0,
    errors: 0,
    announcements: 0,
    queueChanges: 0,
    killsAtOnce: 0,
    loans: 0,
    returns: 0,
    checkpoints: 0,
    syncs: 0,
    links: 0,
    standstills: 0,
    troubles: 0,
    overflows: 0,
  };
  const known: JobId[] = [];
  let refusals = 0;
  let turns = 0;
  let events = 0;
  let shortRunHolds = 0;
  let submissionsLeft = options.jobs;
  let turnIsArranged = false;
  let clockWasSet = false;

  const isCalm = () => world.nowMs >= options.unrestMs;
  const chance = (probability: number) => !isCalm() && random.chance(probability);

  const store = createMemoryStore({ failAppend: () => chance(faults.commitFails) });
  const engine = simulatedEngine({ world, machines, options, send, isCalm });
  const dog = watchdog({ world, engine: () => engine, store, policy });
  const yard = simulatedYard({
    store,
    policy,
    perform: engine.perform,
    forget: engine.forget,
    // There are several places to die in a turn. That the clock was set, nobody can tell a yard that was not
    // there; so it lives until it has noted it.
    diesNow: () => !clockWasSet && chance(faults.crash / 4),
    committed(batch) {
      events += batch.events.length;
      for (const { event } of batch.events) {
        countRarity(rarities, event);
        if (isShortRunHold(event)) shortRunHolds++;
      }
      if (batch.events.some(({ event }) => event.type === 'clockJumped')) clockWasSet = false;
      dog.committed(batch, yard.state);
    },
    reloaded: dog.reloaded,
  });

  try {
    start();
    run();
    dog.finished();
  } catch (error) {
    throw new SimulationFailed(options.seed, error, recentEvents());
  }
  const simulatedMs = world.nowMs;
  return reportOf(
    { seed: options.seed, simulatedMs, refusals, turns, events, faults: counts, rarities, shortRunHolds },
    dog.jobs,
    machines.nodes,
    engine,
  );

  function start(): void {
    tell({ type: 'nodesSeen', nodes: machines.seen() });
    const between = options.unrestMs / (options.jobs + 1);
    for (let job = 0; job < options.jobs; job++)
      world.after(random.between(0, options.unrestMs - between), submitOne);
    repeatedly(between, () => {
      const thought = secondThought(random, known, [...yard.state.live], world.wall());
      if (thought !== null) order(thought);
    });
    repeatedly(faults.nodeLostEveryMs, loseNode);
    repeatedly(faults.clockJumpEveryMs, setClock);
    repeatedly(faults.drainEveryMs, drainNode);
    world.after(RESCAN_MS, rescan);
    world.after(options.unrestMs, calmDown);
  }

  /** Lets one thing after another happen, in true time, until every job has ended. */
  function run(): void {
    letHappen({
      world,
      dueAt: () => yard.dueAt(),
      isTurnArranged: () => turnIsArranged,
      turn,
      isFinished,
      look: () =>
        invariant(world.nowMs < options.unrestMs + LONGEST_CALM_MS, `still not ended: ${unended()}`),
    });
  }

  function isFinished(): boolean {
    if (!isCalm() || submissionsLeft > 0 || turnIsArranged) return false;
    const { held, waiting, pending, active } = yard.state.counts;
    return held + waiting + pending + active === 0;
  }

  function unended(): string {
    const left = [...dog.jobs.values()].filter(({ phase }) => phase !== 'ended');
    return left.map(({ id, phase }) => `job ${id} ${phase}`).join(', ');
  }

  function recentEvents(): string[] {
    const log = store.events({ job: null, afterSeq: 0, limit: 40, newest: true });
    return log.map(({ seq, event }) => `${seq} ${JSON.stringify(event)}`);
  }

  function turn(): void {
    turns++;
    const result = yard.turn(world.wall());
    if (result === 'commitFailed') {
      counts.failedCommits++;
      arrangeTurn(RETRY_MS);
    } else if (result === 'crashed') {
      counts.crashes++;
      // A new yard opens its engine, which names its nodes and looks at what there is.
      tell({ type: 'nodesSeen', nodes: machines.seen() });
    }
    dog.turned(yard.state, result === 'done' ? world.wall() : Number.NEGATIVE_INFINITY);
  }

  /** What comes in within a moment shares a turn. */
  function arrangeTurn(afterMs = random.between(0, 20)): void {
    if (turnIsArranged) return;
    turnIsArranged = true;
    world.after(afterMs, () => {
      turnIsArranged = false;
      turn();
    });
  }

  function tell(command: Command): void {
    yard.ask(command);
    arrangeTurn();
  }

  function order(command: Command, answered: (decision: Decision) => void = () => {}): void {
    yard.ask(command, (decision) => {
      if (!decision.ok) refusals++;
      answered(decision);
    });
    arrangeTurn();
  }

  /** The way of a report from the engine to the yard. */
  function send(report: Observation): void {
    if (chance(faults.reportLost)) {
      counts.lostReports++;
      return;
    }
    if (chance(faults.reportRepeated)) {
      counts.repeatedReports++;
      world.after(random.between(0, LATEST_REPORT_MS), () => tell(report));
    }
    const late = chance(faults.reportLate);
    if (late) counts.lateReports++;
    world.after(late ? random.between(0, LATEST_REPORT_MS) : random.between(0, 10), () => tell(report));
  }

  function submitOne(): void {
    submissionsLeft--;
    const spec = someJob(random, known, world.wall());
    order({ type: 'submit', spec }, (decision) => {
      if (!decision.ok || decision.job === null) return;
      known.push(decision.job);
      dog.acknowledged(decision.job);
    });
  }

  function repeatedly(everyMs: number | null, happen: () => void): void {
    if (everyMs === null) return;
    world.after(random.waitMs(everyMs), () => {
      if (isCalm()) return;
      happen();
      repeatedly(everyMs, happen);
    });
  }

  function loseNode(): void {
    const { name } = random.pick(machines.nodes);
    if (!machines.isUp(name)) return;
    counts.lostNodes++;
    machines.setUp(name, false);
    engine.loseNode(name);
    if (!chance(faults.reportLost)) tell({ type: 'nodeLost', node: name, reason: 'it does not answer' });
    world.after(random.waitMs(4 * 60_000), () => {
      machines.setUp(name, true);
      tell({ type: 'nodesSeen', nodes: machines.seen() });
    });
  }

  function setClock(): void {
    counts.clockJumps++;
    const byMs = random.between(-90, 90) * 60_000 + random.between(-999, 999);
    world.setClock(byMs);
    clockWasSet = true;
    tell({ type: 'clockJumped', byMs });
  }

  function drainNode(): void {
    const { name } = random.pick(machines.nodes);
    order({ type: 'drainNode', node: name, reason: 'maintenance' });
    world.after(random.waitMs(5 * 60_000), () => order({ type: 'resumeNode', node: name }));
  }

  function rescan(): void {
    engine.rescan();
    tell({ type: 'nodesSeen', nodes: machines.seen() });
    for (const { name } of machines.nodes)
      if (!machines.isUp(name)) tell({ type: 'nodeLost', node: name, reason: 'it does not answer' });
    if (isCalm()) calmDown();
    world.after(RESCAN_MS, rescan);
  }

  /** Machines and queues are resumed and what is held or suspended is let go, until nothing is left. */
  function calmDown(): void {
    for (const { name, state } of yard.state.nodes.values())
      if (state === 'draining') order({ type: 'resumeNode', node: name });
    for (const [queue, { disabled, suspended }] of yard.state.queues)
      if (disabled || suspended)
        order({ type: 'setQueue', queue, by: 'root', disabled: false, suspended: false });
    for (const { id, phase, attempt } of yard.state.jobs.values()) {
      const target = { job: id, index: null };
      if (phase === 'held') order({ type: 'release', target, by: 'root' });
      if (attempt?.suspendedAt != null) order({ type: 'resume', target, by: 'root' });
    }
  }
}
