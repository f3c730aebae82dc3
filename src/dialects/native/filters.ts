/** Options that choose jobs by what they are, the same for every command that has them. */

import type { JobFilter } from '../../model/query.ts';
import { allValues, type GivenOption } from '../options.ts';
import type { NativeOption } from './call.ts';

export const FILTER_OPTIONS: readonly NativeOption[] = [
  { name: 'user', short: 'u', value: 'required', argument: 'USER', help: 'only jobs of this user' },
  { name: 'queue', short: 'p', value: 'required', argument: 'QUEUE', help: 'only jobs in this queue' },
  { name: 'name', short: 'J', value: 'required', argument: 'NAME', help: 'only jobs of this name' },
];

/** Each may be given several times: one of the values must fit. */
export function filtersFrom(given: readonly GivenOption[]): Pick<JobFilter, 'users' | 'queues' | 'names'> {
  return {
    users: orAny(allValues(given, 'user')),
    queues: orAny(allValues(given, 'queue')),
    names: orAny(allValues(given, 'name')),
  };
}

/** A filter without values lets everything pass. */
export function orAny<T>(values: readonly T[]): readonly T[] | null {
  return values.length === 0 ? null : values;
}
