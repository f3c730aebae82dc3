/** What a submission wants kept, and how it wants its GPUs, in the API's words: the same rules hold as for `#YARD` lines. */

import { gpuWordsFrom } from '../../dialects/gpu-words.ts';
import { keepingFrom } from '../../dialects/keeping-words.ts';
import { KeepingMistake } from '../../dialects/kept-directories.ts';
import type { GivenOption } from '../../dialects/options.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { failed, HttpError } from './reply.ts';
import type { Submission } from './shapes/request.ts';

export function keptOf(wish: Submission, home: string | null): Pick<JobSpec, 'keeping' | 'chain'> {
  const { workDir, array, requeue } = wish;
  return orUnprocessable(
    () =>
      keepingFrom(optionsOf(wish), {
        workDir,
        home,
        isArray: array != null,
        requeue: requeue === undefined ? null : requeue ? 'yes' : 'no',
      }).parts,
  );
}

export function gpuPartsOf(
  { workDir, kind, gpuLog }: Submission,
  home: string | null,
): Pick<JobSpec, 'kind' | 'gpuLog'> {
  const given = [
    ...(kind === undefined ? [] : [{ name: 'kind', value: kind, written: 'kind' }]),
    ...(gpuLog === undefined ? [] : [{ name: 'gpu-log', value: gpuLog, written: 'gpuLog' }]),
  ];
  return orUnprocessable(() => gpuWordsFrom(given, { workDir, home }).parts);
}

function orUnprocessable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof KeepingMistake)) throw error;
    throw new HttpError(failed(422, 'badRequest', error.message, error.hint));
  }
}

function optionsOf({ keeping = {}, chain = false }: Submission): readonly GivenOption[] {
  const { checkpoints, persist, keepCount, keepForMs, logs = [], scratch } = keeping;
  const given: GivenOption[] = [];
  const say = (name: string, field: string, value: string | null | undefined) => {
    if (value !== undefined) given.push({ name, value, written: field });
  };
  say('checkpoints', 'keeping.checkpoints', checkpoints);
  say('persist', 'keeping.persist', persist);
  say('keep', 'keeping.keepCount', keepCount?.toString());
  say('keep-for', 'keeping.keepForMs', keepForMs === undefined ? undefined : `${keepForMs / 1000}s`);
  for (const { from, to } of logs) say('logs', 'keeping.logs', `${from}:${to}`);
  if (scratch !== undefined) say('scratch', 'keeping.scratch', scratch.maxBytes?.toString() ?? null);
  if (chain) say('chain', 'chain', null);
  return given;
}
