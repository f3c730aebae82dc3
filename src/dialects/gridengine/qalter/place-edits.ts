/** Edits of what a job needs and where it may run: resources, slots, queues. A list replaces what was said before. */

import type { JobChanges } from '../../../model/command.ts';
import type { NodeName, QueueName } from '../../../model/ids.ts';
import { askedAttributes, attributesText } from '../submit/attributes.ts';
import { rejected } from '../submit/complaints.ts';
import { parallelFrom, slotRangeText, slotsAlone } from '../submit/parallel.ts';
import { chosenQueues, defaultQueue, queueWishOf } from '../submit/queue-lists.ts';
import { resourcesFrom } from '../submit/resources.ts';
import { wordOf } from '../words.ts';
import { type Edit, type EditContext, flagsNow, hardAttributes, isGiven, modified } from './edit.ts';

export const hardResources: Edit = (context) => {
  if (!isGiven(context, '-l')) return null;
  const { job, surroundings } = context;
  const asked = hardAttributes(context);
  const wish = resourcesFrom(asked, surroundings);
  const { program, resources } = job.spec;
  const slots = wish.slots === null || wordOf(job, 'pe') !== null ? {} : slotsAlone(wish.slots);
  const { queue, queueChoices, onlyNodes } = queuesNow(context);
  const { memory, gpus } = wish;
  return {
    changes: {
      limitMs: wish.limitMs,
      warning: wish.warning,
      resources: { ...resources, ...slots, memory, gpus, onlyNodes },
      program: { ...program, ulimits: { ...program.ulimits, ...wish.ulimits } },
      ...(wish.queues.length > 0 ? { queue, queueChoices } : {}),
    },
    words: { resources: attributesText(asked) },
    lines: [modified('hard resource list', context)],
    warnings: wish.warnings,
  };
};

export const softResources: Edit = (context) => {
  if (!isGiven(context, '-l', 'soft')) return null;
  return {
    words: { softResources: attributesText(askedAttributes(context.given, 'soft')) },
    lines: [modified('soft resource list', context)],
  };
};

export const parallelEnvironment: Edit = (context) => {
  const words = context.given.findLast(({ flag }) => flag === '-pe')?.words;
  if (words === undefined) return null;
  const { name, ranks, warnings } = parallelFrom(words, context.surroundings);
  const { ranksMax: _most, spread: _spread, ...resources } = context.job.spec.resources;
  return {
    changes: { resources: { ...resources, ...ranks } },
    words: { pe: name, slotRange: slotRangeText(words[1] ?? '') },
    lines: [modified('parallel environment', context), modified('slot range', context)],
    warnings,
  };
};

export const hardQueues: Edit = (context) => {
  if (!isGiven(context, '-q')) return null;
  const now = queuesNow(context);
  const { hard } = queueWishOf(flagsNow(context));
  return {
    changes: queueChanges(context, now),
    words: { queues: hard.join(',') },
    lines: [modified('hard queue list', context)],
    warnings: now.warnings,
  };
};

export const softQueues: Edit = (context) => {
  if (!isGiven(context, '-q', 'soft')) return null;
  const now = queuesNow(context);
  const { soft } = queueWishOf(flagsNow(context));
  return {
    changes: queueChanges(context, now),
    words: { softQueues: soft.join(',') },
    lines: [modified('soft queue list', context)],
    warnings: isGiven(context, '-q') ? [] : now.warnings,
  };
};

export const masterQueues: Edit = (context) => {
  if (!isGiven(context, '-masterq')) return null;
  const now = queuesNow(context);
  const { master } = queueWishOf(flagsNow(context));
  return {
    changes: queueChanges(context, now),
    words: { masterQueues: master.join(',') },
    lines: [modified('master hard queue list', context)],
  };
};

interface QueuesNow {
  readonly queue: QueueName;
  readonly queueChoices: readonly QueueName[];
  readonly onlyNodes: readonly NodeName[];
  readonly warnings: readonly string[];
}

/** All that is said about queues and hosts, now and before, taken together. */
function queuesNow(context: EditContext): QueuesNow {
  const { surroundings, job } = context;
  const wish = queueWishOf(flagsNow(context));
  const attributes = resourcesFrom(hardAttributes(context), surroundings);
  const hard = wish.hard.length > 0 ? wish.hard : attributes.queues;
  const { queues, onlyNodes, warnings } = chosenQueues({ ...wish, hard }, surroundings);
  const queue = queues[0] ?? defaultQueue(surroundings.policy)?.name ?? job.spec.queue;
  return {
    queue,
    queueChoices: queues.length > 1 ? queues : [queue],
    onlyNodes: both(onlyNodes, attributes.onlyNodes ?? []),
    warnings,
  };
}

/** An empty list means any. */
function both(some: readonly NodeName[], others: readonly NodeName[]): readonly NodeName[] {
  if (some.length === 0 || others.length === 0) return [...some, ...others];
  const common = some.filter((node) => others.includes(node));
  if (common.length === 0) throw rejected('error: no suitable queues');
  return common;
}

function queueChanges({ job }: EditContext, { queue, queueChoices, onlyNodes }: QueuesNow): JobChanges {
  return { queue, queueChoices, resources: { ...job.spec.resources, onlyNodes } };
}
