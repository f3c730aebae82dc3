/** The yard's side of an upgraded connection as something to write to: frames, gathered, with back-pressure. */

import type { Socket } from 'node:net';
import { encodeFrame, UPGRADE } from '../../model/frames.ts';

export interface Wire {
  /** Says that the command is being served, unless that was said already. */
  readonly open: () => void;
  /** False when the client should be given time to read. */
  readonly frame: (type: string, payload: Uint8Array) => boolean;
  /** Resolves when there is room for more, or nobody left to send it to. */
  readonly output: (type: string, bytes: Uint8Array) => Promise<void>;
}

const OUTPUT_FRAME_BYTES = 256 * 1024;

export function newWire(socket: Socket, version: string): Wire {
  let opened = false;
  let gathering = false;

  /** What is written in one turn leaves in one piece. */
  const gather = () => {
    if (gathering) return;
    gathering = true;
    socket.cork();
    process.nextTick(() => {
      gathering = false;
      socket.uncork();
    });
  };

  const open = () => {
    if (opened || !socket.writable) return;
    opened = true;
    gather();
    const headers = ['Connection: Upgrade', `Upgrade: ${UPGRADE}`, `Trainyard-Version: ${version}`];
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('\r\n')}\r\n\r\n`);
  };

  const frame = (type: string, payload: Uint8Array) => {
    if (!socket.writable) return true;
    open();
    gather();
    return socket.write(encodeFrame(type, payload));
  };

  const output = async (type: string, bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += OUTPUT_FRAME_BYTES) {
      if (!frame(type, bytes.subarray(at, at + OUTPUT_FRAME_BYTES))) await drained(socket);
    }
  };

  return { open, frame, output };
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
