/** The routes about the yard itself: its state, nodes, queues, configuration and log. */

import { z } from 'zod';
import type { QueueState } from '../../model/policy.ts';
import { perform } from './job-routes.ts';
import { streamEvents } from './live-events.ts';
import { eventQuery, jobIdOf, nameParams, none } from './parameters.ts';
import { failed, HttpError, ok } from './reply.ts';
import { type Context, type Route, route } from './route.ts';
import { done } from './shapes/answer.ts';
import { named } from './shapes/component.ts';
import { eventList } from './shapes/event.ts';
import { drainWish, nothing } from './shapes/request.ts';
import { configView, nodeList, queueList, yardView } from './shapes/yard.ts';

const DEFAULT_EVENTS = 1000;
const openApi = named('OpenApi', z.record(z.string(), z.unknown()), 'An OpenAPI 3.1 document.');

/** The document describes these routes too, so it is asked for only when somebody wants it. */
export function yardRoutes(document: () => unknown): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/yard',
      name: 'showYard',
      summary: 'The yard at a glance',
      params: none,
      query: none,
      body: null,
      answers: { 200: { description: 'The yard.', schema: yardView } },
      handle: (_, { yard }) => ok(yard.query('yard', {})),
    }),
    route({
      method: 'GET',
      path: '/v1/nodes',
      name: 'listNodes',
      summary: 'Nodes and what is in use on them',
      params: none,
      query: none,
      body: null,
      answers: { 200: { description: 'The nodes.', schema: nodeList } },
      handle: (_, { yard }) => ok({ nodes: yard.query('nodes', { names: null }) }),
    }),
    route({
      method: 'POST',
      path: '/v1/nodes/{name}/drain',
      name: 'drainNode',
      summary: 'Start nothing more on a node',
      params: nameParams,
      query: none,
      body: drainWish,
      answers: { 200: { description: 'Done, or nothing to do.', schema: done } },
      handle: ({ params, body }, context) =>
        perform(context, { type: 'drainNode', node: params.name, reason: body.reason }),
    }),
    route({
      method: 'POST',
      path: '/v1/nodes/{name}/resume',
      name: 'resumeNode',
      summary: 'Use a node again',
      params: nameParams,
      query: none,
      body: nothing,
      answers: { 200: { description: 'Done, or nothing to do.', schema: done } },
      handle: ({ params }, context) => perform(context, { type: 'resumeNode', node: params.name }),
    }),
    route({
      method: 'GET',
      path: '/v1/queues',
      name: 'listQueues',
      summary: 'Queues and how full they are',
      params: none,
      query: none,
      body: null,
      answers: { 200: { description: 'The queues.', schema: queueList } },
      handle: (_, { yard }) => ok({ queues: yard.query('queues', {}) }),
    }),
    queueRoute('disable', 'Start nothing more in a queue', { disabled: true }),
    queueRoute('enable', 'Start jobs in a queue again', { disabled: false }),
    queueRoute('suspend', 'Start nothing more in a queue, and suspend its jobs', { suspended: true }),
    queueRoute('resume', 'Let a suspended queue and its jobs go on', { suspended: false }),
    route({
      method: 'GET',
      path: '/v1/config',
      name: 'showConfig',
      summary: 'What is in force, and where each value came from',
      params: none,
      query: none,
      body: null,
      answers: { 200: { description: 'The configuration.', schema: configView } },
      handle: (_, { yard }) => ok(yard.query('config', {})),
    }),
    route({
      method: 'GET',
      path: '/v1/events',
      name: 'listEvents',
      summary: 'The log: a list, or a live stream',
      params: none,
      query: eventQuery,
      headers: {
        Accept: 'With text/event-stream the answer is a live stream.',
        'Last-Event-ID': 'A live stream goes on after this place in the log.',
      },
      body: null,
      answers: {
        200: {
          description: 'Events, oldest first.',
          schema: eventList,
          streams: {
            'text/event-stream':
              'id is the place in the log, event the type, data a RecordedEvent. Without a place to begin at it begins now.',
          },
        },
      },
      handle: ({ query }, context) => events(query, context),
    }),
    route({
      method: 'GET',
      path: '/v1/openapi.json',
      name: 'describeApi',
      summary: 'This description',
      params: none,
      query: none,
      body: null,
      answers: { 200: { description: 'The document.', schema: openApi } },
      handle: () => ok(document()),
    }),
  ];
}

function queueRoute(verb: string, summary: string, change: Partial<QueueState>): Route {
  return route({
    method: 'POST',
    path: `/v1/queues/{name}/${verb}`,
    name: `${verb}Queue`,
    summary,
    params: nameParams,
    query: none,
    body: nothing,
    answers: { 200: { description: 'Done, or nothing to do.', schema: done } },
    handle: ({ params }, context) =>
      perform(context, { type: 'setQueue', queue: params.name, by: context.caller.user, ...change }),
  });
}

function events(query: z.output<typeof eventQuery>, context: Context) {
  const { yard, request, response, heartbeatMs, whileOpen } = context;
  const job = query.job === undefined ? null : jobIdOf(yard, query.job);
  if (!wantsStream(request.headers.accept)) {
    const { after: afterSeq = 0, limit = DEFAULT_EVENTS } = query;
    return ok({ events: yard.query('events', { job, afterSeq, limit, newest: query.after === undefined }) });
  }
  const afterSeq = lastEventId(request.headers['last-event-id']) ?? query.after ?? yard.lastSeq();
  streamEvents({ yard, response, afterSeq, job, heartbeatMs, whileOpen });
  return null;
}

function wantsStream(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((part) => part.split(';')[0]?.trim() === 'text/event-stream');
}

function lastEventId(header: string | string[] | undefined): number | null {
  if (header === undefined || header === '') return null;
  const text = String(header);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new HttpError(failed(400, 'badRequest', 'Last-Event-ID: must be a whole number'));
}
