/** The named schemas of the API: each becomes one component of the OpenAPI document. */

import { z } from 'zod';

export const components = z.registry<{ id: string; description?: string }>();

export function named<S extends z.ZodType>(id: string, schema: S, description?: string): S {
  components.add(schema, description === undefined ? { id } : { id, description });
  return schema;
}

/** Milliseconds since 1970, UTC. */
export const instant = z.int().describe('milliseconds since 1970, UTC');
export const duration = z.int().describe('milliseconds');
export const byteCount = z.int().min(0).describe('bytes');
export const jobId = z.int().min(0);
export const rangeSet = z
  .array(z.tuple([z.int(), z.int(), z.int()]))
  .describe('runs of whole numbers: first, last, step');
