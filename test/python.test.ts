/**
 * Runs the tests of the Python package (python/tests) under `python3`, and under every other `python3.N` from 3.9 on
 * that the PATH has.
 */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const OLDEST_MINOR = 9;
const LIMIT_MS = 600_000;
const directory = fileURLToPath(new URL('../python', import.meta.url));

interface Python {
  readonly command: string;
  readonly minor: number;
}

interface Ended {
  readonly failed: boolean;
  readonly output: string;
}

function run(command: string, args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, PYTHONPATH: directory, PYTHONDONTWRITEBYTECODE: '1' };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: directory, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ failed: error !== null, output: `${stdout}${stderr}` });
    });
  });
}

/** Null for what cannot be run, such as a stand-in for a version that is not installed. */
async function asPython(command: string): Promise<Python | null> {
  const { failed, output } = await run(command, ['-c', 'import sys; print("minor", *sys.version_info[:2])']);
  const told = /^minor 3 (\d+)$/m.exec(output);
  return failed || told === null ? null : { command, minor: Number(told[1]) };
}

function namesOnPath(): readonly string[] {
  const names = new Set<string>();
  for (const place of (process.env.PATH ?? '').split(delimiter)) {
    try {
      for (const name of readdirSync(place === '' ? '.' : place)) {
        if (/^python3\.\d+$/.test(name) && Number(name.slice('python3.'.length)) >= OLDEST_MINOR)
          names.add(name);
      }
    } catch {
      // A PATH may name what is not there.
    }
  }
  return [...names].sort();
}

const usual = await asPython('python3');
const others = (await Promise.all(namesOnPath().map(asPython))).filter(
  (python): python is Python => python !== null && python.minor !== usual?.minor,
);

test('python3 is one that the package supports', () => {
  expect(usual, 'there is no python3 on the PATH').not.toBeNull();
  expect(usual?.minor, 'python3 is older than 3.9').toBeGreaterThanOrEqual(OLDEST_MINOR);
});

for (const { command, minor } of [...(usual === null ? [] : [usual]), ...others]) {
  test(
    `the Python package under Python 3.${minor}`,
    async () => {
      const { failed, output } = await run(command, ['-m', 'unittest', 'discover', '-s', 'tests']);
      expect(failed, output).toBe(false);
      expect(output).toMatch(/^Ran [1-9]\d* tests/m);
    },
    LIMIT_MS,
  );
}

test('the package has the version of the yard', () => {
  const { version } = JSON.parse(readFileSync(join(directory, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(readFileSync(join(directory, 'trainyard', '_version.py'), 'utf8')).toContain(
    `VERSION = "${version}"`,
  );
});
