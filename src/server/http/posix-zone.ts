/**
 * Zones as POSIX writes them in TZ (`JST-9`, `CET-1CEST,M3.5.0,M10.5.0/3`), by the name of a zone whose clocks show the
 * same today. Which names there are is not asked here.
 */

const ABBREVIATION = '(?:[A-Za-z]{3,}|<[-+A-Za-z0-9]{3,}>)';
const OFFSET = String.raw`([-+]?)(\d{1,2})(?::(\d\d))?(?::\d\d)?`;
const WRITTEN = new RegExp(`^${ABBREVIATION}${OFFSET}(.*)$`);
const SUMMER = new RegExp(`^${ABBREVIATION}(?:[-+]?[\\d:]+)?(?:,(.*))?$`);

/** By minutes west of Greenwich, as POSIX counts them; whole hours have names of their own. */
const WITHOUT_SUMMER: Readonly<Record<number, string>> = {
  570: 'Pacific/Marquesas',
  [-210]: 'Asia/Tehran',
  [-270]: 'Asia/Kabul',
  [-330]: 'Asia/Kolkata',
  [-345]: 'Asia/Kathmandu',
  [-390]: 'Asia/Yangon',
  [-525]: 'Australia/Eucla',
  [-570]: 'Australia/Darwin',
};

/** From March to November, which is also meant where no days are given. */
const AMERICAN_SUMMER: Readonly<Record<number, string>> = {
  210: 'America/St_Johns',
  240: 'America/Halifax',
  300: 'America/New_York',
  360: 'America/Chicago',
  420: 'America/Denver',
  480: 'America/Los_Angeles',
  540: 'America/Anchorage',
  600: 'America/Adak',
};

/** From the last Sunday of March to that of October. */
const EUROPEAN_SUMMER: Readonly<Record<number, string>> = {
  0: 'Europe/London',
  [-60]: 'Europe/Berlin',
  [-120]: 'Europe/Helsinki',
};

/** From October to April. */
const AUSTRALIAN_SUMMER: Readonly<Record<number, string>> = {
  [-570]: 'Australia/Adelaide',
  [-600]: 'Australia/Sydney',
};

/** Null where it is no such text, or where no zone does that. */
export function zoneOfPosix(text: string): string | null {
  const [, sign, hours, minutes = '0', rest = ''] = WRITTEN.exec(text) ?? [];
  if (hours === undefined) return null;
  const west = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return rest === '' ? steadyZone(west) : summerZone(west, rest);
}

function steadyZone(west: number): string | null {
  if (west === 0) return 'UTC';
  if (west % 60 !== 0) return WITHOUT_SUMMER[west] ?? null;
  return `Etc/GMT${west > 0 ? '+' : ''}${west / 60}`;
}

function summerZone(west: number, rest: string): string | null {
  const summer = SUMMER.exec(rest);
  if (summer === null) return null;
  const days = summer[1] ?? 'M3.2.0,M11.1.0';
  if (/^M3\.2\.0\b.*,M11\.1\.0\b/.test(days)) return AMERICAN_SUMMER[west] ?? null;
  if (/^M3\.5\.0\b.*,M10\.5\.0\b/.test(days)) return EUROPEAN_SUMMER[west] ?? null;
  if (/^M10\.1\.0\b.*,M4\.1\.0\b/.test(days)) return AUSTRALIAN_SUMMER[west] ?? null;
  return null;
}
