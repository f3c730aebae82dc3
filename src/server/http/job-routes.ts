/** The routes about jobs: to see them, to submit one, to do something to one. */

import type { UserCommand } from '../../model/command.ts';
import type { Answer as Answered, JobDetail } from '../../model/query.ts';
import { endedParts, liveParts, sendJobs } from './job-lists.ts';
import { followLog, sendLog } from './job-log.ts';
import { filterOf, jobQuery, logQuery, none, noSuchJob, refOf, refParams } from './parameters.ts';
import { failed, HttpError, ok, type Reply, refused } from './reply.ts';
import { type Context, type Route, route } from './route.ts';
import { done, why } from './shapes/answer.ts';
import { jobList } from './shapes/job.ts';
import { jobDetail } from './shapes/job-detail.ts';
import { jobChanges, nothing, requeueWish, signalWish, submission } from './shapes/request.ts';
import { signalNumber } from './signals.ts';
import { specOf } from './submission.ts';

const DONE = { 200: { description: 'Done, or nothing to do.', schema: done } };

export const jobRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/jobs',
    name: 'listJobs',
    summary: 'Jobs that the yard has in hand',
    params: none,
    query: jobQuery,
    body: null,
    answers: { 200: { description: 'The jobs that pass every filter.', schema: jobList } },
    handle: ({ query }, { yard, response }) => sendJobs(response, yard, liveParts(yard, filterOf(query))),
  }),
  route({
    method: 'GET',
    path: '/v1/history',
    name: 'listHistory',
    summary: 'Jobs of the past, newest first',
    params: none,
    query: jobQuery,
    body: null,
    answers: { 200: { description: 'The jobs that pass every filter.', schema: jobList } },
    handle: ({ query }, { yard, response }) => sendJobs(response, yard, endedParts(yard, filterOf(query))),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs',
    name: 'submitJob',
    summary: 'Submit a job',
    params: none,
    query: none,
    headers: { 'Idempotency-Key': 'The same key gives the same job again, for the life of the daemon.' },
    body: submission,
    answers: {
      200: { description: 'The job that this Idempotency-Key made before.', schema: done },
      201: { description: 'The job is durable.', schema: done },
    },
    handle: ({ body }, context) => submit(body, context),
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{ref}',
    name: 'showJob',
    summary: 'Everything about one job',
    params: refParams,
    query: none,
    body: null,
    answers: { 200: { description: 'The job.', schema: jobDetail } },
    handle: ({ params }, context) => ok(detailOf(context, params.ref)),
  }),
  route({
    method: 'PATCH',
    path: '/v1/jobs/{ref}',
    name: 'updateJob',
    summary: 'Change a job after submission',
    params: refParams,
    query: none,
    body: jobChanges,
    answers: DONE,
    handle: ({ params, body: changes }, context) => {
      if (Object.keys(changes).length === 0) {
        const choices = Object.keys(jobChanges.shape);
        throw new HttpError(failed(422, 'badRequest', 'body: there is nothing to change', null, choices));
      }
      return perform(context, { type: 'update', ...targeted(params.ref, context), changes });
    },
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{ref}/why',
    name: 'explainJob',
    summary: 'Why a job waits, and when it is expected to start',
    params: refParams,
    query: none,
    body: null,
    answers: { 200: { description: 'The explanation.', schema: why } },
    handle: ({ params }, context) => ok(explanationOf(context, params.ref)),
  }),
  route({
    method: 'GET',
    path: '/v1/jobs/{ref}/log',
    name: 'readLog',
    summary: "A job's output",
    params: refParams,
    query: logQuery,
    body: null,
    answers: {
      200: {
        description: 'The bytes as the job wrote them. Trainyard-Log-Offset says where they begin.',
        streams: { 'text/plain': 'The output.' },
      },
    },
    handle: async ({ params, query }, { yard, response, whileOpen }) => {
      const ref = refOf(params.ref);
      const { stream = 'stdout', offset = 0, follow = false } = query;
      const request = { yard, response, ref, stream, offset, whileOpen };
      await (follow ? followLog(request) : sendLog(request));
      return null;
    },
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{ref}/cancel',
    name: 'cancelJob',
    summary: 'Cancel a job',
    params: refParams,
    query: none,
    body: nothing,
    answers: DONE,
    handle: ({ params }, context) => perform(context, { type: 'cancel', ...targeted(params.ref, context) }),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{ref}/hold',
    name: 'holdJob',
    summary: 'Keep a job from starting',
    params: refParams,
    query: none,
    body: nothing,
    answers: DONE,
    handle: ({ params }, context) => perform(context, { type: 'hold', ...targeted(params.ref, context) }),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{ref}/release',
    name: 'releaseJob',
    summary: 'Let a held job go',
    params: refParams,
    query: none,
    body: nothing,
    answers: DONE,
    handle: ({ params }, context) => perform(context, { type: 'release', ...targeted(params.ref, context) }),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{ref}/suspend',
    name: 'suspendJob',
    summary: 'Stop a running job where it is',
    params: refParams,
    query: none,
    body: nothing,
    answers: DONE,
    handle: ({ params }, context) => perform(context, { type: 'suspend', ...targeted(params.ref, context) }),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{ref}/resume',
    name: 'resumeJob',
    summary: 'Let a suspended job go on',
    params: refParams,
    query: none,
    body: nothing,
    answers: DONE,
    handle: ({ params }, context) => perform(context, { type: 'resume', ...targeted(params.ref, context) }),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{ref}/requeue',
    name: 'requeueJob',
    summary: 'Start a job again, live or ended',
    params: refParams,
    query: none,
    body: requeueWish,
    answers: DONE,
    handle: ({ params, body }, context) =>
      perform(context, { type: 'requeue', ...targeted(params.ref, context), hold: body.hold }),
  }),
  route({
    method: 'POST',
    path: '/v1/jobs/{ref}/signal',
    name: 'signalJob',
    summary: 'Send a signal to a running job',
    params: refParams,
    query: none,
    body: signalWish,
    answers: DONE,
    handle: ({ params, body }, context) => {
      const signal = signalNumber(body.signal, 'signal');
      return perform(context, {
        type: 'signal',
        ...targeted(params.ref, context),
        signal,
        scope: body.scope,
      });
    },
  }),
];

