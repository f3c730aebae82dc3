/** Every command of the Grid Engine dialect. */

import type { GridEngineCommand } from './command.ts';

export const GRID_ENGINE_COMMANDS: readonly GridEngineCommand[] = [];
