/**
 * A keeper at the other end of two pipes: what comes in is asked of it, what it answers and tells goes out. Knows
 * neither what a keeper does nor who started this process.
 */

import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import type { Keeper, KeeperEvents } from './keeper.ts';
import { encodeLine, type FromKeeper, lineReader, MAX_LINE_BYTES, type ToKeeper } from './keeper-protocol.ts';

export interface KeeperPipes {
  readonly input: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
}

/** Resolves when nobody asks any more. */
export function serveKeeper(
  { input, write }: KeeperPipes,
  createKeeper: (events: KeeperEvents) => Keeper,
): Promise<void> {
  const tell = (message: FromKeeper) => write(encodeLine(message));
  const keeper = createKeeper({
    kept: (attempt, checkpoint) => tell({ say: 'kept', attempt, checkpoint }),
    trouble: (attempt, trouble) => tell({ say: 'trouble', attempt, trouble }),
    overScratch: (attempt, usedBytes) => tell({ say: 'overScratch', attempt, usedBytes }),
    log: (line) => tell({ say: 'log', line }),
  });

  const answer = (id: number, work: Promise<unknown>) => {
    work.then(
      (result) => {
        const line = encodeLine({ say: 'answer', id, answer: result });
        if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return write(line);
        tell({ say: 'fault', id, message: 'there are too many checkpoints to list', retryable: false });
      },
      (error: unknown) => {
        if (!(error instanceof Fault)) tell({ say: 'log', line: `keeper: ${storyOf(error)}` });
        tell({ say: 'fault', id, message: sentenceOf(error), retryable: isRetryable(error) });
      },
    );
  };
  const heed = (message: ToKeeper) => {
    switch (message.say) {
      case 'prepare':
        return answer(message.id, keeper.prepare(message.order));
      case 'flush':
        return answer(message.id, keeper.flush(message.order, message.ending));
      case 'ask':
        return answer(message.id, keeper.ask(message.order, message.ask));
      case 'watch':
        return keeper.watch(message.order);
      case 'letGo':
        return keeper.letGo(message.attempt);
    }
  };

  const read = lineReader((line) => heed(JSON.parse(line) as ToKeeper));
  return new Promise((resolve) => {
    input.on('data', (chunk: Buffer) => read(chunk));
    for (const end of ['end', 'close', 'error']) input.once(end, () => resolve());
  });
}

function sentenceOf(error: unknown): string {
  return error instanceof Fault ? error.message : errorWords(error);
}

function isRetryable(error: unknown): boolean {
  return error instanceof Fault ? error.retryable : true;
}

function storyOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
