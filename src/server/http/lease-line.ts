/**
 * The connection of one lease: an answer that goes on, one JSON object a line. When the client hangs up the desk is told;
 * when it is the yard that goes, it is not, since the client comes to the next one.
 */

import { jsonText } from '../../model/bytes.ts';
import type { LeaseDesk } from '../leases/desk.ts';
import type { LeaseLine } from '../leases/holdings.ts';
import type { LeaseWord } from '../leases/lease.ts';
import type { Context } from './route.ts';

export interface OpenLeaseLine extends LeaseLine {
  /** It is known to the desk: from now on the answer goes out, and the end of the connection is the end of the lease. */
  begin(): void;
}

export function openLeaseLine(
  { response, heartbeatMs, whileOpen }: Pick<Context, 'response' | 'heartbeatMs' | 'whileOpen'>,
  desk: LeaseDesk,
): OpenLeaseLine {
  let heartbeat: NodeJS.Timeout | null = null;
  let isLeaving = false;
  let hasBegun = false;

  const write = (word: LeaseWord | Record<string, never>) => {
    open();
    response.write(`${jsonText(word)}\n`);
  };
  const open = () => {
    if (response.headersSent || response.destroyed) return;
    response.writeHead(200, {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  };
  const gone = () => {
    if (heartbeat !== null) clearInterval(heartbeat);
    forget();
    if (hasBegun && !isLeaving) desk.hungUp(line);
  };
  const forget = whileOpen(() => {
    isLeaving = true;
    response.end();
  });
  response.on('error', () => response.destroy());
  response.on('close', gone);

  const line: OpenLeaseLine = {
    say(word) {
      // Why it waits will have changed again when a client that reads nothing gets round to it.
      if (word.state !== 'waiting' || !response.writableNeedDrain) write(word);
    },
    end: () => void response.end(),
    begin() {
      hasBegun = true;
      if (response.destroyed) return gone();
      open();
      heartbeat = setInterval(() => {
        if (!response.writableNeedDrain) write({});
      }, heartbeatMs);
    },
  };
  return line;
}
