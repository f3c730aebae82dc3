/** The QOS and the account of a job: whether there is such a one, who may name it, and which holds for who names none. */

import type { JobSpec } from '../../model/job-spec.ts';
import type { Account, Policy } from '../../model/policy.ts';
import { countOf } from '../../model/ranges.ts';
import { overLimit, type Refusal, refusal } from '../../model/refusal.ts';
import { formatDuration } from '../../model/units.ts';
import { qosNamed } from '../priority.ts';
import { qosUser } from '../tally.ts';
import type { Turn } from '../turn.ts';

type Services = Pick<JobSpec, 'qos' | 'account'>;

/** As asked for, with what holds for who asked for nothing. */
export function servicesFor(policy: Policy, { user, qos, account }: JobSpec): Services {
  return {
    qos: qos ?? qosNamed(policy, null)?.name ?? null,
    account: account ?? accountsOpenTo(policy, user)[0]?.name ?? null,
  };
}

function accountsOpenTo({ accounts }: Policy, user: string): readonly Account[] {
  return (accounts ?? []).filter(({ users }) => users === null || users.includes(user));
}

export function whyNoQos(policy: Policy, { qos, limitMs }: JobSpec): Refusal | null {
  const found = qosNamed(policy, qos);
  if (found === null) {
    if (policy.unknownQos === 'accept') return null;
    const names = policy.qos.map(({ name }) => name);
    return refusal('noSuchQos', `there is no QOS '${qos}'`, `choose one of ${names.join(', ')}`, names);
  }
  const { name, maxLimitMs } = found;
  if (maxLimitMs === null || (limitMs !== null && limitMs <= maxLimitMs)) return null;
  const asked = limitMs === null ? 'a job without a time limit' : formatDuration(limitMs);
  return overLimit(
    'timeLimit',
    `QOS ${name} allows ${formatDuration(maxLimitMs)} at most, not ${asked}`,
    'ask for less time, or choose another QOS',
  );
}

export function whyNoAccount(policy: Policy, { user, account }: JobSpec): Refusal | null {
  if (policy.accounts === null) return null;
  const names = accountsOpenTo(policy, user).map(({ name }) => name);
  if (account !== null && names.includes(account)) return null;
  const hint = names.length === 0 ? null : `choose one of ${names.join(', ')}`;
  if (account === null) return refusal('noSuchAccount', `${user} is in no account`);
  const isThere = policy.accounts.some(({ name }) => name === account);
  const message = isThere ? `${user} is not in account '${account}'` : `there is no account '${account}'`;
  return refusal('noSuchAccount', message, hint, names);
}

export function whyTooManyInQos(
  { policy, state }: Pick<Turn, 'policy' | 'state'>,
  { user, qos, array }: JobSpec,
): Refusal | null {
  const found = qosNamed(policy, qos);
  if (found === null || found.maxQueuedPerUser === null) return null;
  const count = array === null ? 1 : countOf(array.indices);
  const has = state.tallies.unendedByQosUser.get(qosUser(qos, user)) ?? 0;
  if (has + count <= found.maxQueuedPerUser) return null;
  return overLimit(
    'jobCount',
    `${user} may have ${found.maxQueuedPerUser} jobs queued with QOS ${found.name} and has ${has}`,
    'wait for some to end, or choose another QOS',
  );
}
