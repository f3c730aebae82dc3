/** Signals by number or by name, with or without SIG. */

import { parseSignal, SIGNAL_NAMES } from '../../model/signals.ts';
import { failed, HttpError } from './reply.ts';

export function signalNumber(wish: number | string, where: string): number {
  if (typeof wish === 'number') return wish;
  const found = parseSignal(wish);
  if (found !== null) return found;
  throw new HttpError(
    failed(
      422,
      'badRequest',
      `${where}: there is no signal ${wish}`,
      'a name or a number from 1 to 64',
      SIGNAL_NAMES,
    ),
  );
}
