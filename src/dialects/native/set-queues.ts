/** What `trainyard queues` does to the queues that are named: whether they start jobs, and whether their jobs go on. */

import { printable } from '../../model/bytes.ts';
import type { QueueName } from '../../model/ids.ts';
import type { QueueState } from '../../model/policy.ts';
import type { Refusal } from '../../model/refusal.ts';
import { isGiven } from '../options.ts';
import { type Asking, command, printErr, printOut } from '../program.ts';
import { listed } from '../text/words.ts';
import type { Call, NativeOption } from './call.ts';
import { EXIT_OK, EXIT_REFUSED, failureText, usageError } from './failure.ts';
import { printJson } from './json.ts';

interface Deed {
  readonly name: string;
  readonly help: string;
  readonly change: Partial<QueueState>;
  /** What is said of a queue that is so now, and of one that was so before. */
  readonly now: string;
  readonly before: string;
}

const DEEDS: readonly Deed[] = [
  {
    name: 'disable',
    help: 'start no more jobs in these queues',
    change: { disabled: true },
    now: 'is disabled: jobs wait in it, and none starts',
    before: 'was disabled before',
  },
  {
    name: 'enable',
    help: 'start jobs in them again',
    change: { disabled: false },
    now: 'is enabled',
    before: 'was not disabled',
  },
  {
    name: 'suspend',
    help: 'the same as --disable, and stop their jobs where they are',
    change: { suspended: true },
    now: 'is suspended, with the jobs that run in it',
    before: 'was suspended before',
  },
  {
    name: 'resume',
    help: 'let a suspended queue and its jobs go on',
    change: { suspended: false },
    now: 'goes on',
    before: 'was not suspended',
  },
];

export const DEED_OPTIONS: readonly NativeOption[] = DEEDS.map(({ name, help }) => ({
  name,
  value: 'none',
  help,
}));

/** Null: nothing is to be done, only shown. */
export function deedAsked({ options, positionals }: Call): Deed | null {
  const [deed, ...others] = DEEDS.filter(({ name }) => isGiven(options, name));
  if (deed === undefined) return null;
  if (others.length > 0) {
    const written = [deed, ...others].map(({ name }) => `--${name}`);
    throw usageError(`${listed(written)} do not go together`);
  }
  if (positionals.length === 0)
    throw usageError(`--${deed.name} needs a queue`, `for example: trainyard queues --${deed.name} main`);
  return deed;
}

interface Result {
  readonly queue: QueueName;
  readonly changed: boolean;
  readonly error: Refusal | null;
}

export function* setQueues(call: Call, deed: Deed): Asking<number> {
  const results: Result[] = [];
  for (const queue of new Set(call.positionals)) {
    const result = yield* command({ type: 'setQueue', queue, by: call.invocation.user, ...deed.change });
    results.push(
      result.ok
        ? { queue, changed: result.changed, error: null }
        : { queue, changed: false, error: result.refusal },
    );
  }
  const failed = results.find(({ error }) => error !== null)?.error ?? null;
  if (call.json) yield* printJson(failed === null ? { queues: results } : { error: failed, queues: results });
  else
    for (const { queue, changed, error } of results) {
      if (error !== null) yield* printErr(failureText(error, call.paint));
      else if (!call.quiet)
        yield* printOut(`queue ${printable(queue)} ${changed ? deed.now : deed.before}\n`);
    }
  return failed === null ? EXIT_OK : EXIT_REFUSED;
}
