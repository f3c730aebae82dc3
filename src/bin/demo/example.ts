/** Which example the demo runs, and where its output goes: what this machine has decides. */

import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../platform/install.ts';

export interface Example {
  readonly title: string;
  readonly script: string;
  /** The script runs here, and finds what it needs beside itself. */
  readonly workDir: string;
  /** Why it is not the digits, when it is not. */
  readonly remark: string | null;
}

export async function chooseExample(): Promise<Example> {
  const examples = join(packageRoot(), 'examples');
  const missing = await whatPythonLacks();
  if (missing === null) {
    const workDir = join(examples, 'digits');
    return { title: 'reading handwritten digits', script: 'train.sh', workDir, remark: null };
  }
  return {
    title: 'fitting a line',
    script: 'fit.sh',
    workDir: join(examples, 'line'),
    remark: `The digits example needs ${missing}; a small job in plain sh runs in its place.`,
  };
}

/** In the clone where it can be written, so that it is found again beside the example. */
export function chooseRunsDirectory(example: Example): string {
  const beside = join(example.workDir, 'runs');
  try {
    mkdirSync(beside, { recursive: true });
    accessSync(beside, constants.W_OK);
    return beside;
  } catch {
    return mkdtempSync(join(tmpdir(), 'trainyard-demo-'));
  }
}

function whatPythonLacks(): Promise<string | null> {
  const question = 'import gzip, json, sys; sys.exit(sys.version_info < (3, 9))';
  return new Promise((resolve) => {
    execFile('python3', ['-c', question], (error) => {
      if (error === null) resolve(null);
      else if (error.code === 'ENOENT') resolve('python3, and there is none in PATH');
      else resolve('Python 3.9 or newer with gzip, and the python3 in PATH is not');
    });
  });
}
