/**
 * What a route is: a method, a path, what it takes and gives as schemas, and a handler. The table of them
 * is both what the server serves and what the OpenAPI document is made from.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Caller } from '../identity.ts';
import type { LeaseDesk } from '../leases/desk.ts';
import type { Yard } from '../yard.ts';
import type { Idempotency } from './idempotency.ts';
import type { Reply } from './reply.ts';

export type Method = 'GET' | 'POST' | 'PATCH';

/** What a handler may use beside its input. */
export interface Context {
  readonly yard: Yard;
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly idempotency: Idempotency;
  readonly leases: LeaseDesk;
  /** The basis of a job's environment when the client brings none of its own. */
  readonly jobEnvironment: Readonly<Record<string, string>>;
  readonly heartbeatMs: number;
  /** Registers something long-lived that must end when the server closes; gives the way to take it back. */
  readonly whileOpen: (hangUp: () => void) => () => void;
}

export interface Input<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

/** What is promised for one status: JSON of a schema, or another kind of content. */
export interface Answer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Media type → description, for what is not JSON. */
  readonly streams?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: Method;
  /** `/v1/jobs/{ref}` */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Request headers that matter → what they do. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: z.ZodType | null;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Null: the handler has taken over the response. */
  readonly handle: (
    input: Input<unknown, unknown, unknown>,
    context: Context,
  ) => Reply | null | Promise<Reply | null>;
}

interface RouteOf<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType | null>
  extends Omit<Route, 'params' | 'query' | 'body' | 'handle' | 'headers'> {
  readonly params: P;
  readonly query: Q;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: B;
  readonly handle: (
    input: Input<z.output<P>, z.output<Q>, B extends z.ZodType ? z.output<B> : null>,
    context: Context,
  ) => Reply | null | Promise<Reply | null>;
}

/** Writes a route with its handler's input typed by its schemas. */
export function route<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType | null>(
  definition: RouteOf<P, Q, B>,
): Route {
  return { headers: {}, ...definition, handle: definition.handle as Route['handle'] };
}

export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'wrongMethod'; readonly allowed: readonly string[] }
  | { readonly kind: 'notFound' };

export function matchRoute(routes: readonly Route[], method: string, path: string): Match {
  const parts = path.split('/');
  const allowed: string[] = [];
  for (const candidate of routes) {
    const params = paramsOf(candidate.path.split('/'), parts);
    if (params === null) continue;
    if (candidate.method === method) return { kind: 'found', route: candidate, params };
    allowed.push(candidate.method);
  }
  return allowed.length > 0 ? { kind: 'wrongMethod', allowed } : { kind: 'notFound' };
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [at, wanted] of pattern.entries()) {
    const part = parts[at] as string;
    if (wanted.startsWith('{')) {
      const value = decoded(part);
      if (value === null) return null;
      params[wanted.slice(1, -1)] = value;
    } else if (wanted !== part) {
      return null;
    }
  }
  return params;
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
