/** What the original says about an accounting file, and what is said of the same file here. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fakeYard, runDialect } from '../../../src/dialects/fake-yard.ts';
import { qacct } from '../../../src/dialects/gridengine/qacct/qacct.ts';
import { gridEngineProgram } from '../../../src/dialects/gridengine/run.ts';

const ANSWERS = readFileSync(new URL('./qacct/answers.txt', import.meta.url), 'utf8');
const FILE = readFileSync(new URL('./qacct/accounting', import.meta.url));

const answers = [...ANSWERS.matchAll(/^\$ (.*)\n([\s\S]*?)(?:--- stderr\n([\s\S]*?))?--- exit (\d+)\n/gm)];

it.each(answers.map(([, line = '', stdout = '', stderr = '', code]) => ({ line, stdout, stderr, code })))(
  '$line',
  ({ line, stdout, stderr, code }) => {
    const yard = fakeYard({
      now: Date.parse('2026-11-16T19:10:00Z'),
      files: new Map([['/home/ada/work/accounting', FILE]]),
    });
    const argv = line.split(' ').map((word) => word.replaceAll("'", ''));
    expect(runDialect(gridEngineProgram(qacct), yard, argv)).toEqual({ stdout, stderr, code: Number(code) });
  },
);

it('has all of them', () => {
  expect(answers).toHaveLength(52);
});
