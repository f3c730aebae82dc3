/** All routes, in the order in which the document shows them. */

import { gpuRoutes } from './gpu-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { leaseRoutes } from './lease-routes.ts';
import { openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';
import { yardRoutes } from './yard-routes.ts';

export const routes: readonly Route[] = [
  ...yardRoutes(() => document()),
  ...gpuRoutes,
  ...leaseRoutes,
  ...jobRoutes,
];

let made: Record<string, unknown> | null = null;

export function document(): Record<string, unknown> {
  made ??= openApiDocument(routes);
  return made;
}
