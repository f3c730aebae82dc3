/**
 * The log as a live stream (server-sent events). It begins after a place in the log and then misses nothing
 * and repeats nothing: old events are read page by page as the client takes them, and from then on each
 * commit is passed on as it happens. A client that cannot keep up is served from the log again, so it never
 * costs more memory than one buffer; one that takes nothing for two heartbeats is cut off, and may come back
 * with Last-Event-ID.
 */

import type { ServerResponse } from 'node:http';
import { jsonText } from '../../model/bytes.ts';
import { jobOfEvent, type RecordedEvent } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import type { Yard } from '../yard.ts';

const PAGE_EVENTS = 500;
const MOST_BUFFERED_BYTES = 256 * 1024;
const RECONNECT_MS = 1000;

export interface LiveEvents {
  readonly yard: Yard;
  readonly response: ServerResponse;
  readonly afterSeq: number;
  readonly job: JobId | null;
  readonly heartbeatMs: number;
  readonly whileOpen: (hangUp: () => void) => () => void;
}

export function streamEvents({ yard, response, afterSeq, job, heartbeatMs, whileOpen }: LiveEvents): void {
  let sentSeq = afterSeq;
  /** True while everything the log has was sent, so that commits may be passed on directly. */
  let caughtUp = false;
  let silentBeats = 0;

  const isFull = () => response.writableLength > MOST_BUFFERED_BYTES;
  const write = (recorded: RecordedEvent) => {
    sentSeq = recorded.seq;
    response.write(eventText(recorded));
  };

  const catchUp = () => {
    while (!caughtUp && !isFull()) {
      const page = yard.query('events', { job, afterSeq: sentSeq, limit: PAGE_EVENTS, newest: false });
      for (const recorded of page) write(recorded);
      caughtUp = page.length < PAGE_EVENTS;
    }
  };

  const onCommit = (events: readonly RecordedEvent[]) => {
    for (const recorded of events) {
      if (!caughtUp) return;
      if (recorded.seq <= sentSeq || (job !== null && jobOfEvent(recorded.event) !== job)) continue;
      if (isFull()) caughtUp = false;
      else write(recorded);
    }
  };

  const onDrain = () => {
    silentBeats = 0;
    guarded(catchUp);
  };

  const beat = () => {
    if (!response.writableNeedDrain) response.write(': the yard is still here\n\n');
    else if (++silentBeats >= 2) response.destroy();
  };

  // A fault while reading the log must end this stream and nothing else.
  const guarded = (action: () => void) => {
    try {
      action();
    } catch {
      response.destroy();
    }
  };

  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  response.write(`retry: ${RECONNECT_MS}\n\n`);
  const stopListening = yard.onCommit((events) => guarded(() => onCommit(events)));
  const heartbeat = setInterval(beat, heartbeatMs);
  const forget = whileOpen(() => response.end());
  response.on('drain', onDrain);
  response.on('error', () => response.destroy());
  response.on('close', () => {
    stopListening();
    clearInterval(heartbeat);
    forget();
  });
  guarded(catchUp);
}

function eventText(recorded: RecordedEvent): string {
  return `id: ${recorded.seq}\nevent: ${recorded.event.type}\ndata: ${jsonText(recorded)}\n\n`;
}
