/** For tests: a program's directory, a shelf, and calls that can be watched or made to fail. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CheckpointNote } from '../../model/keeping.ts';
import { scanDirectory } from '../scan.ts';
import { openShelf, type Shelf, type ShelfOptions } from '../shelf.ts';
import type { Unit } from '../units.ts';
import { closeFilesUnder } from './fake-crash.ts';
import type { FileCalls } from './file-calls.ts';
import { type Manners, USUAL_MANNERS } from './ground.ts';
import { type Manifest, parseManifest } from './manifest.ts';

export interface Workshop {
  readonly root: string;
  /** Where the program writes. */
  readonly from: string;
  /** Where it lasts. */
  readonly to: string;
  open(more?: Partial<ShelfOptions>, manners?: Manners): Promise<Shelf>;
  /** As the program does. */
  write(path: string, content: string | Uint8Array): void;
  unit(name: string): Promise<Unit>;
  put(shelf: Shelf, name: string): Promise<CheckpointNote | 'changed'>;
  /** Writes it and puts it. */
  save(shelf: Shelf, path: string, content: string | Uint8Array): Promise<CheckpointNote | 'changed'>;
  kept(path: string): string;
  hidden(path: string): string;
  manifest(): Manifest;
  /** The clock of the shelf. */
  setClock(at: number): void;
  now(): number;
  close(): Promise<void>;
}

export function openWorkshop(): Workshop {
  const root = mkdtempSync(join(tmpdir(), 'trainyard-shelf-'));
  const [from, to] = [join(root, 'local'), join(root, 'lasting')];
  const opened: Shelf[] = [];
  let clock = Date.now() + 60_000;
  mkdirSync(from);

  const workshop: Workshop = {
    root,
    from,
    to,
    async open(more = {}, manners = USUAL_MANNERS) {
      const owner = { yardId: 'yard', job: 12 };
      const options = { directory: to, owner, keepCount: null, keepForMs: null, now: () => ++clock };
      const shelf = await openShelf({ ...options, ...more }, manners);
      opened.push(shelf);
      return shelf;
    },
    write(path, content) {
      mkdirSync(dirname(join(from, path)), { recursive: true });
      writeFileSync(join(from, path), content);
    },
    async unit(name) {
      const unit = (await scanDirectory(from)).find((one) => one.name === name);
      if (unit === undefined) throw new Error(`there is no ${name}`);
      return unit;
    },
    put: async (shelf, name) => shelf.put(await workshop.unit(name), from, '12.1'),
    async save(shelf, path, content) {
      workshop.write(path, content);
      return workshop.put(shelf, path.split('/')[0] as string);
    },
    kept: (path) => readFileSync(join(to, path), 'utf8'),
    hidden: (path) => readFileSync(join(to, '.trainyard', path), 'utf8'),
    manifest() {
      const parsed = parseManifest(workshop.hidden('manifest.json'));
      if (!parsed.ok) throw new Error(parsed.why);
      return parsed.manifest;
    },
    setClock(at) {
      clock = at;
    },
    now: () => clock,
    async close() {
      await Promise.all(opened.map((shelf) => shelf.close()));
      closeFilesUnder(root);
      rmSync(root, { recursive: true });
    },
  };
  return workshop;
}

/** The usual calls, some of them others. */
export function withCalls(change: (calls: FileCalls) => Partial<FileCalls>): Manners {
  const { direct, patient } = USUAL_MANNERS;
  return {
    direct: { ...direct, ...change(direct) },
    patient: { ...patient, ...change(patient) },
  };
}
