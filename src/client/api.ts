/** The yard's HTTP API over its unix socket: JSON questions and the live stream of events. */

import { type IncomingMessage, request } from 'node:http';
import type { RecordedEvent } from '../model/event.ts';
import { sentenceOfBody } from './refused.ts';

export interface Api {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  /** Calls back for each event after `afterSeq`, until stopped or until the yard goes away. */
  follow(afterSeq: number, listener: EventListener): () => void;
}

export interface EventListener {
  readonly onEvent: (recorded: RecordedEvent) => void;
  readonly onGone: () => void;
}

export function yardApi(socketPath: string): Api {
  return {
    get: (path) => askJson(socketPath, 'GET', path, null),
    post: (path, body) => askJson(socketPath, 'POST', path, JSON.stringify(body)),
    follow: (afterSeq, listener) => followEvents(socketPath, afterSeq, listener),
  };
}

async function askJson<T>(
  socketPath: string,
  method: 'GET' | 'POST',
  path: string,
  body: string | null,
): Promise<T> {
  const headers = body === null ? {} : { 'Content-Type': 'application/json' };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = request({ socketPath, method, path, headers, agent: false }, resolve);
    asking.once('error', reject);
    asking.end(body ?? undefined);
  });
  const text = await textOf(response);
  if ((response.statusCode ?? 500) >= 400) throw new Error(sentenceOfBody(text));
  return JSON.parse(text) as T;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function followEvents(socketPath: string, afterSeq: number, listener: EventListener): () => void {
  let stopped = false;
  const gone = () => {
    if (!stopped) listener.onGone();
    stopped = true;
  };
  const asking = request(
    {
      socketPath,
      path: '/v1/events',
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': `${afterSeq}` },
      agent: false,
    },
    (response) => {
      response.setEncoding('utf8');
      const take = eventReader(listener.onEvent);
      response.on('data', take);
      response.once('error', gone);
      response.once('close', gone);
    },
  );
  asking.once('error', gone);
  asking.end();
  return () => {
    stopped = true;
    asking.destroy();
  };
}

/** Server-sent events: fields by line, an empty line ends one. Only the data matters here. */
export function eventReader(onEvent: (recorded: RecordedEvent) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n');
      if (data !== '') onEvent(JSON.parse(data) as RecordedEvent);
    }
  };
}
