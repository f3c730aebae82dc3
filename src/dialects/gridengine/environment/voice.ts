/**
 * How Grid Engine speaks to the jobs that were submitted in its words: the variables they find in their environment,
 * and what must be there before they start. It writes nothing into their output.
 */

import type { Voice } from '../../../model/voice.ts';

export const gridEngineVoice: Voice = {
  variables: () => new Map(),
  lastWords: () => null,
};
