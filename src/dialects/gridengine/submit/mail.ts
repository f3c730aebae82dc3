/** `-m` and `-M`: when mail is sent about a job, and to whom. */

import type { MailOccasion, MailRequest } from '../../../model/job-spec.ts';
import { allWords } from '../flags.ts';
import type { AskedFlag } from './layers.ts';

const OCCASIONS: Readonly<Record<string, readonly MailOccasion[]>> = {
  b: ['begin'],
  e: ['end'],
  a: ['abort', 'requeue'],
  s: ['suspend'],
};

/** Letters of all the times it was given; `n` takes back those before it and of its own. In Grid Engine's order. */
export function mailLetters(given: readonly AskedFlag[]): string {
  let letters = '';
  for (const word of allWords(given, '-m')) letters = word.includes('n') ? '' : `${letters}${word}`;
  return [...'abes'].filter((letter) => letters.includes(letter)).join('');
}

/** Addresses of all the times it was given; of those at the same host only the last ones. */
export function mailList(given: readonly AskedFlag[]): readonly string[] {
  let addresses: readonly string[] = [];
  for (const list of allWords(given, '-M')) {
    const more = list.split(',').filter((address) => address !== '');
    const hosts = new Set(more.map(hostOf));
    addresses = [...addresses.filter((address) => !hosts.has(hostOf(address))), ...more];
  }
  return addresses;
}

function hostOf(address: string): string {
  return address.split('@')[1] ?? '';
}

export function mailFrom(given: readonly AskedFlag[], user: string, isArray: boolean): MailRequest | null {
  const letters = mailLetters(given);
  if (letters === '') return null;
  const on = [...letters].flatMap((letter) => OCCASIONS[letter] ?? []);
  const list = mailList(given);
  // Each task of an array is a job of its own to Grid Engine's mail.
  return { to: list.length === 0 ? user : list.join(','), on: isArray ? [...on, 'eachElement'] : on };
}
