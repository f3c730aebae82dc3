/** The caller's time zone as an IANA name: of the first candidate that has one, or else the yard's own. */

import { zoneOfPosix } from './posix-zone.ts';

const MOST_REMEMBERED = 1000;
const known = new Map<string, boolean>();

export function zoneOf(candidates: readonly (string | undefined)[]): string {
  for (const candidate of candidates) {
    const name = nameIn(candidate ?? '');
    if (name !== '' && isZone(name)) return name;
    const alike = zoneOfPosix(name);
    if (alike !== null && isZone(alike)) return alike;
  }
  return ownZone();
}

/** TZ may be `:Europe/Berlin`, or a path into the zone database. */
function nameIn(text: string): string {
  return text.replace(/^:/, '').replace(/^.*\/zoneinfo\/(?:posix\/|right\/)?/, '');
}

function isZone(name: string): boolean {
  let valid = known.get(name);
  if (valid === undefined) {
    valid = name.length <= 64 && isAccepted(name);
    if (known.size < MOST_REMEMBERED) known.set(name, valid);
  }
  return valid;
}

function isAccepted(name: string): boolean {
  // Newer engines accept offsets such as +02:00 as well, which are not names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
