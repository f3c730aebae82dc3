/** Signals by number or by name, with or without SIG. */

import { constants } from 'node:os';
import { failed, HttpError } from './reply.ts';

const NUMBERS: Readonly<Record<string, number>> = constants.signals;

export function signalNumber(wish: number | string, where: string): number {
  if (typeof wish === 'number') return wish;
  const name = wish.toUpperCase();
  const found = NUMBERS[name.startsWith('SIG') ? name : `SIG${name}`];
  if (found !== undefined) return found;
  const names = Object.keys(NUMBERS).map((known) => known.slice(3));
  throw new HttpError(
    failed(
      422,
      'badRequest',
      `${where}: there is no signal ${wish}`,
      'a name or a number from 1 to 64',
      names,
    ),
  );
}
