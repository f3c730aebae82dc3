/** More seeds than test/sim/simulate.test.ts has, since they take minutes: the same ones in every run. */

import { describe, expect, test } from 'vitest';
import { simulate } from '../../src/sim/simulate.ts';

const FIRST = 61;
const LAST = 220;
const PER_TEST = 20;

describe.each(Array.from({ length: (LAST - FIRST + 1) / PER_TEST }, (_, at) => FIRST + at * PER_TEST))(
  'seeds from %i on',
  (first) => {
    test('survive every fault, and every job comes to its end', () => {
      for (let seed = first; seed < first + PER_TEST; seed++)
        expect(simulate({ seed }).attempts).toBeGreaterThan(0);
    });
  },
);
