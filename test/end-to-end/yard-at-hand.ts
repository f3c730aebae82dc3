/** A real yard in a directory of its own, spoken to as a person does: by the command in bin/. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/install.ts';

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface YardAtHand {
  readonly directory: string;
  /** Where commands are given and jobs write. */
  readonly workDir: string;
  run(...words: (string | Buffer)[]): Promise<Said>;
  /** A shell line in which `trainyard` is the command. */
  shell(line: string): Promise<Said>;
  json<T>(...words: string[]): Promise<T>;
  daemonPid(): Promise<number>;
  close(): Promise<void>;
}

const COMMAND = join(packageRoot(), 'bin', 'trainyard');

export function yardAtHand(config = ''): YardAtHand {
  const directory = mkdtempSync(join(tmpdir(), 'yard-at-hand-'));
  const workDir = mkdtempSync(join(tmpdir(), 'yard-work-'));
  if (config !== '') writeFileSync(join(directory, 'trainyard.toml'), config);
  const env = {
    ...process.env,
    TRAINYARD_DIR: directory,
    PATH: `${join(packageRoot(), 'bin')}:${process.env.PATH}`,
  };

  const run = (file: string, words: readonly string[]) =>
    new Promise<Said>((resolve) => {
      execFile(file, words, { env, cwd: workDir, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
        resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) });
      });
    });

  const yard: YardAtHand = {
    directory,
    workDir,
    run: (...words) => run(COMMAND, words as string[]),
    shell: (line) => run('/bin/sh', ['-c', line]),
    async json<T>(...words: string[]) {
      const said = await run(COMMAND, [...words, '--json']);
      return JSON.parse(said.stdout) as T;
    },
    daemonPid: async () => (await yard.json<{ pid: number }>('status')).pid,
    async close() {
      await yard.run('down', '--cancel');
      rmSync(directory, { recursive: true, force: true });
      rmSync(workDir, { recursive: true, force: true });
    },
  };
  return yard;
}
