/** What an agent is given when it is made. */

import type { Observation } from '../model/command.ts';
import type { BlobHash } from '../model/ids.ts';
import type { Node } from '../model/node.ts';
import type { Cgroups } from './cgroups.ts';
import { DEVICE_TIMES, type DeviceOptions, type DeviceTimes } from './devices/options.ts';
import type { VoiceOptions } from './speaking.ts';
import { STEP_TIMES, type StepTimes } from './steps.ts';
import type { KeepingOptions } from './storeroom.ts';
import { STRAY_TIMES, type StrayTimes } from './strays.ts';
import type { IsOwed } from './tidy.ts';
import type { YardFiles } from './yard-files.ts';

export interface AgentOptions {
  readonly files: YardFiles;
  readonly yardId: string;
  readonly yardDirectory: string;
  /** Directories for the end of a job's PATH. */
  readonly commands: readonly string[];
  /** The directory of Trainyard's Python package; null: there is none. */
  readonly python: string | null;
  readonly voices: VoiceOptions;
  readonly nodes: readonly Node[];
  /** Null: memory limits are kept by measuring. */
  readonly cgroups: Cgroups | null;
  readonly keeping: KeepingOptions;
  /** Null: nobody looks at devices. */
  readonly devices: DeviceOptions | null;
  readonly blob: (hash: BlobHash) => Uint8Array | null;
  readonly isOwed: IsOwed;
  /** False while something runs here that nobody knows the script of. */
  readonly mayRemoveScripts: boolean;
  readonly report: (observation: Observation) => void;
  readonly log: (line: string) => void;
  readonly times: Partial<AgentTimes>;
}

export interface AgentTimes {
  /** How often everything is looked at, in case a watch missed it. */
  readonly checkEveryMs: number;
  readonly measureEveryMs: number;
  /** How often those are looked for who run things themselves: nobody tells when they die. */
  readonly lookForCallersEveryMs: number;
  /** How long files stay that tell a late shim that its rank is taken. */
  readonly keepForgottenMs: number;
  /** After a job that took longer than this, its shim is not handed on. */
  readonly shortJobMs: number;
  /** By then whoever opened the yard has asked for everything that was running: what others left may go. */
  readonly sweepAfterMs: number;
  /** How often what could not be made safe is tried again. */
  readonly retryEveryMs: number;
  readonly strays: StrayTimes;
  readonly steps: StepTimes;
  readonly devices: DeviceTimes;
}

export const AGENT_TIMES: AgentTimes = {
  checkEveryMs: 5000,
  measureEveryMs: 1000,
  lookForCallersEveryMs: 1000,
  keepForgottenMs: 60_000,
  shortJobMs: 200,
  // They are asked for in the same turn of the event loop in which it was opened.
  sweepAfterMs: 1000,
  retryEveryMs: 60_000,
  strays: STRAY_TIMES,
  steps: STEP_TIMES,
  devices: DEVICE_TIMES,
};
