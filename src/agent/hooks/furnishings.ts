/** What a job's dialect wants to be there around the run: made ahead of it, removed when nobody of it is left. */

import type { Furnisher } from '../furnishings.ts';
import type { Speaking } from '../speaking.ts';
import type { Hook } from './hook.ts';

export function furnishings(furnisher: Furnisher, speaking: Pick<Speaking, 'furnishings'>): Hook {
  return {
    name: 'furnishings',
    before({ job, attempt }) {
      const wanted = speaking.furnishings(job, attempt);
      if (wanted !== null) furnisher.furnish(attempt.id, wanted, job.spec.program.umask);
    },
    after: ({ remains }) => furnisher.clear(remains.attempt),
  };
}
