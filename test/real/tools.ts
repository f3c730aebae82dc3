/** The tools of others that scripts/real-tools brought here, and what a shell needs to run them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/install.ts';
import { quoted } from '../end-to-end/shell-yard.ts';

export type Tool = 'tools' | 'debian' | 'lightning' | 'frameworks' | 'nextflow';

type Found = Record<Tool, { readonly directory?: string; readonly missing?: string }>;

const found = JSON.parse(readFileSync(join(packageRoot(), '.cache', 'real', 'tools.json'), 'utf8')) as Found;

/** Why these cannot be used here, or null. */
export function whyMissing(...tools: readonly Tool[]): string | null {
  return tools.map((tool) => found[tool].missing).find((missing) => missing !== undefined) ?? null;
}

export const program = (...path: string[]) =>
  quoted(join(packageRoot(), 'test', 'real', 'programs', ...path));
export const digits = join(packageRoot(), 'examples', 'digits');

/** The commands that came from PyPI, in front on the PATH. */
export const pythonTools = () => `export PATH=${quoted(`${found.tools.directory}/bin`)}:"$PATH"\n`;

/** TensorFlow, JAX and doit beside them. */
export const frameworkTools = () => debianTools(`${found.frameworks.directory}`);

/** `nextflow`, which keeps what is its own in the working directory. */
export const nextflow = () =>
  `export PATH=${quoted(`${found.nextflow.directory}`)}:"$PATH" NXF_HOME="$PWD/.nextflow-home"\n`;

/** PyTorch and Lightning under Debian's own Python, and mpirun; with more directories of modules in front. */
export function debianTools(...modules: readonly string[]): string {
  const root = `${found.debian.directory}`;
  const libraries = `${root}/usr/lib/x86_64-linux-gnu`;
  const variables = {
    LD_LIBRARY_PATH: [
      libraries,
      `${libraries}/blas`,
      `${libraries}/lapack`,
      `${root}/usr/lib`,
      `${root}/lib/x86_64-linux-gnu`,
    ],
    PYTHONPATH: [...modules, `${found.lightning.directory}`, `${root}/usr/lib/python3/dist-packages`],
    OPAL_PREFIX: [`${root}/usr`],
    OPAL_LIBDIR: [`${libraries}/openmpi/lib`],
    OPAL_PKGLIBDIR: [`${libraries}/openmpi/lib/openmpi3`],
    PMIX_INSTALL_PREFIX: [`${libraries}/pmix2`],
    PMIX_MCA_pcompress_base_silence_warning: ['1'],
    // Drivers for networks that are not here.
    OMPI_MCA_mca_base_component_show_load_errors: ['0'],
    OMPI_ALLOW_RUN_AS_ROOT: ['1'],
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: ['1'],
  };
  const exports = Object.entries(variables).map(
    ([name, parts]) => `export ${name}=${quoted(parts.join(':'))}\n`,
  );
  return `${exports.join('')}export PATH="$PATH":${quoted(`${root}/usr/bin`)}\n`;
}
