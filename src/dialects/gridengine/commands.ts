/** Every command of the Grid Engine dialect. */

import type { GridEngineCommand } from './command.ts';
import { qhold, qrls } from './holds/commands.ts';
import { qacct } from './qacct/qacct.ts';
import { qalter } from './qalter/qalter.ts';
import { qconf } from './qconf/qconf.ts';
import { qdel } from './qdel/qdel.ts';
import { qhost } from './qhost/qhost.ts';
import { qmod } from './qmod/qmod.ts';
import { qping } from './qping.ts';
import { qresub } from './qresub.ts';
import { qlogin, qrsh } from './qrsh/qrsh.ts';
import { qselect } from './qselect.ts';
import { qstat } from './qstat/qstat.ts';
import { qsub } from './qsub.ts';

export const GRID_ENGINE_COMMANDS: readonly GridEngineCommand[] = [
  qacct,
  qalter,
  qconf,
  qdel,
  qhold,
  qmod,
  qping,
  qrls,
  qhost,
  qlogin,
  qrsh,
  qselect,
  qstat,
  qresub,
  qsub,
];
