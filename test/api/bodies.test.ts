/** What comes in place of an object, at every route that takes a body: refused with a sentence, and nothing is done. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../src/server/http/route.ts';
import { routes } from '../../src/server/http/routes.ts';
import { type Harness, startServer } from './harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startServer();
});
afterAll(() => harness.close());

const taking = routes.filter(({ body }) => body !== null);
const pathOf = ({ path }: Route) => path.replace(/\{\w+\}/g, '1');

describe.each(taking.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    test.each([
      ['null', 'null'],
      ['[]', 'array'],
      ['"x"', 'string'],
      ['1', 'number'],
      ['true', 'boolean'],
    ])('%s is no body', async (raw, kind) => {
      const before = harness.yard.commands.length;
      const { status, json } = await harness.call(route.method, pathOf(route), { raw });
      expect(status).toBe(422);
      expect(json.error?.message).toBe(`body: expected object, received ${kind}`);
      expect(harness.yard.commands).toHaveLength(before);
    });

    test('nothing at all is an empty object', async () => {
      const [left, empty] = [
        await harness.call(route.method, pathOf(route)),
        await harness.call(route.method, pathOf(route), { raw: '{}' }),
      ];
      expect([left.status, left.json]).toEqual([empty.status, empty.json]);
      if (left.status >= 400) expect(left.json.error?.message).toMatch(/\w/);
    });
  },
);

test('there are routes that take a body, and every one that changes something does', () => {
  expect(taking.length).toBeGreaterThan(10);
  expect(routes.filter(({ method, body }) => method !== 'GET' && body === null)).toEqual([]);
});
