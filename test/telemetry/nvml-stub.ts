/** A driver's library that says what a test wants it to; nvml-stub.c tells how. */

import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('nvml-stub.c', import.meta.url));

export const hasCompiler = isThere('cc');

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface Stub {
  /** The path of the library. */
  readonly library: string;
  /** Whatever it said before, from now on it says this. */
  says(...lines: readonly string[]): void;
}

export function compileStub(directory: string, name: string, ...defined: readonly string[]): Stub {
  const library = join(directory, `${name}.so`);
  const script = join(directory, `${name}.txt`);
  const definitions = [`SCRIPT="${script}"`, ...defined].map((definition) => `-D${definition}`);
  execFileSync('cc', ['-shared', '-fPIC', ...definitions, '-o', library, SOURCE]);
  return {
    library,
    says(...lines) {
      writeFileSync(`${script}.draft`, lines.map((line) => `${line}\n`).join(''));
      renameSync(`${script}.draft`, script);
    },
  };
}
