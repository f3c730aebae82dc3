/** Programs of Debian's packages that a measurement compares with: found, or installed where that is possible. */

import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

export function areThere(programs) {
  return programs.every((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A sentence that says why a real one of that name cannot be run here, or null once its programs are there. */
export function ensurePrograms({ name, packages, programs }, say) {
  if (process.getuid() !== 0) return `a real ${name} is brought up by root only, and this is another user`;
  if (areThere(programs)) return null;
  say(`installing ${packages.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...words) =>
    execFileSync('apt-get', ['-q', ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    aptGet('update');
    aptGet('install', '-y', '--no-install-recommends', ...packages);
  } catch (error) {
    const reason = `${error.stderr ?? ''}`.trim().split('\n').at(-1) || error.message;
    return `Debian's packages of ${name} could not be installed: ${reason}`;
  }
  return areThere(programs)
    ? null
    : `${programs.join(', ')} are not all there after installing ${packages.join(', ')}`;
}
