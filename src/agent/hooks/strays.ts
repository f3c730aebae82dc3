/**
 * Nobody stays behind. Devices are handed on and what is kept is copied only when nobody uses them any more, and steps
 * are in groups of their own; otherwise the end is told at once when the process group is empty, and those who left it
 * are looked for a little later.
 */

import { groupExists } from '../../platform/processes.ts';
import { cgroupMembers } from '../cgroups.ts';
import type { Strays } from '../strays.ts';
import type { Hook } from './hook.ts';

export function endStrays(strays: Strays): Hook {
  return {
    name: 'strays',
    after({ remains, holdsDevices, hasSteps, isKept, askedBy, findings }) {
      const somebodyIsLeft =
        remains.orphans.some(groupExists) ||
        remains.cgroups.some((directory) => cgroupMembers(directory).length > 0);
      if (holdsDevices || hasSteps || isKept || somebodyIsLeft)
        return new Promise((done) => {
          const over = (wasForced: boolean) => {
            findings.wasForced = wasForced;
            done();
          };
          strays.clear(remains, over, askedBy);
        });
      strays.lookLater(remains);
    },
  };
}
