/** A program of the sources for a process of its own, which needs compiled files; a few take half a second. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/platform/install.ts';

/** Takes `src/bin/keeper.ts`, gives the path of what it became in the directory. */
export function compiled(source: string, directory: string): string {
  const project = packageRoot();
  const out = join(directory, 'compiled');
  mkdirSync(out);
  const config = {
    extends: join(project, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      rootDir: project,
      outDir: out,
      typeRoots: [join(project, 'node_modules/@types')],
    },
    files: [join(project, source)],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  symlinkSync(join(project, 'node_modules'), join(out, 'node_modules'));
  execFileSync(join(project, 'node_modules/.bin/tsc'), ['-p', join(directory, 'tsconfig.json')]);
  return join(out, source.replace(/\.ts$/, '.js'));
}
