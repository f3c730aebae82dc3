/** A real yard of its own, spoken to by shell lines in which other systems' commands are the yard's. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Said, type YardAtHand, yardAtHand } from './yard-at-hand.ts';

export interface ShellYard extends YardAtHand {
  /** A line of bash. */
  bash(line: string): Promise<Said>;
  /** The same, for lines that must not fail: gives what it printed. */
  good(line: string): Promise<string>;
  /** Resolves once the file in the working directory says so, and gives its text. */
  untilFile(name: string, text: string): Promise<string>;
}

const PATIENCE_MS = 120_000;

/** `prelude` comes before every line; it knows the yard's working directory. */
export async function shellYard(
  config: string,
  prelude: (workDir: string) => string = () => '',
): Promise<ShellYard> {
  const yard = yardAtHand(config);
  // The real system may be installed, and these tests are not about that one.
  const { stdout: path } = await yard.run('env', '--first');

  const bash = (line: string) =>
    yard.shell(`${path}exec bash -c ${quoted(`${prelude(yard.workDir)}${line}`)}`);

  return {
    ...yard,
    bash,
    async good(line) {
      const said = await bash(line);
      expect(said.code, `${line}\n${said.stdout}${said.stderr}`).toBe(0);
      return said.stdout;
    },
    async untilFile(name, text) {
      const read = () => readOrNothing(join(yard.workDir, name));
      await until(
        () => read().includes(text),
        () => `${name} to say "${text}"; it says:\n${read()}`,
      );
      return read();
    },
  };
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export async function until(isSo: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  const patientUntil = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > patientUntil) throw new Error(`waited in vain for ${what()}`);
    await sleep(100);
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
