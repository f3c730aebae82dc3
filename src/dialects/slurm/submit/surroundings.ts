/** What a submission has to know of the yard: its policy, and whether constraints and mail mean anything in it. */

import { type GivenOption, isGiven } from '../../options.ts';
import { type Asking, clock, query } from '../../program.ts';
import type { Surroundings } from './job-request.ts';

export function* lookAround(given: readonly GivenOption[]): Asking<Surroundings> {
  const now = yield* clock();
  const policy = yield* query('policy', {});
  const nodes = isGiven(given, 'constraint') ? yield* query('nodes', { names: null }) : [];
  const sendsMail = !isGiven(given, 'mail-type') || (yield* query('yard', {})).mail !== null;
  return { now, policy, haveFeatures: nodes.some(({ node }) => node.features.length > 0), sendsMail };
}
