/**
 * docs/openapi.json is what the table of routes says, and what the server sends is what the document says.
 * To renew the file: WRITE_OPENAPI=1 npx vitest run test/api/openapi.test.ts && npx biome format --write docs/openapi.json
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { document, routes } from '../../src/server/http/routes.ts';
import { type Answered, type CallOptions, type Harness, openRequest, startServer } from './harness.ts';

const FILE = new URL('../../docs/openapi.json', import.meta.url);

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

interface Operation {
  readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
}

if (process.env.WRITE_OPENAPI === '1') writeFileSync(FILE, `${JSON.stringify(document(), null, 2)}\n`);
const published = JSON.parse(readFileSync(FILE, 'utf8')) as Document;

test('docs/openapi.json is up to date', () => {
  expect(published, 'the head of this test says how to renew the file').toEqual(
    JSON.parse(JSON.stringify(document())),
  );
});

test('every reference in the document leads somewhere', () => {
  const references = JSON.stringify(published).match(/#\/components\/schemas\/\w+/g) ?? [];
  expect(references.length).toBeGreaterThan(20);
  for (const reference of new Set(references)) {
    expect(Object.keys(published.components.schemas)).toContain(reference.split('/').pop());
  }
});

describe('every documented route answers as documented', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startServer();
  });
  afterAll(() => harness.close());

  const submission = (): CallOptions => ({
    body: { name: 'digits', command: ['python3', 'train.py'], workDir: harness.directory, array: '0-9%2' },
  });

  const KEY = 'command:train.py#0011223344556677';
  /** The stream of a lease lasts as long as the lease. */
  const endSoon = () => {
    const stop = harness.yard.onCommit(([recorded]) => {
      if (recorded?.event.type !== 'jobSubmitted') return;
      stop();
      setImmediate(() => harness.yard.end(2));
    });
  };

  const heldLease = async () => {
    await openRequest(harness.socketPath, 'POST', '/v1/leases', { body: { kind: 'train.py::train' } });
    harness.yard.start(3);
  };

  /** One call for each operation, in an order in which each can succeed. */
  const calls: readonly (readonly [operation: string, path: string, () => CallOptions])[] = [
    ['POST /v1/jobs', '/v1/jobs', submission],
    ['GET /v1/yard', '/v1/yard', none],
    ['GET /v1/jobs', '/v1/jobs?phase=pending&limit=5', none],
    ['GET /v1/history', '/v1/history?endedAfter=0', none],
    ['GET /v1/jobs/{ref}', '/v1/jobs/1', none],
    ['GET /v1/jobs/{ref}/why', '/v1/jobs/1/why', none],
    ['GET /v1/jobs/{ref}/log', '/v1/jobs/1/log?stream=stdout&offset=0', none],
    ['PATCH /v1/jobs/{ref}', '/v1/jobs/1', () => ({ body: { priority: 3, throttle: null } })],
    ['POST /v1/jobs/{ref}/hold', '/v1/jobs/1/hold', none],
    ['POST /v1/jobs/{ref}/release', '/v1/jobs/1/release', () => ({ body: {} })],
    ['POST /v1/jobs/{ref}/suspend', '/v1/jobs/1/suspend', none],
    ['POST /v1/jobs/{ref}/resume', '/v1/jobs/1/resume', none],
    ['POST /v1/jobs/{ref}/signal', '/v1/jobs/1/signal', () => ({ body: { signal: 'USR1' } })],
    ['POST /v1/jobs/{ref}/cancel', '/v1/jobs/1/cancel', none],
    ['POST /v1/jobs/{ref}/requeue', '/v1/jobs/1/requeue', () => ({ body: { hold: true } })],
    ['GET /v1/nodes', '/v1/nodes', none],
    ['POST /v1/nodes/{name}/drain', '/v1/nodes/here/drain', () => ({ body: { reason: 'a fan is loud' } })],
    ['POST /v1/nodes/{name}/resume', '/v1/nodes/here/resume', none],
    ['GET /v1/queues', '/v1/queues', none],
    ['POST /v1/queues/{name}/disable', '/v1/queues/main/disable', none],
    ['POST /v1/queues/{name}/enable', '/v1/queues/main/enable', none],
    ['POST /v1/queues/{name}/suspend', '/v1/queues/main/suspend', () => ({ body: {} })],
    ['POST /v1/queues/{name}/resume', '/v1/queues/main/resume', none],
    ['GET /v1/gpus', '/v1/gpus?node=here', none],
    ['GET /v1/footprints', '/v1/footprints?match=train', none],
    ['POST /v1/footprints/set', '/v1/footprints/set', () => ({ body: { key: KEY, memoryBytes: 2 ** 31 } })],
    ['POST /v1/footprints/forget', '/v1/footprints/forget', () => ({ body: { keys: [KEY] } })],
    ['GET /v1/config', '/v1/config', none],
    ['GET /v1/events', '/v1/events?after=0', none],
    ['POST /v1/leases', '/v1/leases', () => ({ body: { kind: 'train.py::train' } })],
    ['POST /v1/leases/{lease}/complete', '/v1/leases/3.1/complete', () => ({ body: { succeeded: true } })],
    ['GET /v1/openapi.json', '/v1/openapi.json', none],
  ];

  test('none is left out', () => {
    const documented = Object.entries(published.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(calls.map(([operation]) => operation).sort()).toEqual(documented.sort());
    expect(routes).toHaveLength(calls.length);
  });

  test.each(calls)('%s', async (operation, path, options) => {
    const [method, template] = operation.split(' ') as [string, string];
    writeFileSync(join(harness.directory, 'trainyard-%A_%a.out'), 'epoch 1\n');
    if (path.endsWith('/why')) harness.yard.run(1);
    if (path === '/v1/leases') endSoon();
    if (path.endsWith('/complete')) await heldLease();
    const answered = await harness.call(method, path, options());
    expect(answered.status, `answered ${answered.text}`).toBeLessThan(300);
    expect(answered.headers['trainyard-version']).toBe('9.9.9');
    expectDocumented(template, method, answered);
  });

  test('errors too', async () => {
    const missing = await harness.call('GET', '/v1/jobs/404');
    expect(missing.status).toBe(404);
    expectDocumented('/v1/jobs/{ref}', 'GET', missing);
  });

  test('a value that is not as documented is noticed', () => {
    const schema = schemaOf({ $ref: '#/components/schemas/Done' });
    expect(schema.safeParse({ job: 'one', changed: true }).success).toBe(false);
    expect(schema.safeParse({ job: 1, changed: true, extra: 1 }).success).toBe(false);
  });
});

function none(): CallOptions {
  return {};
}

function expectDocumented(path: string, method: string, { status, headers, json }: Answered): void {
  const responses = published.paths[path]?.[method.toLowerCase()]?.responses;
  const response = responses?.[status] ?? responses?.default;
  const type = (headers['content-type'] as string).split(';')[0] as string;
  const documented = response?.content[type];
  expect(documented, `${status} with ${type} is documented`).toBeDefined();
  if (type !== 'application/json') return;
  const result = schemaOf(documented?.schema as object).safeParse(json);
  expect(result.error?.issues ?? []).toEqual([]);
}

/** The document's own schema made checkable; its references point into one bundle. */
function schemaOf(schema: object): z.ZodType {
  const bundle = { ...schema, $defs: published.components.schemas };
  const text = JSON.stringify(bundle).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(text));
}
