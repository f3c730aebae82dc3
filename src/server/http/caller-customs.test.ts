import { describe, expect, test } from 'vitest';
import { wantsColour } from './colour.ts';
import { zoneOf } from './zone.ts';

describe('colour', () => {
  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [true, { TERM: 'xterm' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '0' }, false],
    [false, { CLICOLOR_FORCE: '1', NO_COLOR: '1' }, true],
    [false, { CLICOLOR_FORCE: '' }, false],
  ])('terminal %s, %o: %s', (isTerminal, variables: Record<string, string>, wanted) => {
    expect(wantsColour(isTerminal, (name) => variables[name])).toBe(wanted);
  });
});

describe('time zone', () => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  test.each([
    [['Europe/Berlin', 'Asia/Tokyo'], 'Europe/Berlin'],
    [[undefined, 'Asia/Tokyo'], 'Asia/Tokyo'],
    [['Mars/Olympus', 'Asia/Tokyo'], 'Asia/Tokyo'],
    [[':Europe/Berlin'], 'Europe/Berlin'],
    [['/usr/share/zoneinfo/Europe/Berlin'], 'Europe/Berlin'],
    [['CET-1CEST,M3.5.0,M10.5.0/3'], 'Europe/Berlin'],
    [['JST-9', 'Europe/Berlin'], 'Etc/GMT-9'],
    [['JST-99'], own],
    [['+02:00'], own],
    [['', '\ud800'], own],
    [['x'.repeat(10_000)], own],
  ])('%j', (candidates, zone) => {
    expect(zoneOf(candidates)).toBe(zone);
  });
});
