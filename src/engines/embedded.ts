/**
 * The engine that needs nothing: this machine runs the attempts, whether it counts as one node or plays
 * several. The agent does the work; this puts it behind the interface that all engines share.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, createAgent } from '../agent/agent.ts';
import type { AgentTimes } from '../agent/agent-options.ts';
import { type CgroupFinding, findCgroups } from '../agent/cgroups.ts';
import { findUnknownRuns, stillRunning, type UnknownRun, unknownRunsRemarks } from '../agent/claims.ts';
import type { DeviceOptions } from '../agent/devices/options.ts';
import type { VoiceOptions } from '../agent/speaking.ts';
import type { KeepingOptions } from '../agent/storeroom.ts';
import { tidyUp } from '../agent/tidy.ts';
import { openYardFiles } from '../agent/yard-files.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId } from '../model/ids.ts';
import type { Node } from '../model/node.ts';
import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import { packageRoot } from '../platform/install.ts';
import { NO_MEMORY, type PrivateDirectory, privateDirectory } from '../platform/private-directory.ts';
import type { Engine, EngineContext } from './engine.ts';

export interface EmbeddedEngineOptions {
  /** Where the files of running attempts are kept. */
  readonly directory: string;
  /** A name for this yard that stays the same, to recognise its processes by. */
  readonly yardId: string;
  /** What the names of the directories with this store's claims end in; nothing when not given. */
  readonly claims?: string;
  readonly nodes: readonly Node[];
  /** What TRAINYARD_DIR tells commands inside a job; the directory itself when not given. */
  readonly yardDirectory?: string;
  /** Directories for the end of a job's PATH. */
  readonly commands?: readonly string[];
  /** How dialects speak to their jobs; when not given, they do not. */
  readonly voices?: Omit<VoiceOptions, 'now'>;
  /** Whether memory limits may use control groups. */
  readonly useCgroups?: boolean;
  /** Who copies checkpoints, where scratch is; what is not given is left to this engine. */
  readonly keeping?: Partial<KeepingOptions>;
  /** How devices are watched; when not given, nobody looks. */
  readonly devices?: DeviceOptions;
  readonly times?: Partial<AgentTimes>;
}

const FLUSH_LIMIT_MS = 600_000;

const SILENT: Omit<VoiceOptions, 'now'> = {
  voice: () => null,
  surroundings: {
    yardName: '',
    directory: '',
    host: '',
    uid: 0,
    gid: 0,
    defaultQos: null,
    zone: 'UTC',
  },
  temporary: null,
};

export function createEmbeddedEngine(options: EmbeddedEngineOptions): Engine {
  let agent: Agent | null = null;
  let context: EngineContext | null = null;
  let unknownRuns: readonly UnknownRun[] = [];
  const runsUnknown = (attempt: AttemptId) =>
    stillRunning(unknownRuns).some((run) => run.attempt === attempt);
  let cgroupFinding: CgroupFinding = { cgroups: null, obstacle: 'the engine is not open yet' };

  return {
    name: 'embedded',

    async open(opened) {
      context = opened;
      const shimSource = join(packageRoot(), 'libexec', 'shim.sh');
      const files = openYardFiles(options.directory, options.claims ?? '', shimSource, Date.now());
      cgroupFinding =
        options.useCgroups === false
          ? { cgroups: null, obstacle: 'they are not wanted' }
          : findCgroups(options.yardId);
      unknownRuns = findUnknownRuns(options.directory, files, options.yardId, opened.isOwed);
      for (const remark of unknownRunsRemarks(unknownRuns)) opened.log(remark);
      const over = tidyUp(files, options.yardId, cgroupFinding.cgroups, opened.isOwed);
      agent = createAgent({
        files,
        yardId: options.yardId,
        yardDirectory: options.yardDirectory ?? options.directory,
        commands: options.commands ?? [],
        python: pythonDirectory(),
        voices: { ...(options.voices ?? SILENT), now: Date.now },
        nodes: options.nodes,
        cgroups: cgroupFinding.cgroups,
        keeping: { ...plainKeeping(options.directory), ...options.keeping },
        devices: options.devices ?? null,
        blob: opened.blob,
        isOwed: (attempt) => opened.isOwed(attempt) || runsUnknown(attempt),
        mayRemoveScripts: unknownRuns.length === 0,
        report: opened.report,
        log: opened.log,
        times: options.times ?? {},
      });
      for (const attempt of over) agent.forget(attempt);
      opened.report({ type: 'nodesSeen', nodes: options.nodes });
    },

    perform(effect) {
      if (agent === null || context === null) throw new Error('the engine is not open');
      try {
        agent.perform(effect);
      } catch (error) {
        context.log(`${effectWords(effect)}: ${errorWords(error)}`);
      }
    },

    measure(attempt) {
      return agent?.measure(attempt) ?? null;
    },

    devices() {
      return agent?.devices() ?? { source: null, devices: [] };
    },

    giveBack(attempt, how) {
      return agent?.giveBack(attempt, how) ?? false;
    },

    planRun(run) {
      if (agent === null) throw new Fault('the yard is stopping', true);
      return agent.planRun(run);
    },

    async checkpoints(job, attempt, ask) {
      if (agent === null) throw new Fault('the yard is stopping', true);
      return agent.checkpoints(job, attempt, ask);
    },

    forget(attempt) {
      agent?.forget(attempt);
    },

    forgetStep(attempt, step) {
      agent?.forgetStep(attempt, step);
    },

    remarks() {
      return [
        ...unknownRunsRemarks(stillRunning(unknownRuns)),
        memoryRemark(cgroupFinding),
        cpuRemark(options.nodes),
        ...(agent?.remarks() ?? []),
      ];
    },

    async close() {
      await agent?.close();
      agent = null;
    },
  };
}

/** Nothing is copied, and scratch directories are in the yard's own. */
function plainKeeping(directory: string): KeepingOptions {
  return {
    keeper: null,
    scratch: { disks: [{ directory, kind: 'unknown' }], ownIn: plainScratch },
    code: null,
    againExitCodes: [],
    holdExitCodes: [],
    flushLimitMs: FLUSH_LIMIT_MS,
  };
}

function plainScratch(directory: string): PrivateDirectory {
  return privateDirectory({ parent: directory, name: 'tmp', memory: NO_MEMORY, log: () => {} });
}

/** For jobs to import from; an installation may come without it. */
function pythonDirectory(): string | null {
  const directory = join(packageRoot(), 'python');
  return existsSync(directory) ? directory : null;
}

function effectWords(effect: Effect): string {
  return `cannot ${effect.type} attempt ${effect.attempt.id}`;
}

function memoryRemark({ cgroups, obstacle }: CgroupFinding): string {
  if (cgroups !== null) return `memory limits are kept by control groups, version ${cgroups.version}`;
  return `memory limits are kept by measuring processes once a second, since control groups cannot be used (${obstacle})`;
}

function cpuRemark(nodes: readonly Node[]): string {
  if (nodes.every((node) => node.cpuIds.length > 0)) return 'jobs that ask for CPUs are pinned to them';
  if (nodes.some((node) => node.cpuIds.length > 0)) {
    return 'jobs that ask for CPUs are pinned to them, except on rehearsed nodes, which have none of their own';
  }
  return 'jobs are not pinned to CPUs, since rehearsed nodes have none of their own';
}
