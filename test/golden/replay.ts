/**
 * Holds the session in which captures were made again on a yard, line by line. Each line must print what the real
 * system printed, except those in the table of the documentation: a difference that is not in it fails, and so does
 * one that is in it and no longer there.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import type { ShellYard } from '../end-to-end/shell-yard.ts';
import { capturedBy, capturesOf } from './captures.ts';
import { difference } from './compare.ts';
import type { Act, Scene, Session, Surroundings } from './session.ts';

export interface Replayed extends Session {
  /** Its captures are in test/golden/<dialect>, its table is in docs/compat/<dialect>.md. */
  readonly dialect: string;
  readonly system: string;
  readonly yard: (config: string) => Promise<ShellYard>;
  /** Where lines are given, beneath the yard's working directory. */
  readonly workDir?: string;
  readonly capturedIn: Surroundings;
  readonly comparable: (text: string, surroundings: Surroundings) => string;
  /** What a shell says to find the number of a job of this name. */
  readonly numberOf: (name: string) => string;
}

const SCENE_TIMEOUT_MS = 180_000;

/** Registers the tests. */
export function replay(replayed: Replayed): void {
  const { dialect, system, scenes, elsewhere } = replayed;
  const listed = listedDifferences(dialect);

  test('every capture has its place in the session, or a reason to be elsewhere', () => {
    const played = Object.values(scenes).flatMap(({ acts }) => acts.map(({ capture }) => capture));
    const captures = readdirSync(capturesOf(dialect)).map((file) => file.replace('.txt', ''));
    expect([...played, ...Object.keys(elsewhere)].sort()).toEqual(captures.sort());
  });

  test('what cannot be asked of a yard is in the table too', () => {
    for (const capture of Object.keys(elsewhere)) expect(listed.has(capture), capture).toBe(true);
  });

  describe(`a yard prints what ${system} printed`, () => {
    test.each(Object.entries(scenes))(
      '%s',
      async (_name, scene) => {
        const differing = await playScene(replayed, scene);
        const unexpected = [...differing].filter(([capture]) => !listed.has(capture));
        const gone = scene.acts.filter(({ capture }) => listed.has(capture) && !differing.has(capture));
        expect(unexpected).toEqual([]);
        expect(gone.map(({ capture }) => capture)).toEqual([]);
      },
      SCENE_TIMEOUT_MS,
    );
  });
}

/** Capture → why it differs, from the table in the documentation. */
function listedDifferences(dialect: string): ReadonlyMap<string, string> {
  const page = readFileSync(join(packageRoot(), 'docs', 'compat', `${dialect}.md`), 'utf8');
  const rows = page.matchAll(/^\| `([a-z]+-[\w-]+)` \| (.+?) \|$/gm);
  return new Map([...rows].map(([, capture, why]) => [capture as string, why as string]));
}

async function playScene(replayed: Replayed, { config, acts }: Scene): Promise<ReadonlyMap<string, string>> {
  const yard = await replayed.yard(config);
  const workDir = join(yard.workDir, replayed.workDir ?? '');
  const here: Surroundings = {
    workDir,
    host: hostname().split('.')[0] as string,
    user: userInfo().username,
    uid: userInfo().uid,
  };
  const comparable = {
    theirs: (text: string) => replayed.comparable(text, replayed.capturedIn),
    ours: (text: string) => replayed.comparable(text, here),
  };
  for (const [name, text] of Object.entries(replayed.files))
    writeFileSync(join(workDir, name), text, { mode: 0o755 });
  const differing = new Map<string, string>();
  try {
    for (const act of acts) {
      for (const line of act.before ?? []) await yard.bash(`{ ${line}\n} </dev/null`);
      const capture = capturedBy(replayed.dialect, act.capture);
      const [command] = capture.commands;
      const line = lineOf(act, command?.command ?? '', replayed.numberOf);
      const found = difference(
        {
          theirs: { ...capture, stdout: command?.stdout ?? '' },
          ours: await yard.bash(`{ ${line}\n} </dev/null`),
          comparable,
        },
        act.by ?? 'letter',
      );
      if (found !== null) differing.set(act.capture, found);
    }
  } finally {
    await yard.close();
  }
  return differing;
}

function lineOf(act: Act, typed: string, numberOf: (name: string) => string): string {
  let line = act.line ?? typed;
  for (const [part, other] of Object.entries(act.instead ?? {})) {
    if (!line.includes(part)) throw new Error(`${act.capture} does not say "${part}": ${line}`);
    line = line.replace(part, () => other);
  }
  // A job that is named by its number there is looked up by its name here.
  for (const [number, name] of Object.entries(act.jobs ?? {}))
    line = line.replace(new RegExp(`\\b${number}\\b`), () => numberOf(name));
  return line;
}
