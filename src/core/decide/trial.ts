/** What would become of a job if it were submitted now. Changes nothing. */

import type { JobSpec } from '../../model/job-spec.ts';
import type { Trial } from '../../model/query.ts';
import { forecastNew } from '../schedule/forecast.ts';
import { admit, type Look } from './submit.ts';

export function trial(look: Look, wish: JobSpec): Trial {
  const admitted = admit(look, wish);
  if ('code' in admitted) return { ok: false, refusal: admitted };
  const { state, policy, now } = look;
  const { spec, queue } = admitted;
  const from = Math.max(now, spec.beginAt ?? 0);
  const appointment = forecastNew(state, policy, now, spec);
  return {
    ok: true,
    job: state.nextJobId,
    queue: queue.name,
    startAt: appointment === null ? null : Math.max(appointment.at, from),
    placement: appointment?.placement ?? null,
  };
}
