/**
 * The session in which the captures were made is held again on a yard, line by line. Each line must print what
 * Slurm printed, except those in the table of docs/compat/slurm.md: a difference that is not in it fails, and so
 * does one that is in it and no longer there.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { slurmYard } from '../../end-to-end/slurm-yard.ts';
import type { Surroundings } from './aside.ts';
import { captured } from './captures.ts';
import { difference } from './compare.ts';
import { ELSEWHERE, FILES, SCENES, type Scene } from './scenario.ts';

const COMPAT = fileURLToPath(new URL('../../../docs/compat/slurm.md', import.meta.url));
const SCENE_TIMEOUT_MS = 180_000;

/** Capture → why it differs, from the table in the documentation. */
function listedDifferences(): ReadonlyMap<string, string> {
  const rows = readFileSync(COMPAT, 'utf8').matchAll(/^\| `(slurm-[\w-]+)` \| (.+?) \|$/gm);
  return new Map([...rows].map(([, capture, why]) => [capture as string, why as string]));
}

async function playScene({ config, acts }: Scene): Promise<ReadonlyMap<string, string>> {
  const yard = await slurmYard(config);
  const here: Surroundings = {
    workDir: yard.workDir,
    host: hostname().split('.')[0] as string,
    user: userInfo().username,
    uid: userInfo().uid,
  };
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(yard.workDir, name), text, { mode: 0o755 });
  const differing = new Map<string, string>();
  try {
    for (const act of acts) {
      for (const line of act.before ?? []) await yard.bash(`{ ${line}\n} </dev/null`);
      const capture = captured(act.capture);
      const [command] = capture.commands;
      const printed = await yard.bash(
        `{ ${withNumbers(act.line ?? command?.command ?? '', act.jobs ?? {})}\n} </dev/null`,
      );
      const found = difference(
        { ...capture, stdout: command?.stdout ?? '' },
        printed,
        here,
        act.by ?? 'letter',
      );
      if (found !== null) differing.set(act.capture, found);
    }
  } finally {
    await yard.close();
  }
  return differing;
}

/** A job that is named by its number there is looked up by its name here. */
function withNumbers(line: string, jobs: Readonly<Record<string, string>>): string {
  return Object.entries(jobs).reduce(
    (text, [number, name]) => text.replace(new RegExp(`\\b${number}\\b`), `$(squeue -h -n ${name} -o %A)`),
    line,
  );
}

test('every capture has its place in the session, or a reason to be elsewhere', () => {
  const played = Object.values(SCENES).flatMap(({ acts }) => acts.map(({ capture }) => capture));
  const captures = readdirSync(join(import.meta.dirname, 'captures')).map((file) => file.replace('.txt', ''));
  expect([...played, ...Object.keys(ELSEWHERE)].sort()).toEqual(captures.sort());
});

test('what cannot be asked of a yard is in the table too', () => {
  for (const capture of Object.keys(ELSEWHERE)) expect(listedDifferences().has(capture), capture).toBe(true);
});

describe('a yard prints what Slurm printed', () => {
  test.each(Object.entries(SCENES))(
    '%s',
    async (_name, scene) => {
      const listed = listedDifferences();
      const differing = await playScene(scene);
      const unexpected = [...differing].filter(([capture]) => !listed.has(capture));
      const gone = scene.acts.filter(({ capture }) => listed.has(capture) && !differing.has(capture));
      expect(unexpected).toEqual([]);
      expect(gone.map(({ capture }) => capture)).toEqual([]);
    },
    SCENE_TIMEOUT_MS,
  );
});
