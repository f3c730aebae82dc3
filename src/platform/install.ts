/** Where this copy of Trainyard is installed, and whether it can run on this machine at all. */

import { closeSync, existsSync, openSync, readSync } from 'node:fs';
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

/** How commands are started: the launcher, and the compiled client where one was built for this machine. */
export function launchers(): { readonly launcher: string; readonly compiled: string | null } {
  const root = packageRoot();
  const compiled = join(root, 'dist', 'bin', 'trainyard');
  return { launcher: join(root, 'bin', 'trainyard'), compiled: isForThisMachine(compiled) ? compiled : null };
}

/** The number by which an ELF file names the processor it is for. */
const ELF_MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };
const ELF_MACHINE_AT = 18;

/** A checkout may be shared by machines of different kinds. */
export function isForThisMachine(path: string, architecture: string = process.arch): boolean {
  const head = Buffer.alloc(ELF_MACHINE_AT + 2);
  try {
    const file = openSync(path, 'r');
    try {
      if (readSync(file, head) < head.length) return false;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  return (
    head.toString('latin1', 0, 4) === '\x7fELF' &&
    head.readUInt16LE(ELF_MACHINE_AT) === ELF_MACHINES[architecture]
  );
}
