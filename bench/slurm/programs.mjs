/** The programs of a real Slurm, from Debian's packages. */

import { execFileSync } from 'node:child_process';

export const SLURM = {
  name: 'Slurm',
  measure: 'slurm',
  packages: ['munge', 'slurmctld', 'slurmd', 'slurm-client'],
  programs: ['/usr/sbin/munged', '/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/bin/sbatch'],
};

export function slurmVersion() {
  return execFileSync('/usr/sbin/slurmctld', ['-V'], { encoding: 'utf8' })
    .trim()
    .replace('slurm-wlm', 'Slurm');
}
