/**
 * What a submission has to know of the yard. Each question takes time, so that only what the flags are about is asked
 * for; an empty list of nodes means that nobody has asked.
 */

import type { Policy } from '../../../model/policy.ts';
import type { NodeView } from '../../../model/query.ts';
import { type Asking, clock, query } from '../../program.ts';
import { complexNamed } from '../complexes.ts';
import type { GivenFlag } from '../flags.ts';
import { attributesOf } from './attributes.ts';

export interface Surroundings {
  readonly now: number;
  readonly policy: Policy;
  readonly nodes: readonly NodeView[];
  readonly sendsMail: boolean;
}

/** Scripts written for other places may name any queue, resource, project or parallel environment. */
export function isLenient({ policy }: Pick<Surroundings, 'policy'>): boolean {
  return policy.unknownQueue === 'useDefault';
}

export function* lookAround(given: readonly GivenFlag[], sendsMail: boolean): Asking<Surroundings> {
  return {
    now: yield* clock(),
    policy: yield* query('policy', {}),
    nodes: given.some(isAboutNodes) ? yield* query('nodes', { names: null }) : [],
    sendsMail,
  };
}

/** Attributes that the yard itself sees to, wherever a job is. */
const EVERYWHERE = new Set([
  'h_rt',
  's_rt',
  'h_vmem',
  'h_rss',
  'mem_free',
  'virtual_free',
  'gpu',
  'slots',
  'qname',
]);

function isAboutNodes({ flag, words }: GivenFlag): boolean {
  const [word = ''] = words;
  switch (flag) {
    case '-q':
    case '-masterq':
      return word.includes('@');
    case '-o':
    case '-e':
    case '-i':
      return /[^,:]:/.test(word);
    case '-l':
      return attributesOf(word).some(({ name }) => {
        const attribute = complexNamed(name);
        return attribute !== null && !EVERYWHERE.has(attribute.name);
      });
    default:
      return false;
  }
}
