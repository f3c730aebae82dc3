/** A job's output over HTTP: the bytes of its file from an offset on, and with `follow` until the job ends. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import type { JobRef } from '../../model/ids.ts';
import type { JobView } from '../../model/query.ts';
import { RefusalError, refusal } from '../../model/refusal.ts';
import { readAt } from '../files.ts';
import { readGrowing } from '../follow.ts';
import type { Yard } from '../yard.ts';
import { noSuchJob } from './parameters.ts';

const CHUNK_BYTES = 256 * 1024;
/** How soon the end of a job is noticed when its output stays silent. */
const LOOK_AGAIN_MS = 500;

export interface LogRequest {
  readonly yard: Yard;
  readonly response: ServerResponse;
  readonly ref: JobRef;
  readonly stream: 'stdout' | 'stderr';
  /** Negative: that many bytes before the end. */
  readonly offset: number;
  readonly whileOpen: (hangUp: () => void) => () => void;
}

/** What the file has now. */
export async function sendLog(request: LogRequest): Promise<void> {
  const { response } = request;
  const path = logPath(viewOf(request), request.stream);
  const sizeBytes = await sizeOf(path);
  if (sizeBytes === null) throw noLogYet(path);
  const start = startOf(request.offset, sizeBytes);
  const wanted = Math.max(0, sizeBytes - start);
  response.writeHead(200, { ...headersFrom(start), 'Content-Length': wanted });
  let sent = 0;
  while (sent < wanted && !response.destroyed) {
    const slice = await readAt(path, start + sent, Math.min(CHUNK_BYTES, wanted - sent));
    // The file shrank: the promised length cannot be kept, and a client notices an answer cut short.
    if (slice === null || slice.bytes.length === 0) return void response.destroy();
    await pass(response, slice.bytes);
    sent += slice.bytes.length;
  }
  response.end();
}

/** What it has now and what comes, until the job has ended or the client has gone. */
export async function followLog(request: LogRequest): Promise<void> {
  const { response } = request;
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  const forget = request.whileOpen(hangUp);
  response.on('close', hangUp);
  try {
    await follow(request, gone.signal);
    response.end();
  } finally {
    forget();
  }
}

async function follow(request: LogRequest, signal: AbortSignal): Promise<void> {
  const { response, stream } = request;
  let view = viewOf(request);
  let path = logPath(view, stream);
  let offset = startOf(request.offset, (await sizeOf(path)) ?? 0);
  response.writeHead(200, headersFrom(offset));
  response.flushHeaders();
  while (!signal.aborted) {
    // In this order: what is read after the end was seen is all there is.
    view = viewOf(request);
    const ended = view.job.phase === 'ended';
    const current = logPath(view, stream);
    if (current !== path) [path, offset] = [current, 0];
    const timeoutMs = ended ? 0 : LOOK_AGAIN_MS;
    const slice = await readGrowing({ path, offset, maxBytes: CHUNK_BYTES, timeoutMs, signal });
    // A later attempt may begin the file anew.
    if (slice !== null && slice.sizeBytes < offset) offset = 0;
    else if (slice !== null && slice.bytes.length > 0) {
      await pass(response, slice.bytes);
      offset += slice.bytes.length;
    } else if (ended) return;
  }
}

function viewOf({ yard, ref }: LogRequest): JobView {
  const detail = yard.query('job', { ref });
  if (detail === null) throw noSuchJob(yard, ref);
  return detail.view;
}

function logPath(view: JobView, stream: 'stdout' | 'stderr'): string {
  const path = stream === 'stderr' ? (view.stderrPath ?? view.stdoutPath) : view.stdoutPath;
  return resolve(view.job.spec.workDir, path);
}

async function sizeOf(path: string): Promise<number | null> {
  return (await readAt(path, 0, 0))?.sizeBytes ?? null;
}

function startOf(offset: number, sizeBytes: number): number {
  return offset < 0 ? Math.max(0, sizeBytes + offset) : offset;
}

function headersFrom(offset: number): Record<string, string> {
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Trainyard-Log-Offset': `${offset}`,
  };
}

async function pass(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (response.destroyed || response.write(bytes)) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } catch {
    // A broken connection is noticed by the loop.
  } finally {
    waiting.abort();
  }
}

function noLogYet(path: string): RefusalError {
  const hint = 'it appears when the job starts; follow=true waits for it';
  return new RefusalError(refusal('noSuchFile', `there is no file ${path}`, hint));
}