async function submit(body: Parameters<typeof specOf>[0], context: Context): Promise<Reply> {
  const { yard, caller, jobEnvironment, idempotency, request } = context;
  const act = () => {
    const spec = specOf(body, {
      user: caller.user,
      environment: jobEnvironment,
      keepBlob: (bytes) => yard.keepBlob(bytes),
    });
    return yard.command({ type: 'submit', spec });
  };
  const key = request.headers['idempotency-key'];
  const { result, repeated } =
    typeof key === 'string'
      ? await idempotency(caller.user, key, body, act)
      : { result: await act(), repeated: false };
  if (!result.ok) return refused(result.refusal);
  return {
    status: repeated ? 200 : 201,
    body: { job: result.job, changed: !repeated },
    headers: { Location: `/v1/jobs/${result.job}` },
  };
}

export async function perform({ yard }: Context, command: UserCommand): Promise<Reply> {
  const result = await yard.command(command);
  return result.ok ? ok({ job: result.job, changed: result.changed }) : refused(result.refusal);
}

function targeted(ref: string, { caller }: Context) {
  return { target: refOf(ref), by: caller.user };
}

function detailOf({ yard }: Context, text: string): JobDetail {
  const ref = refOf(text);
  const found = yard.query('job', { ref });
  if (found === null) throw noSuchJob(yard, ref);
  return found;
}

function explanationOf({ yard }: Context, text: string): NonNullable<Answered<'explain'>> {
  const ref = refOf(text);
  const found = yard.query('explain', { ref });
  if (found === null) throw noSuchJob(yard, ref);
  return found;
}
