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
  /** umask (octal), tty (which of 012 are terminals), columns, zone, ulimit-X, ticket. */
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
  /** What to bring along should the yard go away before the end: then the same request comes to the next one. */
  ticket: 't',
  /** What the command is to run itself (src/model/run-plan.ts); the last frame. Only RUN_HERE may be given one. */
  plan: 'p',
  /** Exit code, decimal; the last frame. */
  exit: 'x',
} as const;

/** The commands that run something themselves. Any other that is given a plan refuses it. */
export const RUN_HERE: readonly string[] = ['srun', 'salloc', 'qrsh', 'qlogin'];

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
  let chunks: Uint8Array[] = [];
  let held = 0;
  /** How many bytes make the next step possible: a head, or a whole frame. */
  let needed = HEAD_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held < needed) return;
    const data = joined(chunks, held);
    let at = 0;
    for (;;) {
      needed = HEAD_BYTES;
      if (data.length - at < needed) break;
      const length = new DataView(data.buffer, data.byteOffset + at + 1, 4).getUint32(0);
      if (length > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${length} bytes is too long`);
      needed = HEAD_BYTES + length;
      if (data.length - at < needed) break;
      onFrame({
        type: String.fromCharCode(data[at] as number),
        payload: data.slice(at + HEAD_BYTES, at + needed),
      });
      at += needed;
    }
    chunks = [data.slice(at)];
    held = data.length - at;
  };
}

const HEAD_BYTES = 5;

function joined(chunks: readonly Uint8Array[], total: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const out = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}
