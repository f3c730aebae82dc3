/**
 * How Grid Engine speaks to the jobs that were submitted in its words: the variables they find in their environment,
 * and what must be there before they start. It writes nothing into their output.
 */

import type { Voice } from '../../../model/voice.ts';
import { furnishingsFor } from './furnishings.ts';
import { jobEntries } from './variables.ts';

export const gridEngineVoice: Voice = {
  variables(job, attempt, place, surroundings) {
    const variables = new Map<string, string>();
    for (const [name, value] of jobEntries(job, attempt, place, surroundings)) {
      if (value !== null) variables.set(name, `${value}`);
    }
    return variables;
  },
  lastWords: () => null,
  furnish: furnishingsFor,
};
