/** For tests: submitting a script to a yard made of plain values, and looking at what came of it. */

import { bytesFromText } from '../../model/bytes.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { type FakeYard, fakeYard, type Ran } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

export const SCRIPT = '#!/bin/sh\necho hello\n';

export function yardWith(script: string | Uint8Array = SCRIPT): FakeYard {
  const bytes = typeof script === 'string' ? bytesFromText(script) : script;
  return fakeYard({ files: new Map([['/home/ada/work/train.sh', bytes]]) });
}

/** What the yard was asked to run. */
export function submitted(argv: readonly string[], script = SCRIPT): JobSpec {
  const yard = yardWith(script);
  const ran = run(yard, ['submit', ...argv]);
  const [command] = yard.commands;
  if (command?.type !== 'submit') throw new Error(`nothing was submitted: ${ran.stderr}`);
  return command.spec;
}

/** What was said against it. Throws when anything was done all the same. */
export function complaint(argv: readonly string[], script: string | Uint8Array = SCRIPT): string {
  const yard = yardWith(script);
  const ran: Ran = run(yard, ['submit', ...argv]);
  if (ran.code === 0) throw new Error(`nobody complained: ${ran.stdout}`);
  if (ran.stdout !== '') throw new Error(`something was printed: ${ran.stdout}`);
  if (yard.commands.length + yard.blobs.length > 0) throw new Error('something was left half done');
  return ran.stderr;
}
