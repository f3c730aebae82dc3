/** A client that holds a lease, as small as one can be: what it was told, and the way to hang up. */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { LeaseWord } from '../../src/server/leases/lease.ts';
import { type Loose, openRequest } from './harness.ts';

export interface LeaseStream {
  readonly status: number;
  readonly words: (LeaseWord | Record<string, never>)[];
  /** Resolves with the next word of this state, those that came before counted. */
  word<S extends LeaseWord['state']>(state: S): Promise<Extract<LeaseWord, { state: S }>>;
  /** Resolves when so many words have come. */
  until(count: number): Promise<void>;
  /** Resolves when the yard has closed it. */
  readonly ended: Promise<void>;
  /** What came instead, when it was refused. */
  refusal(): Promise<Loose>;
  hangUp(): void;
}

export async function openLease(socketPath: string, body: unknown): Promise<LeaseStream> {
  const response = await openRequest(socketPath, 'POST', '/v1/leases', { body });
  const words: LeaseStream['words'] = [];
  let text = '';
  let taken = 0;
  response.setEncoding('utf8');
  response.on('error', () => {});
  response.on('data', (chunk: string) => {
    text += chunk;
    const lines = text.split('\n');
    for (const line of lines.slice(words.length, -1)) words.push(JSON.parse(line));
  });
  const ended = closed(response);
  return {
    status: response.statusCode ?? 0,
    words,
    ended,
    async word(state) {
      for (;;) {
        while (taken < words.length) {
          const word = words[taken++] as LeaseWord;
          if (word.state === state) return word as never;
        }
        if (response.closed) throw new Error(`closed without a word of ${state}: ${text}`);
        await Promise.race([once(response, 'data'), ended]);
      }
    },
    async until(count) {
      while (words.length < count) await Promise.race([once(response, 'data'), ended]);
    },
    async refusal() {
      await ended;
      return JSON.parse(text);
    },
    hangUp: () => response.destroy(),
  };
}

async function closed(response: IncomingMessage): Promise<void> {
  if (!response.closed) await new Promise<void>((resolve) => response.once('close', () => resolve()));
}
