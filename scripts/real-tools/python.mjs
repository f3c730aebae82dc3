/**
 * Tools from PyPI: those that submit jobs, in a virtual environment, and PyTorch Lightning, TensorFlow and JAX in directories
 * beside it, because they run on the Python that Debian's PyTorch was built for. All versions are pinned.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../setup/paths.mjs';
import { runVisibly } from '../setup/progress.mjs';
import { DEBIAN_PYTHON } from './debian.mjs';

const requirements = inRoot('test', 'real', 'requirements.txt');
const PIP = ['install', '--quiet', '--disable-pip-version-check', '--no-input'];

export const tools = {
  name: 'tools',
  madeFrom: () => [versionOf('python3'), readFileSync(requirements, 'utf8')],
  async make(directory) {
    if (versionOf('python3') === null) return 'there is no python3 on the PATH';
    const made = await run('Making a Python environment', 'python3', ['-m', 'venv', directory]);
    if (made !== null) return made;
    const pip = join(directory, 'bin', 'pip');
    return run('Installing submitit, snakemake, torchx and dask', pip, [...PIP, '-r', requirements]);
  },
};

/** The last that supports PyTorch 1.13, and what it imports. */
const LIGHTNING = [
  'pytorch-lightning==2.2.5',
  'lightning-utilities==0.11.9',
  'torchmetrics==1.4.3',
  'tqdm==4.67.1',
  'fsspec==2025.3.0',
  'PyYAML==6.0.3',
  'packaging==25.0',
  'typing_extensions==4.15.0',
  'setuptools==65.5.0',
];

export const lightning = {
  name: 'lightning',
  madeFrom: () => [versionOf(DEBIAN_PYTHON), LIGHTNING],
  make(directory, cache) {
    const version = versionOf(DEBIAN_PYTHON);
    if (version === null) return `there is no ${DEBIAN_PYTHON}`;
    const target = ['--target', directory, '--python-version', version, '--only-binary=:all:', '--no-deps'];
    const pip = join(cache, tools.name, 'bin', 'pip');
    return run('Installing PyTorch Lightning', pip, [...PIP, ...target, ...LIGHTNING]);
  },
};

const frameworkList = inRoot('test', 'real', 'frameworks.txt');

/** TensorFlow, JAX and doit beside them, with a NumPy that Debian's PyTorch takes as well. */
export const frameworks = {
  name: 'frameworks',
  madeFrom: () => [versionOf(DEBIAN_PYTHON), readFileSync(frameworkList, 'utf8')],
  make(directory, cache) {
    const version = versionOf(DEBIAN_PYTHON);
    if (version === null) return `there is no ${DEBIAN_PYTHON}`;
    const target = ['--target', directory, '--python-version', version, '--only-binary=:all:', '--no-deps'];
    const pip = join(cache, tools.name, 'bin', 'pip');
    return run('Installing TensorFlow, JAX and doit', pip, [...PIP, ...target, '-r', frameworkList]);
  },
};

/** "3.11", or null where there is none. */
function versionOf(python) {
  try {
    const program = 'import sys; print("%d.%d" % sys.version_info[:2])';
    return execFileSync(python, ['-c', program], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

async function run(label, file, args) {
  const { code, output } = await runVisibly(label, file, args, inRoot());
  return code === 0 ? null : `${label} failed: ${output.trimEnd().split('\n').slice(-5).join('\n')}`;
}
