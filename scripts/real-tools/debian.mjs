/**
 * Programs from Debian's packages, unpacked into a directory; what they depend on and this machine already has is not
 * fetched again. PyTorch (for CPUs) and Open MPI are from there: PyPI's PyTorch for x64 comes with gigabytes for GPUs.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runVisibly } from '../setup/progress.mjs';

export const DEBIAN_PYTHON = '/usr/bin/python3';

const PACKAGES = ['python3-torch', 'openmpi-bin', 'python3-mpi4py'];

/** PyTorch 1.13 is older than Python 3.11, which no longer takes these two lines. */
const MENDED = [
  [
    '_shard/sharded_tensor/metadata.py',
    'field(default=TensorProperties())',
    'field(default_factory=TensorProperties)',
  ],
  ['elastic/multiprocessing/api.py', 'for s in Std:', 'for s in Std.__members__.values():'],
];

export const debian = {
  name: 'debian',
  madeFrom: () => [PACKAGES, MENDED],
  async make(directory) {
    const problem = await unpackPackages(directory, 'PyTorch and Open MPI', PACKAGES);
    if (problem !== null) return problem;
    for (const [file, from, to] of MENDED) {
      const path = join(directory, 'usr/lib/python3/dist-packages/torch/distributed', file);
      writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
    }
    return null;
  },
};

/** Debian's packages, unpacked into a directory. Null, or what went wrong. */
export async function unpackPackages(directory, what, packages) {
  const { code, output } = await fetched(directory, what, packages);
  if (code !== 0) {
    const reason = output.trimEnd().split('\n').slice(-3).join('\n');
    return `${what} could not be fetched from Debian's packages: ${reason}`;
  }
  const unpacked = await sh(
    'Unpacking them',
    'set -e; for a in *.deb; do dpkg-deb -x "$a" .; rm "$a"; done',
    directory,
  );
  return unpacked.code === 0 ? null : `${what} could not be unpacked: ${unpacked.output.trim()}`;
}

/** A machine whose lists of packages are old or missing gets new ones, where we may. */
async function fetched(directory, what, packages) {
  const first = await fetchInto(directory, what, packages);
  if (first.code === 0) return first;
  const updated = await sh('Updating the list of packages', 'apt-get -q update', directory);
  return updated.code === 0 ? fetchInto(directory, what, packages) : first;
}

/** The packages themselves, and what they depend on that is not installed. */
function fetchInto(directory, what, packages) {
  const names = packages.join(' ');
  const missing = `apt-get -s --no-install-recommends install ${names} | awk '$1 == "Inst" { print $2 }'`;
  const line = `set -e; missing=$(${missing}); apt-get -q download $(printf '%s\\n' ${names} $missing | sort -u)`;
  return sh(`Fetching ${what}`, line, directory);
}

export function sh(label, line, directory) {
  return runVisibly(label, '/bin/sh', ['-c', line], directory);
}
