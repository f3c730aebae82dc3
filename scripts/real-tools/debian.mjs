/**
 * PyTorch (for CPUs) and Open MPI from Debian's packages, unpacked into a directory: PyPI's PyTorch for x64 comes
 * with gigabytes for GPUs. The packages that this machine already has are not fetched again.
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
    const { code, output } = await fetched(directory);
    if (code !== 0) {
      const reason = output.trimEnd().split('\n').slice(-3).join('\n');
      return `PyTorch and Open MPI could not be fetched from Debian's packages: ${reason}`;
    }
    const unpacked = await sh(
      'Unpacking them',
      'set -e; for a in *.deb; do dpkg-deb -x "$a" .; rm "$a"; done',
      directory,
    );
    if (unpacked.code !== 0) return `PyTorch and Open MPI could not be unpacked: ${unpacked.output.trim()}`;
    for (const [file, from, to] of MENDED) {
      const path = join(directory, 'usr/lib/python3/dist-packages/torch/distributed', file);
      writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
    }
    return null;
  },
};

/** A machine whose lists of packages are old or missing gets new ones, where we may. */
async function fetched(directory) {
  const first = await fetchInto(directory);
  if (first.code === 0) return first;
  const updated = await sh('Updating the list of packages', 'apt-get -q update', directory);
  return updated.code === 0 ? fetchInto(directory) : first;
}

/** The packages themselves, and what they depend on that is not installed. */
function fetchInto(directory) {
  const packages = PACKAGES.join(' ');
  const missing = `apt-get -s --no-install-recommends install ${packages} | awk '$1 == "Inst" { print $2 }'`;
  const line = `set -e; missing=$(${missing}); apt-get -q download $(printf '%s\\n' ${packages} $missing | sort -u)`;
  return sh('Fetching PyTorch and Open MPI', line, directory);
}

function sh(label, line, directory) {
  return runVisibly(label, '/bin/sh', ['-c', line], directory);
}
