/**
 * What a yard and its keeper say to each other: one JSON value per line, in both directions. Names with odd bytes
 * hold lone surrogates, which JSON writes as escapes, so they arrive as they were. Both sides are of one version:
 * a keeper that was installed after its yard was started says that it is another, and does nothing.
 */

import type { AttemptId } from '../model/ids.ts';
import type { CheckpointNote, CheckpointsAsk } from '../model/keeping.ts';
import type { KeepEnding, KeepOrder } from './keeper.ts';

/** Changes with every change of the messages below. */
export const KEEPER_PROTOCOL = '1';

/** A listing of some hundred thousand checkpoints fits. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Those with a number are answered, by it. */
export type ToKeeper =
  | { readonly say: 'prepare'; readonly id: number; readonly order: KeepOrder }
  | { readonly say: 'watch'; readonly order: KeepOrder }
  | { readonly say: 'flush'; readonly id: number; readonly order: KeepOrder; readonly ending: KeepEnding }
  | { readonly say: 'letGo'; readonly attempt: AttemptId }
  | { readonly say: 'ask'; readonly id: number; readonly order: KeepOrder; readonly ask: CheckpointsAsk };

export type FromKeeper =
  | { readonly say: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly say: 'fault'; readonly id: number; readonly message: string; readonly retryable: boolean }
  | { readonly say: 'kept'; readonly attempt: AttemptId; readonly checkpoint: CheckpointNote }
  | { readonly say: 'trouble'; readonly attempt: AttemptId; readonly trouble: string | null }
  | { readonly say: 'overScratch'; readonly attempt: AttemptId; readonly usedBytes: number }
  | { readonly say: 'log'; readonly line: string };

export function encodeLine(message: ToKeeper | FromKeeper): string {
  return `${JSON.stringify(message)}\n`;
}

/** Takes bytes as they come and gives whole lines. Throws when one is too long. */
export function lineReader(
  onLine: (line: string) => void,
  maxBytes = MAX_LINE_BYTES,
): (chunk: Uint8Array) => void {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  return (chunk) => {
    let at = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, at);
      const piece = chunk.subarray(at, end < 0 ? chunk.length : end);
      heldBytes += piece.length;
      if (heldBytes > maxBytes) throw new RangeError(`a line of more than ${maxBytes} bytes`);
      if (piece.length > 0) held.push(piece);
      if (end < 0) return;
      const line = Buffer.concat(held, heldBytes).toString('utf8');
      held = [];
      heldBytes = 0;
      at = end + 1;
      if (line !== '') onLine(line);
    }
  };
}

const NEWLINE = 0x0a;
