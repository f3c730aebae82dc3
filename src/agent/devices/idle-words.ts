/** What is said in the yard's log about an attempt that has devices and does nothing on them. Pure. */

import { attemptIdOf, idleSince, type Tenant } from './tenant.ts';

/** Null: there is nothing to say, or it is said already. */
export function idleWords(tenant: Tenant, afterMs: number, nowMs: number): string | null {
  if (tenant.isIdleSaid) return null;
  const idle = tenant.holdings.filter((holding) => idleSince(holding, afterMs, nowMs) !== null);
  if (idle.length === 0) return null;
  tenant.isIdleSaid = true;
  tenant.isNews = true;
  const forMs = nowMs - Math.max(...idle.map(({ idleFrom }) => idleFrom ?? nowMs));
  const several = new Set(idle.map(({ node }) => node)).size > 1;
  const names = idle.map(({ node, index }) => (several ? `${node}:${index}` : `${index}`));
  const [what, there] = names.length === 1 ? ['GPU', 'it'] : ['GPUs', 'them'];
  return `attempt ${attemptIdOf(tenant)} has had ${what} ${listed(names)} for ${Math.floor(forMs / 60_000)}m and does nothing on ${there}`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
