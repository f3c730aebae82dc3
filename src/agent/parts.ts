/** What the parts of an agent share. */

import type { Observation } from '../model/command.ts';
import type { BlobHash } from '../model/ids.ts';
import type { Node } from '../model/node.ts';
import type { DeviceWatch } from './device-watch.ts';
import type { SubmittedEnvironment } from './environment.ts';
import type { Hook } from './hooks/hook.ts';
import type { Keeping } from './keeping.ts';
import type { AttemptDirs } from './progress.ts';
import type { RankFiles } from './rank-files.ts';
import type { Scripts } from './scripts.ts';
import type { Shims } from './shims.ts';
import type { Speaking } from './speaking.ts';
import type { YardFiles } from './yard-files.ts';

export interface AgentParts {
  readonly files: YardFiles;
  readonly yardId: string;
  /** Where commands inside a job find their yard. */
  readonly yardDirectory: string;
  /** Directories for the end of a job's PATH. */
  readonly commands: readonly string[];
  /** The directory of Trainyard's Python package; null: there is none. */
  readonly python: string | null;
  /** The exit code by which a batch script asks for another run; null: there is none. */
  readonly againExitCode: number | null;
  readonly speaking: Speaking;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly hooks: readonly Hook[];
  readonly environment: (hash: BlobHash) => SubmittedEnvironment | null;
  readonly scripts: Scripts;
  readonly rankFiles: RankFiles;
  readonly shims: Shims;
  readonly ownDirs: AttemptDirs;
  readonly keeping: Keeping;
  readonly devices: DeviceWatch;
  /** After a longer one a new shim is no loss, and what its shim used is known when that exits. */
  readonly shortJobMs: number;
  /** The wall clock. */
  readonly now: () => number;
  readonly report: (observation: Observation) => void;
  readonly log: (line: string) => void;
}
