/** What people change while jobs share devices: names, minds, and what is known of kinds. */

import type { YardState } from '../../core/state.ts';
import type { UserCommand } from '../../model/command.ts';
import type { Random } from '../random.ts';

/** Null: there is nothing to think about. */
export function aSecondThought(random: Random, { live, footprints }: YardState): UserCommand | null {
  const by = 'root';
  const roll = random.next();
  if (roll < 0.5) {
    if (live.size === 0) return null;
    const target = { job: random.pick([...live]), index: null };
    if (roll < 0.25) return { type: 'requeue', target, by, hold: false };
    return { type: 'update', target, by, changes: { name: `renamed${random.between(1, 3)}` } };
  }
  if (footprints.size === 0) return null;
  if (roll < 0.55) return { type: 'forgetFootprints', keys: null, device: null, by };
  const { key, device, memory } = random.pick([...footprints.values()]);
  if (roll < 0.8) return { type: 'forgetFootprints', keys: [key.text], device: null, by };
  const memoryBytes = random.chance(0.5) ? null : Math.ceil(memory.max * (1 + random.next())) + 1;
  return {
    type: 'setFootprint',
    key: key.text,
    device,
    by,
    memoryBytes,
    loadMillis: random.between(0, 1000),
  };
}
