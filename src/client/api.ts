/**
 * The yard's HTTP API over its unix socket: JSON questions and the live stream of events. Each goes over a connection of its
 * own, and each connection is verified (connect.ts).
 */

import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { RecordedEvent } from '../model/event.ts';
import { connectTo } from './connect.ts';
import { ownUid } from './places.ts';
import { sentenceOfBody } from './refused.ts';
import { ownListeners, type YardAddress } from './yard-pointer.ts';

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

/** Talks to a yard of this user or of root, unless others may listen there too. */
export function yardApi(socketPath: string, listeners = ownListeners(ownUid())): Api {
  const yard = { socketPath, listeners };
  return {
    get: (path) => askJson(yard, 'GET', path, null),
    post: (path, body) => askJson(yard, 'POST', path, JSON.stringify(body)),
    follow: (afterSeq, listener) => followEvents(yard, afterSeq, listener),
  };
}

async function askJson<T>(
  yard: YardAddress,
  method: 'GET' | 'POST',
  path: string,
  body: string | null,
): Promise<T> {
  const headers = body === null ? {} : { 'Content-Type': 'application/json' };
  const connection = await connectTo(yard);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = request({ createConnection: () => connection, method, path, headers }, resolve);
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

function followEvents(yard: YardAddress, afterSeq: number, listener: EventListener): () => void {
  let connection: Socket | null = null;
  let stopped = false;
  const gone = () => {
    if (!stopped) listener.onGone();
    stopped = true;
  };
  connectTo(yard).then((connected) => {
    connection = connected;
    if (stopped) connected.destroy();
    else askForEvents(connected, afterSeq, listener.onEvent, gone);
  }, gone);
  return () => {
    stopped = true;
    connection?.destroy();
  };
}

function askForEvents(
  connection: Socket,
  afterSeq: number,
  onEvent: EventListener['onEvent'],
  gone: () => void,
): void {
  const headers = { Accept: 'text/event-stream', 'Last-Event-ID': `${afterSeq}` };
  const asking = request({ createConnection: () => connection, path: '/v1/events', headers }, (response) => {
    response.setEncoding('utf8');
    response.on('data', eventReader(onEvent));
    response.once('error', gone);
    response.once('close', gone);
  });
  asking.once('error', gone);
  asking.end();
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
