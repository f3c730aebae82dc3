/** The machine the figures were seen on, in one line. */

import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

export function describeMachine(directory) {
  const model = cpus()[0]?.model.trim() || process.arch;
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${model}, ${memory} GB, Linux ${release()}, ${fileSystemOf(directory)}, Node ${process.versions.node}`;
}

function fileSystemOf(directory) {
  try {
    return execFileSync('stat', ['-f', '-c', '%T', directory], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown file system';
  }
}
