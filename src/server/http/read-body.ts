/** The body of a request: read up to a bound, decoded strictly, parsed as JSON. What it means is the route's. */

import type { IncomingMessage } from 'node:http';
import { failed, HttpError } from './reply.ts';

/** Room for a script with all that JSON adds to it. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Members of objects and lists together: each is held against a schema. */
const MOST_VALUES = 50_000;

/** Undefined when there is no body, which is not the same as a body that says `null`. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw bad(415, `the body is encoded as ${encoding}`, 'send plain JSON in UTF-8');
  }
  const bytes = await collect(request);
  return bytes.length === 0 ? undefined : parse(bytes);
}

/** What is too large is read to its end and dropped: a client cut off while it writes never sees the answer. */
function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let total = 0;
    request.on('data', (chunk: Buffer) => {
      total += chunk.length;
      if (total <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks = [];
    });
    request.on('end', () => (total <= MAX_BODY_BYTES ? resolve(Buffer.concat(chunks)) : reject(tooLarge())));
    const cutShort = () => reject(bad(400, 'the body ended too early'));
    request.on('close', cutShort);
    request.on('error', cutShort);
  });
}

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bad(400, 'the body is not UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad(400, `the body is not JSON: ${(error as Error).message}`);
  }
  if (hasMoreValues(value, MOST_VALUES)) {
    const hint = 'put long lists into a file in the working directory and let the job read it';
    throw new HttpError(failed(413, 'tooLarge', `the body has more than ${MOST_VALUES} values`, hint));
  }
  return value;
}

/** Looks no further than it must: what is nested without end is as long as a list. */
function hasMoreValues(value: unknown, most: number): boolean {
  const ahead: unknown[] = [value];
  let count = 0;
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += members.length;
    if (count > most) return true;
    for (const member of members) ahead.push(member);
  }
  return false;
}

function bad(status: number, message: string, hint: string | null = null): HttpError {
  return new HttpError(failed(status, 'badRequest', message, hint));
}

function tooLarge(): HttpError {
  const message = `the body is larger than ${MAX_BODY_BYTES} bytes`;
  const hint = 'put large files into the working directory and name them in the command';
  return new HttpError(failed(413, 'tooLarge', message, hint));
}
