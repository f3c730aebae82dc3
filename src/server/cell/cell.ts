/**
 * The files by which programs recognise a Grid Engine, below the yard's directory, made anew at each start: what is in
 * them is the dialect's business. A yard is of use without them.
 */

import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  architectureName,
  binaryDirectory,
  type CellFacts,
  commonDirectory,
  commonFiles,
} from '../../dialects/gridengine/cell.ts';
import { errorWords, readFileIfThere, removeIfThere, writeFileAtomic } from '../../platform/files.ts';

export interface CellParts extends CellFacts {
  /** The system's word for it: `x86_64`. */
  readonly machine: string;
  readonly log: (line: string) => void;
}

export function keepCell({ machine, log, ...facts }: CellParts): void {
  const common = commonDirectory(facts.yardDirectory);
  try {
    mkdirSync(common, { recursive: true, mode: 0o755 });
    for (const [name, text] of Object.entries(commonFiles(facts))) keepFile(`${common}/${name}`, text);
    keepLink(binaryDirectory(facts.yardDirectory, architectureName(machine)), facts.commands);
  } catch (error) {
    log(`the files in ${common} cannot be kept up to date: ${errorWords(error)}`);
  }
}

function keepFile(path: string, text: string): void {
  if (readFileIfThere(path)?.equals(Buffer.from(text)) !== true) writeFileAtomic(path, text, 0o644);
}

function keepLink(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const draft = `${path}.draft`;
  removeIfThere(draft);
  symlinkSync(target, draft);
  renameSync(draft, path);
}
