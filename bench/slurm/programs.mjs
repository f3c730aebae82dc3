/** The programs of a real Slurm, from Debian's packages: found, or installed where that is possible. */

import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

const PACKAGES = ['munge', 'slurmctld', 'slurmd', 'slurm-client'];
const NEEDED = ['/usr/sbin/munged', '/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/bin/sbatch'];

export function slurmIsInstalled() {
  return NEEDED.every((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A sentence that says why a real Slurm cannot be run here, or null once its programs are there. */
export function ensureSlurm(say) {
  if (process.getuid() !== 0) return 'a real Slurm is brought up by root only, and this is another user';
  if (slurmIsInstalled()) return null;
  say(`installing ${PACKAGES.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...words) =>
    execFileSync('apt-get', ['-q', ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    aptGet('update');
    aptGet('install', '-y', '--no-install-recommends', ...PACKAGES);
  } catch (error) {
    const reason = `${error.stderr ?? ''}`.trim().split('\n').at(-1) || error.message;
    return `Debian's packages of Slurm could not be installed: ${reason}`;
  }
  return slurmIsInstalled()
    ? null
    : `${NEEDED.join(', ')} are not all there after installing ${PACKAGES.join(', ')}`;
}

export function slurmVersion() {
  return execFileSync('/usr/sbin/slurmctld', ['-V'], { encoding: 'utf8' })
    .trim()
    .replace('slurm-wlm', 'Slurm');
}
