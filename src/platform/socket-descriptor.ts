/** The descriptor of a connection, for calls of the C library that need it. */

import type { Socket } from 'node:net';

/** Node has no public way to a socket's descriptor; its handle has carried one for as long as there is one. */
export function descriptorOf(socket: Socket): number | null {
  const handle = (socket as unknown as { _handle?: { fd?: unknown } | null })._handle;
  const fd = handle?.fd;
  return typeof fd === 'number' && fd >= 0 ? fd : null;
}
