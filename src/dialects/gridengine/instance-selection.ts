/** Which queue instances somebody means by their names, their states and what they have; for `qstat` and `qselect`. */

import type { Policy } from '../../model/policy.ts';
import { GridEngineFailure } from './failure.ts';
import { allWords, type FlagSpec, type GivenFlag, hasFlag, lastWord } from './flags.ts';
import { instanceValues } from './host-values.ts';
import type { JobFacts } from './job-facts.ts';
import { listOf } from './listing-flags.ts';
import { matchesExpression, matchesInstance } from './patterns.ts';
import type { QueueInstance } from './queue-instances.ts';
import { meetsWishes, type ResourceWish, readWishes } from './resource-match.ts';

/** Which queue instances are meant; null: whichever. */
export interface InstanceSelection {
  readonly queues: readonly string[] | null;
  readonly wishes: readonly ResourceWish[] | null;
  readonly environments: readonly string[] | null;
  readonly states: string | null;
}

/** `-U` asks which queues somebody may use; here everybody may use all of them. */
export const SELECTION_FLAGS: readonly FlagSpec[] = ['-l', '-pe', '-q', '-qs', '-U'].map((flag) => ({
  flag,
  words: 1,
}));

const QUEUE_STATES = 'acdosuACDESP';

export function readSelection(given: readonly GivenFlag[]): InstanceSelection {
  const lists = (flag: string) => (hasFlag(given, flag) ? allWords(given, flag).flatMap(listOf) : null);
  const states = lastWord(given, '-qs');
  if (states !== null) checkQueueStates(states);
  return { queues: lists('-q'), wishes: wishesOf(given), environments: lists('-pe'), states };
}

export function checkQueueStates(text: string): void {
  const unknown = [...text].find((letter) => !QUEUE_STATES.includes(letter));
  if (unknown === undefined) return;
  const sentence = `unknown queue state: ${unknown} found in string: ${text}`;
  throw new GridEngineFailure([`error: ${sentence}`, sentence], 1);
}

/** The original does not say what is wrong with these. */
function wishesOf(given: readonly GivenFlag[]): readonly ResourceWish[] | null {
  if (!hasFlag(given, '-l')) return null;
  return allWords(given, '-l').flatMap((text) => {
    const read = readWishes(text);
    if (!read.ok) throw new GridEngineFailure([], 1);
    return read.wishes;
  });
}

/** Null when nobody chose: all of them. */
export function selectInstances(
  instances: readonly QueueInstance[],
  selection: InstanceSelection,
  { layouts }: Pick<Policy, 'layouts'>,
): readonly QueueInstance[] | null {
  const { queues, wishes, environments, states } = selection;
  if (queues === null && wishes === null && environments === null && states === null) return null;
  const named =
    queues === null
      ? instances
      : instances.filter(({ queue, node }) => queues.some((word) => matchesInstance(word, queue, node)));
  // The original does not say that there is no such queue.
  if (queues !== null && named.length === 0) throw new GridEngineFailure([], 1);
  if (
    environments !== null &&
    !environments.some((word) => layouts.some(({ name }) => matchesExpression(word, name)))
  ) {
    throw new GridEngineFailure(['error: no such parallel environment'], 1);
  }
  return named.filter(
    (instance) =>
      (wishes === null || meetsWishes(instanceValues(instance), wishes)) &&
      (states === null || [...states].some((letter) => instance.states.includes(letter))),
  );
}

/** Whether it runs in one of them, or could. */
export function belongsTo({ places, section, job }: JobFacts, instances: readonly QueueInstance[]): boolean {
  if (section === 'running') {
    return places.some((place) =>
      instances.some(({ queue, node }) => queue === place.queue && node === place.node),
    );
  }
  const { queue, queueChoices, resources } = job.spec;
  const choices = queueChoices ?? [queue];
  return instances.some(
    (instance) =>
      choices.includes(instance.queue) &&
      (resources.onlyNodes.length === 0 || resources.onlyNodes.includes(instance.node)) &&
      !resources.exceptNodes.includes(instance.node),
  );
}
