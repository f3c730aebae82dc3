/** The routes by which processes that the yard did not start are given devices. The connection is the lease. */

import type { z } from 'zod';
import type { GivenBack } from '../../model/job.ts';
import { identityOf } from '../../platform/processes.ts';
import type { LeaseClient, LeaseWish } from '../leases/lease.ts';
import { openLeaseLine } from './lease-line.ts';
import { leaseParams, none } from './parameters.ts';
import { failed, HttpError, ok } from './reply.ts';
import { type Context, type Route, route } from './route.ts';
import { done } from './shapes/answer.ts';
import { LEASE_STREAM, type LeaseWishBody, leaseEnd, leaseWish } from './shapes/lease.ts';

export const leaseRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/leases',
    name: 'holdLease',
    summary: 'Wait for GPUs and hold them, for as long as the connection is open',
    params: none,
    query: none,
    body: leaseWish,
    answers: {
      200: { description: 'How it goes.', streams: { 'application/x-ndjson': LEASE_STREAM } },
    },
    handle: ({ body }, context) => hold(body, context),
  }),
  route({
    method: 'POST',
    path: '/v1/leases/{lease}/complete',
    name: 'completeLease',
    summary: 'Give a lease back, and say how it went',
    params: leaseParams,
    query: none,
    body: leaseEnd,
    answers: { 200: { description: 'Its devices are free.', schema: done } },
    handle: async ({ params, body }, context) =>
      ok(await context.leases.complete(params.lease, clientOf(context), givenBack(body))),
  }),
];

async function hold(body: LeaseWishBody, context: Context): Promise<null> {
  const { leases } = context;
  const wish = wishOf(body);
  const client = clientOf(context);
  const line = openLeaseLine(context, leases);
  if (typeof wish === 'string') leases.goOn(wish, client, line);
  else await leases.ask(wish, client, line);
  line.begin();
  return null;
}

/** A lease by its name, or what is wished of a new one. */
function wishOf({ lease, ...rest }: LeaseWishBody): string | LeaseWish {
  if (lease !== undefined) {
    if (Object.keys(rest).length > 0) throw mistake('lease: whoever goes on with one gives nothing else');
    return lease;
  }
  const { kind, gpus = 1, name, queue = null, memoryLimited = false, devices = null } = rest;
  if (kind === undefined) throw mistake('kind: missing', '"kind": "train.py::train"');
  return { kind, gpus, name: name ?? kind, queue, memoryLimited, devices };
}

function clientOf({ caller: { user, uid, pid } }: Context): LeaseClient {
  return { user, uid, process: pid === null ? null : identityOf(pid) };
}

function givenBack({ succeeded, outOfMemory }: z.output<typeof leaseEnd>): GivenBack {
  if (outOfMemory) return 'deviceOutOfMemory';
  return succeeded ? 'succeeded' : 'failed';
}

function mistake(message: string, hint: string | null = null): HttpError {
  return new HttpError(failed(422, 'badRequest', message, hint));
}
