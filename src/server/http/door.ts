/**
 * Where connections come in, as something that can be shut for a while. Who comes meanwhile waits in the kernel's queue
 * and is served later, while Node alone would take the connection and, without a file descriptor left, drop it.
 */

import { Server } from 'node:net';
import { closeEnd } from '../../platform/libc.ts';
import { duplicate } from '../../platform/listening.ts';

export interface Door {
  /** From now on, connections come to this server. */
  lead(to: Server): void;
  shut(): void;
  /** Throws when there is no file descriptor left: then it stays shut. */
  open(): void;
  /** For good. */
  close(): void;
}

/** Owns the listening socket. */
export function createDoor(listener: number, backlog: number): Door {
  let server: Server | null = null;
  let isOpen = false;
  let isClosed = false;

  const open = () => {
    if (server === null || isOpen || isClosed) return;
    const fd = duplicate(listener);
    isOpen = true;
    server.listen({ fd, backlog });
  };
  return {
    lead(to) {
      server = to;
      open();
    },
    open,
    shut() {
      if (server === null || !isOpen) return;
      isOpen = false;
      // Not the HTTP server's own, which would close connections as well.
      Server.prototype.close.call(server);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      closeEnd(listener);
    },
  };
}
