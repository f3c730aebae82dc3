import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../sim/random.ts';
import { expandHosts, foldHosts } from './host-list.ts';

describe('expanding', () => {
  test.each([
    ['n[1-3,7]', ['n1', 'n2', 'n3', 'n7']],
    ['n[1-3,07-10]', ['n1', 'n2', 'n3', 'n07', 'n08', 'n09', 'n10']],
    ['a[1-2]b[3-4]', ['a1b3', 'a1b4', 'a2b3', 'a2b4']],
    ['n9,n10,login', ['n9', 'n10', 'login']],
    ['', []],
  ])('%s', (text, hosts) => expect(expandHosts(text)).toEqual(hosts));

  test.each(['n[', 'n]', 'n[x]', 'n[3-1]', 'n[]', 'n[1-999999999]', 'n[1-9999][1-9999]'])(
    '%s is no list of hosts',
    (text) => expect(expandHosts(text)).toBeNull(),
  );
});

describe('folding', () => {
  test.each([
    [['n1', 'n2', 'n3', 'n7'], 'n[1-3,7]'],
    [['n9', 'n10', 'n08', 'n09', 'n10', 'b', 'n11'], 'n[9-10,08-10],b,n11'],
    [['a1b3', 'a1b4', 'a2b3'], 'a1b[3-4],a2b3'],
    [['n1', 'n2', 'n3', 'n7', 'n07', 'n08', 'x', 'y1'], 'n[1-3,7,07-08],x,y1'],
    [['n1'], 'n1'],
    [[], ''],
  ])('%j', (hosts, text) => expect(foldHosts(hosts)).toBe(text));

  test('what is folded expands to the same hosts', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 200; round++) {
      const hosts = Array.from({ length: random.between(1, 12) }, () => {
        const number = `${random.between(0, 20)}`;
        return `${random.pick(['n', 'gpu-', 'a1b'])}${random.chance(0.5) ? number : number.padStart(3, '0')}`;
      });
      expect(expandHosts(foldHosts(hosts))).toEqual(hosts);
    }
  });
});
