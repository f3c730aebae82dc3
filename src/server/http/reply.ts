/** Answers on the wire: JSON values, and errors in their one form with the status that fits. */

import type { ServerResponse } from 'node:http';
import { jsonText } from '../../model/bytes.ts';
import { Fault, type Refusal, type RefusalCode, RefusalError } from '../../model/refusal.ts';
import { reportDefect } from '../conduct.ts';
import type { ErrorCode, Failure } from './shapes/answer.ts';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const STATUS: Readonly<Record<RefusalCode, number>> = {
  badRequest: 400,
  notAllowed: 403,
  noSuchJob: 404,
  noSuchNode: 404,
  noSuchFile: 404,
  noSuchStep: 404,
  wrongState: 409,
  busy: 409,
  tooLarge: 413,
  noSuchQueue: 422,
  noSuchQos: 422,
  noSuchAccount: 422,
  neverPossible: 422,
  limitReached: 429,
  unavailable: 503,
};

export function ok(body: unknown): Reply {
  return { status: 200, body };
}

/** An error that has its status already. */
export class HttpError extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super((reply.body as Failure).error.message);
    this.reply = reply;
  }
}

export function failed(
  status: number,
  code: ErrorCode,
  message: string,
  hint: string | null = null,
  choices: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body: Failure = { error: { code, message, hint, choices: [...choices] } };
  return { status, body, headers };
}

export function refused({ code, message, hint, choices }: Refusal): Reply {
  return failed(STATUS[code], code, message, hint, choices);
}

/** Whatever was thrown, as an answer. Only what is nobody's fault but ours is logged. */
export function replyOf(error: unknown, log: (line: string) => void): Reply {
  if (error instanceof HttpError) return error.reply;
  if (error instanceof RefusalError) return refused(error.refusal);
  if (error instanceof Fault) {
    const headers: Record<string, string> = error.retryable ? { 'Retry-After': '1' } : {};
    return failed(503, 'fault', error.message, null, [], headers);
  }
  return failed(500, 'defect', reportDefect(error, log));
}

export function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (response.headersSent) {
    // Part of another answer is out already: cutting it short is the only honest thing left to say.
    response.destroy();
    return;
  }
  const bytes = Buffer.from(`${jsonText(body)}\n`);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(bytes);
}
