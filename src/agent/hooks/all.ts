/** The hooks, in the order in which they prepare; they tidy in the reverse order. */

import type { Cgroups } from '../cgroups.ts';
import type { Furnisher } from '../furnishings.ts';
import type { Speaking } from '../speaking.ts';
import type { Strays } from '../strays.ts';
import { cpuPinning } from './cpu-pinning.ts';
import { furnishings } from './furnishings.ts';
import type { Hook } from './hook.ts';
import { memoryGroup } from './memory-group.ts';
import { outputs } from './outputs.ts';
import { endStrays } from './strays.ts';

export function allHooks(
  strays: Strays,
  cgroups: Cgroups | null,
  leftover: (directory: string) => void,
  furnisher: Furnisher,
  speaking: Speaking,
): readonly Hook[] {
  return [
    furnishings(furnisher, speaking),
    outputs,
    memoryGroup(cgroups, leftover),
    cpuPinning,
    endStrays(strays),
  ];
}
