import { expect, it } from 'vitest';
import { zoneOfPosix } from './posix-zone.ts';

it.each([
  ['JST-9', 'Etc/GMT-9'],
  ['UTC0', 'UTC'],
  ['EST+5', 'Etc/GMT+5'],
  ['<+03>-3', 'Etc/GMT-3'],
  ['IST-5:30', 'Asia/Kolkata'],
  ['EST5EDT', 'America/New_York'],
  ['PST8PDT,M3.2.0,M11.1.0', 'America/Los_Angeles'],
  ['CET-1CEST,M3.5.0,M10.5.0/3', 'Europe/Berlin'],
  ['GMT0BST,M3.5.0/1,M10.5.0', 'Europe/London'],
  ['AEST-10AEDT,M10.1.0,M4.1.0/3', 'Australia/Sydney'],
])('%s is %s', (text, zone) => {
  expect(zoneOfPosix(text)).toBe(zone);
});

it.each(['', 'Asia/Tokyo', 'JST', '9', 'XYZ-1:17', 'CET-1CEST,J60,J300', 'CET-1,'])('%j is none', (text) => {
  expect(zoneOfPosix(text)).toBeNull();
});

it.each([
  ['JST-9', 9],
  ['CET-1CEST,M3.5.0,M10.5.0/3', 2],
  ['EST5EDT', -4],
])('the clocks of %s are right in July', (text, hours) => {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zoneOfPosix(text) ?? '',
    hour: 'numeric',
    hourCycle: 'h23',
  });
  expect(Number(format.format(Date.UTC(2026, 6, 1, 12)))).toBe(12 + hours);
});
