/**
 * Brings the tools of others that the real suite runs into .cache/real/, once: nothing is installed into the
 * system, and nothing needs root. What is there is written down in .cache/real/tools.json, and where something
 * could not be had, why. With REAL_TOOLS_REQUIRED set, that is a failure.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whileAlone } from '../setup/lock.mjs';
import { debian } from './debian.mjs';
import { nextflow } from './nextflow.mjs';
import { frameworks, lightning, tools } from './python.mjs';

const cache = new URL('../../.cache/real/', import.meta.url).pathname;

/** In this order: each may rely on the ones before. Each has a name, what it is made from, and a way to make it. */
const PARTS = [tools, debian, lightning, frameworks, nextflow];

async function main() {
  mkdirSync(cache, { recursive: true });
  const found = {};
  for (const part of PARTS) {
    const directory = join(cache, part.name);
    const problem = isCurrent(part, directory) ? null : await make(part, directory);
    found[part.name] = problem === null ? { directory } : { missing: problem };
  }
  writeFileSync(join(cache, 'tools.json'), `${JSON.stringify(found, null, 2)}\n`);
  const missing = Object.values(found).flatMap((part) => part.missing ?? []);
  for (const problem of missing) process.stderr.write(`${problem}\n`);
  return missing.length > 0 && process.env.REAL_TOOLS_REQUIRED ? 1 : 0;
}

function isCurrent(part, directory) {
  const record = recordOf(directory);
  return existsSync(record) && readFileSync(record, 'utf8') === fingerprint(part, directory);
}

/** The record is written last, so that what was left half-made is made again. Null, or what went wrong. */
async function make(part, directory) {
  rmSync(recordOf(directory), { force: true });
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const problem = await part.make(directory, cache);
  if (problem === null) writeFileSync(recordOf(directory), fingerprint(part, directory));
  return problem;
}

const recordOf = (directory) => `${directory}.made-from`;

/** A Python environment knows where it is, so what was moved is made again. */
function fingerprint(part, directory) {
  return createHash('sha256')
    .update(JSON.stringify([directory, part.madeFrom()]))
    .digest('hex');
}

process.exitCode = await whileAlone(main);
