/** For tests: scripts looked at on a machine made of plain values. Nothing here runs in the product. */

import { bytesFromText } from '../../model/bytes.ts';
import { findingsIn, scriptToCheck } from './check.ts';
import type { Finding } from './finding.ts';
import type { ScriptDialect, World } from './subject.ts';

export interface FakeWorld {
  readonly dialect?: ScriptDialect;
  /** Variables of whoever looks. */
  readonly environment?: readonly string[];
  readonly directories?: readonly string[];
  readonly programs?: Readonly<Record<string, string>>;
  readonly queues?: readonly string[];
}

const PROGRAMS: Readonly<Record<string, string>> = {
  '/bin/sh': '/usr/bin/dash',
  '/bin/bash': '/usr/bin/bash',
  bash: '/usr/bin/bash',
};

export function findingsOf(script: string | Uint8Array, fake: FakeWorld = {}): readonly Finding[] {
  const { environment = [], directories = ['/home/ada'], programs = PROGRAMS } = fake;
  const isInEnvironment = (name: string) => environment.includes(name);
  const world: World = {
    workDir: '/home/ada/work',
    home: '/home/ada',
    user: 'ada',
    isInEnvironment,
    hasDirectory: (path) => directories.includes(path),
    queues: fake.queues ?? null,
    programAt: (path) => (Object.hasOwn(programs, path) ? programs[path] : null),
  };
  const bytes = typeof script === 'string' ? bytesFromText(script) : script;
  return findingsIn(scriptToCheck(bytes, fake.dialect ?? null, isInEnvironment), world);
}

/** `3 warning not-exported` for each. */
export function said(script: string | Uint8Array, fake: FakeWorld = {}): readonly string[] {
  return findingsOf(script, fake).map(({ line, level, rule }) => `${line} ${level} ${rule}`);
}

/** A script for Slurm: directives, then what is run. */
export function slurmScript(directives: readonly string[], body: string): string {
  return `#!/bin/bash\n${directives.map((each) => `#SBATCH ${each}\n`).join('')}${body}\n`;
}

export function gridEngineScript(directives: readonly string[], body: string): string {
  return `#!/bin/bash\n${directives.map((each) => `#$ ${each}\n`).join('')}${body}\n`;
}
