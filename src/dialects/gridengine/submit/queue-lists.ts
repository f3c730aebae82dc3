/**
 * Lists of queues: `cpu,gpu@n1`, `*@@allhosts`, `c*&!cpu2`. From them to the queues that would do, the preferred one
 * first, and the nodes that the job is kept to.
 */

import type { NodeName, QueueName } from '../../../model/ids.ts';
import type { Policy, Queue } from '../../../model/policy.ts';
import { matchesExpression, matchesInstance } from '../patterns.ts';
import { rejected } from './complaints.ts';
import { type AskedFlag, ofLastSource } from './layers.ts';
import { isLenient, type Surroundings } from './surroundings.ts';

export interface ChosenQueues {
  /** The first one is preferred; empty: whichever is the default. */
  readonly queues: readonly QueueName[];
  /** Empty: any node. */
  readonly onlyNodes: readonly NodeName[];
  readonly warnings: readonly string[];
}

/** What was said with `-q`, `-soft -q` and `-l qname`. */
export interface QueueWish {
  readonly hard: readonly string[];
  readonly soft: readonly string[];
  readonly master: readonly string[];
}

export function queueWishOf(given: readonly AskedFlag[]): QueueWish {
  const flags = ofLastSource(given, '-q');
  const listed = (some: readonly AskedFlag[]) => some.flatMap(({ words }) => queueWords(words[0] ?? ''));
  return {
    hard: listed(flags.filter(({ isSoft }) => !isSoft)),
    soft: listed(flags.filter(({ isSoft }) => isSoft)),
    master: listed(given.filter(({ flag }) => flag === '-masterq')),
  };
}

function queueWords(list: string): readonly string[] {
  return list.split(',').filter((word) => word !== '');
}

/** Throws for a queue that is not there, unless none was configured. */
export function chosenQueues(wish: QueueWish, surroundings: Surroundings): ChosenQueues {
  const warnings: string[] = [];
  const known = (words: readonly string[]) =>
    words.filter((word) => {
      if (isKnown(word, surroundings)) return true;
      if (!isLenient(surroundings)) throw rejected(unknownQueue(word));
      warnings.push(`there is no queue ${word} here; ${standIn(words, word, surroundings)}`);
      return false;
    });
  const [hard, soft, master] = [known(wish.hard), known(wish.soft), known(wish.master)];
  const wanted = hard.length > 0 ? queuesOf(hard, surroundings) : preferred(soft, surroundings);
  const ofMaster = master.length === 0 ? wanted : wanted.filter((name) => isIn(name, master, surroundings));
  if (wanted.length > 0 && ofMaster.length === 0) throw rejected('error: no suitable queues');
  const softFirst = [...ofMaster].sort(
    (a, b) => Number(isIn(b, soft, surroundings)) - Number(isIn(a, soft, surroundings)),
  );
  const nodes = nodesOf([...hard, ...master], softFirst, surroundings);
  return { queues: softFirst, onlyNodes: nodes, warnings };
}

export function unknownQueue(word: string): string {
  return `Job was rejected because job requests unknown queue "${word}"`;
}

/** Without a hard request the default queue does, and those that were softly asked for do better. */
function preferred(soft: readonly string[], surroundings: Surroundings): readonly QueueName[] {
  if (soft.length === 0) return [];
  const standard = defaultQueue(surroundings.policy);
  return [...new Set([...queuesOf(soft, surroundings), ...(standard === null ? [] : [standard.name])])];
}

export function defaultQueue({ queues }: Policy): Queue | null {
  return queues.find(({ isDefault }) => isDefault) ?? queues[0] ?? null;
}

function standIn(words: readonly string[], unknown: string, surroundings: Surroundings): string {
  const others = words.filter((word) => word !== unknown && isKnown(word, surroundings));
  if (others.length > 0) return `the others of the list do`;
  return `using ${defaultQueue(surroundings.policy)?.name ?? 'another'}`;
}

function isKnown(word: string, surroundings: Surroundings): boolean {
  return queuesOf([word], surroundings).length > 0;
}

/** In the order of the words; those that one pattern means in the order of the yard. */
function queuesOf(words: readonly string[], surroundings: Surroundings): readonly QueueName[] {
  const { queues } = surroundings.policy;
  const names = words.flatMap((word) =>
    queues.filter((queue) => isMeant(word, queue, surroundings)).map(({ name }) => name),
  );
  return [...new Set(names)];
}

function isIn(name: QueueName, words: readonly string[], surroundings: Surroundings): boolean {
  return queuesOf(words, surroundings).includes(name);
}

function isMeant(word: string, queue: Queue, { nodes }: Surroundings): boolean {
  if (!word.includes('@')) return matchesExpression(word, queue.name);
  return nodes.some(({ node }) => reaches(queue, node.name) && matchesInstance(word, queue.name, node.name));
}

function reaches({ nodes }: Queue, node: NodeName): boolean {
  return nodes?.includes(node) ?? true;
}

/** Nodes are not told apart by queue: those of any queue that was named on a node do for all of them. */
function nodesOf(
  words: readonly string[],
  queues: readonly QueueName[],
  { nodes, policy }: Surroundings,
): readonly NodeName[] {
  if (!words.some((word) => word.includes('@'))) return [];
  const chosen = policy.queues.filter(({ name }) => queues.includes(name));
  const reached = nodes
    .map(({ node }) => node.name)
    .filter((node) => chosen.some((queue) => reaches(queue, node)));
  const meant = reached.filter((node) =>
    chosen.some((queue) => words.some((word) => matchesInstance(word, queue.name, node))),
  );
  return meant.length === reached.length ? [] : meant;
}
