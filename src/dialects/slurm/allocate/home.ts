/** What a caller who uses a place itself has to know of the yard: names, numbers, and how long ends may take. */

import { type Asking, query } from '../../program.ts';
import type { Home } from '../environment/allocation.ts';

export interface Around {
  readonly home: Home;
  readonly graceMs: number;
}

export function* lookAtHome(user: string, uid: number): Asking<Around> {
  const { name, host } = yield* query('yard', {});
  const policy = yield* query('policy', {});
  const [who] = yield* query('users', { names: [user] });
  const defaultQos = policy.qos.find(({ isDefault }) => isDefault)?.name ?? null;
  const home = { yardName: name, host, uid, gid: who?.gid ?? uid, defaultQos };
  return { home, graceMs: policy.graceMs };
}
