/**
 * Remembers, for the life of the daemon, which submission a client's Idempotency-Key stood for, so that a
 * client that did not hear the answer may ask again. Refused submissions are not remembered.
 */

import { createHash } from 'node:crypto';
import type { CommandResult } from '../../dialects/program.ts';
import { failed, HttpError } from './reply.ts';

/** When there are more keys than this the oldest are forgotten. */
const MOST_KEYS = 100_000;
const LONGEST_KEY = 255;

export interface Once {
  readonly result: CommandResult;
  /** True when the answer is that of an earlier request. */
  readonly repeated: boolean;
}

/** `owner` keeps callers apart; `request` must be the same for the same key. */
export type Idempotency = (
  owner: string,
  key: string,
  request: unknown,
  act: () => Promise<CommandResult>,
) => Promise<Once>;

export function createIdempotency(mostKeys = MOST_KEYS): Idempotency {
  const known = new Map<string, { readonly digest: string; readonly result: Promise<CommandResult> }>();
  return async (owner, key, request, act) => {
    if (!/^[\x21-\x7e]+$/.test(key) || key.length > LONGEST_KEY) {
      throw problem(400, `Idempotency-Key: must be 1 to ${LONGEST_KEY} printable ASCII characters`);
    }
    const place = `${owner} ${key}`;
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const before = known.get(place);
    if (before !== undefined) {
      if (before.digest !== digest) throw problem(422, 'this Idempotency-Key belongs to another request');
      return { result: await before.result, repeated: true };
    }
    const forget = () => known.delete(place);
    const result = act();
    known.set(place, { digest, result });
    if (known.size > mostKeys) known.delete(known.keys().next().value as string);
    try {
      const done = await result;
      if (!done.ok) forget();
      return { result: done, repeated: false };
    } catch (error) {
      forget();
      throw error;
    }
  };
}

function problem(status: number, message: string): HttpError {
  return new HttpError(failed(status, 'badRequest', message));
}
