/**
 * The thin protocol between a command and its yard. After an HTTP upgrade (`Upgrade: trainyard-command`) both
 * sides send frames on the same connection: one letter, a length of four bytes (big endian), the payload.
 *
 * The client sends its request without waiting for the 101 answer: one `a` per argument (the first is the
 * name it was called by), `d` working directory, `v` environment (`NAME=value` NUL …), `k` one `key=value`
 * each for small facts, then `g`. After that only `i`, `z`, `s` and `w`, and `i`/`z` only once the yard has
 * asked for them with `n`, so that a command which needs no input leaves its caller's stdin alone.
 */

export const UPGRADE = 'trainyard-command';
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** From command to yard. */
export const REQUEST = {
  argument: 'a',
  directory: 'd',
  environment: 'v',
  /** umask (octal), tty (which of 012 are terminals), columns, zone, ulimit-X. */
  fact: 'k',
  go: 'g',
  input: 'i',
  inputEnd: 'z',
  /** A signal the client got and passes on, by number. */
  signal: 's',
  windowSize: 'w',
} as const;

/** From yard to command. */
export const RESPONSE = {
  stdout: 'o',
  stderr: 'e',
  /** The yard wants stdin. */
  needInput: 'n',
  /** Exit code, decimal; the last frame. */
  exit: 'x',
} as const;

export interface Frame {
  readonly type: string;
  readonly payload: Uint8Array;
}

export function encodeFrame(type: string, payload: Uint8Array): Uint8Array {
  const out = new Uint8Array(5 + payload.length);
  out[0] = type.charCodeAt(0);
  new DataView(out.buffer).setUint32(1, payload.length);
  out.set(payload, 5);
  return out;
}

/** Takes bytes as they come and gives whole frames. Throws when a frame claims to be too long. */
export function frameReader(onFrame: (frame: Frame) => void): (chunk: Uint8Array) => void {
  let rest = new Uint8Array(0);
  return (chunk) => {
    let data: Uint8Array = chunk;
    if (rest.length > 0) {
      const joined = new Uint8Array(rest.length + chunk.length);
      joined.set(rest);
      joined.set(chunk, rest.length);
      data = joined;
    }
    let at = 0;
    while (data.length - at >= 5) {
      const length = new DataView(data.buffer, data.byteOffset + at + 1, 4).getUint32(0);
      if (length > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${length} bytes is too long`);
      if (data.length - at < 5 + length) break;
      onFrame({
        type: String.fromCharCode(data[at] as number),
        payload: data.slice(at + 5, at + 5 + length),
      });
      at += 5 + length;
    }
    rest = data.slice(at);
  };
}
