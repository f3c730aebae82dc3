/** The routes about GPUs: what they are used for, and what kinds of jobs were seen to use of them. */

import { perform } from './job-routes.ts';
import { footprintQuery, gpuQuery, none } from './parameters.ts';
import { ok } from './reply.ts';
import { type Route, route } from './route.ts';
import { done } from './shapes/answer.ts';
import { footprintList } from './shapes/footprint.ts';
import { gpusView } from './shapes/gpu.ts';
import { footprintWish, forgetWish } from './shapes/request.ts';

const DONE = { 200: { description: 'Done, or nothing to do.', schema: done } };

export const gpuRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/gpus',
    name: 'listGpus',
    summary: 'GPUs, who is on them and who waits for one',
    params: none,
    query: gpuQuery,
    body: null,
    answers: { 200: { description: 'The GPUs.', schema: gpusView } },
    handle: ({ query }, { yard }) => ok(yard.query('gpus', { nodes: query.node ?? null })),
  }),
  route({
    method: 'GET',
    path: '/v1/footprints',
    name: 'listFootprints',
    summary: 'What kinds of jobs were seen to use of GPUs',
    params: none,
    query: footprintQuery,
    body: null,
    answers: { 200: { description: 'The footprints, the last seen first.', schema: footprintList } },
    handle: ({ query }, { yard }) =>
      ok({ footprints: yard.query('footprints', { match: query.match ?? null }) }),
  }),
  route({
    method: 'POST',
    path: '/v1/footprints/set',
    name: 'setFootprint',
    summary: 'Say what a kind of job uses',
    params: none,
    query: none,
    body: footprintWish,
    answers: DONE,
    handle: ({ body }, context) =>
      perform(context, { type: 'setFootprint', by: context.caller.user, ...body }),
  }),
  route({
    method: 'POST',
    path: '/v1/footprints/forget',
    name: 'forgetFootprints',
    summary: 'Forget what kinds of jobs used',
    params: none,
    query: none,
    body: forgetWish,
    answers: DONE,
    handle: ({ body }, context) =>
      perform(context, { type: 'forgetFootprints', by: context.caller.user, ...body }),
  }),
];
