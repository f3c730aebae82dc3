/** What a command of the Grid Engine dialect is. The list of them is in commands.ts. */

import type { Invocation, Program } from '../program.ts';

export interface GridEngineCommand {
  /** The name it is called by: `qsub`. */
  readonly name: string;
  readonly run: (invocation: Invocation) => Program;
}

/** The first line of every `-help`. Clients look at it to see whom they talk to. */
export const GRID_ENGINE_VERSION = 'SGE 8.1.9';
