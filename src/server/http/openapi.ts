/** The OpenAPI 3.1 document, made from the table of routes and the named schemas. */

import { z } from 'zod';
import type { Answer, Route } from './route.ts';
import { failure } from './shapes/answer.ts';
import { components } from './shapes/component.ts';

type Json = Record<string, unknown>;

/** What is sent in, and without the bounds of JavaScript's own numbers, which tell nobody anything. */
const MAKING = {
  io: 'input',
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    paths[route.path] = operations;
    operations[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trainyard',
      version: '1',
      description:
        "JSON over HTTP on the yard's unix socket. Times are milliseconds since 1970 in UTC; text that is not UTF-8 carries its bytes as U+DC80 to U+DCFF.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: { schemas: componentSchemas() },
  };
}

function operationOf(route: Route): Json {
  const parameters = [
    ...parametersOf(route.params, 'path'),
    ...parametersOf(route.query, 'query'),
    ...Object.entries(route.headers).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ];
  return {
    operationId: route.name,
    summary: route.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body === null ? {} : { requestBody: requestBodyOf(route.body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, responseOf(answer)]),
      ),
      default: {
        description: 'What went wrong: one sentence, a hint, the valid choices.',
        content: { 'application/json': { schema: refTo(failure) } },
      },
    },
  };
}

function parametersOf(schema: z.ZodObject, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, MAKING);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as Json;
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

/** A body that may be empty may be left out. */
function requestBodyOf(schema: z.ZodType): Json {
  const required = !schema.safeParse({}).success;
  return { required, content: { 'application/json': { schema: refTo(schema) } } };
}

function responseOf({ description, schema, streams = {} }: Answer): Json {
  const content: Json = {};
  if (schema !== undefined) content['application/json'] = { schema: refTo(schema) };
  for (const [type, words] of Object.entries(streams)) {
    content[type] = { schema: { type: 'string', description: words } };
  }
  return { description, content };
}

function refTo(schema: z.ZodType): Json {
  const known = components.get(schema);
  if (known === undefined) throw new Error('every schema of a route must be named');
  return { $ref: uriOf(known.id) };
}

function componentSchemas(): Json {
  const { schemas } = z.toJSONSchema(components, { ...MAKING, uri: uriOf });
  const out: Json = {};
  for (const id of Object.keys(schemas).sort()) {
    const { $schema: _, $id: __, ...rest } = schemas[id] as Json;
    out[id] = rest;
  }
  return out;
}

function uriOf(id: string): string {
  return `#/components/schemas/${id}`;
}
