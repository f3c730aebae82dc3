/** The programs of a real Grid Engine, from Debian's packages. */

import { execFileSync } from 'node:child_process';

/** What Debian has in /usr/bin are wrappers that take 60 ms a call; these are the programs behind them. */
export const CLIENTS = '/usr/lib/gridengine';

export const GRID_ENGINE = {
  name: 'Grid Engine',
  measure: 'gridengine',
  packages: ['gridengine-master', 'gridengine-exec', 'gridengine-client'],
  programs: ['/usr/sbin/sge_qmaster', '/usr/sbin/sge_execd', `${CLIENTS}/qsub`],
};

/** It says so only where it has a cell. */
export function gridEngineVersion(env) {
  return execFileSync(`${CLIENTS}/qsub`, ['-help'], { encoding: 'utf8', env })
    .split('\n', 1)[0]
    .replace('SGE', 'Grid Engine');
}
