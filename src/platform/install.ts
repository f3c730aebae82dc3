/** Where this copy of Trainyard is installed, and whether it can run on this machine at all. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory that holds package.json, whether this runs from `src` or from `dist`. */
export function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json'))) {
    const above = dirname(directory);
    if (above === directory) throw new Error('the package.json of trainyard is missing: install it again');
    directory = above;
  }
  return directory;
}

/** A sentence when nothing can run here, null when all is well. */
export function unsupportedPlatform(
  platform: string = process.platform,
  architecture: string = process.arch,
): string | null {
  if (platform !== 'linux') {
    return `trainyard runs on Linux only, and this is ${platform}`;
  }
  if (architecture !== 'x64' && architecture !== 'arm64') {
    return `trainyard runs on x64 and arm64 processors only, and this is ${architecture}`;
  }
  return null;
}
