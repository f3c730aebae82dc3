import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import { identityOf, isSameFile } from './identity.ts';
import { createSettling } from './settled.ts';
import type { Unit } from './units.ts';

/**
 * Saves one step after the other in the way it is told, in small pieces, as fast as it can. It says beforehand what each
 * file will be when it is whole, and afterwards that a checkpoint is saved.
 */
const TRAINER = `
import hashlib, io, json, os, pickle, random, sys, zipfile
os.chdir(sys.argv[1]); random.seed(int(sys.argv[2])); way = sys.argv[3]
def say(*words): os.write(1, (" ".join(words) + "\\n").encode())
def put(path, data, lasting=None):
    say("begins", lasting or path, hashlib.sha256(data).hexdigest())
    with open(path, "wb") as f:
        for at in range(0, len(data), 9_000):
            f.write(data[at:at + 9_000]); f.flush(); say("wrote", path)
def zipped(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z: z.writestr("a", data); z.writestr("b", data)
    return file.getvalue()
for step in range(1, 1000):
    data = json.dumps({"step": step, "noise": random.randbytes(random.randint(500, 30_000)).hex()}).encode()
    name = f"step-{step}"
    if way == "json": name += ".json"; put(name, data)
    elif way == "pickle": name += ".pkl"; put(name, pickle.dumps({"state": data, "step": step}, 4))
    elif way == "zip": name += ".pt"; put(name, zipped(data))
    elif way == "overwritten": name = "last.json"; put(name, data)
    elif way == "renamed":
        name += ".dat"; put(name + ".tmp", data, name); os.rename(name + ".tmp", name)
    elif way == "marked":
        os.mkdir(name)
        for file in ("a.json", "b.txt"): put(f"{name}/{file}", data)
        put(f"{name}/DONE", b"")
    elif way == "directory":
        os.mkdir("tmp-" + name)
        for file in ("a.json", "b.txt"): put(f"tmp-{name}/{file}", data, f"{name}/{file}")
        os.rename("tmp-" + name, name)
    say("saved", name)
`;

const FILES: Readonly<Record<string, number>> = { marked: 3, directory: 2 };

interface Told {
  /** By path, all that it was meant to be. */
  readonly meant: Map<string, Set<string>>;
  readonly saved: Set<string>;
}

function hear({ meant, saved }: Told, line: string): void {
  const [word, name = '', digest = ''] = line.split(' ');
  if (word === 'saved') saved.add(name);
  if (word === 'begins') meant.set(name, (meant.get(name) ?? new Set()).add(digest));
}

/** What is said to be ready must be all that was meant, unless it has changed since. */
function expectWhole(directory: string, unit: Unit, { meant }: Told, way: string): void {
  expect([unit.name, unit.files.length]).toEqual([unit.name, FILES[way] ?? 1]);
  for (const file of unit.files) {
    const digest = createHash('sha256')
      .update(readFileSync(join(directory, file.path)))
      .digest('hex');
    if (!isSameFile(lstatSync(join(directory, file.path)), file)) continue;
    expect([file.path, meant.get(file.path)?.has(digest)]).toEqual([file.path, true]);
  }
}

/** Those that it had saved and that are not ready afterwards. */
async function lostByKill(way: string, seed: number, killAt: number): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-torture-'));
  const told: Told = { meant: new Map(), saved: new Set() };
  const trainer = spawn('python3', ['-c', TRAINER, directory, `${seed}`, way], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(trainer, 'close');
  try {
    let lines = 0;
    let isOver = false;
    trainer.once('close', () => {
      isOver = true;
    });
    createInterface(trainer.stdout).on('line', (line) => {
      hear(told, line);
      if (++lines === killAt) trainer.kill('SIGKILL');
    });
    const settling = createSettling(directory);
    const checked = new Set<string>();
    while (!isOver) {
      const { ready } = await settling.look(Date.now());
      // What it has said meanwhile is heard first.
      await new Promise((resolve) => setImmediate(resolve));
      for (const unit of ready) {
        if (checked.has(identityOf(unit))) continue;
        expectWhole(directory, unit, told, way);
        checked.add(identityOf(unit));
      }
    }
    const { ready } = await settling.lastLook({ isOrderly: false });
    for (const unit of ready) expectWhole(directory, unit, told, way);
    const names = new Set(ready.map(({ name }) => name));
    return [...told.saved].filter((name) => !names.has(name));
  } finally {
    trainer.kill('SIGKILL');
    await closed;
    rmSync(directory, { recursive: true });
  }
}

test.each(['json', 'pickle', 'zip', 'overwritten', 'renamed', 'marked', 'directory'])(
  'a trainer whose way is %s, killed at seeded instants: what is ready is whole, and what was saved is ready',
  async (way) => {
    const random = seededRandom(17);
    for (let seed = 0; seed < 4; seed++) {
      const lost = await lostByKill(way, seed, random.between(1, 90));
      // One that is overwritten in place is gone as soon as the next is begun.
      expect(way === 'overwritten' ? [] : lost).toEqual([]);
    }
  },
);
