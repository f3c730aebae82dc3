/** Each schema says all that the model's type can say: a new event, state or field must come here too. */

import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { JobChanges } from '../../../model/command.ts';
import type { RecordedEvent } from '../../../model/event.ts';
import type {
  ConfigView,
  FootprintView,
  GpusView,
  JobDetail,
  JobView,
  NodeView,
  QueueView,
  YardView,
} from '../../../model/query.ts';
import type { Explanation } from '../../../model/reason.ts';
import type { RefusalCode } from '../../../model/refusal.ts';
import { type ErrorCode, failure } from './answer.ts';
import type { recordedEvent } from './event.ts';
import type { footprintList } from './footprint.ts';
import type { gpusView } from './gpu.ts';
import type { jobView } from './job.ts';
import type { jobDetail } from './job-detail.ts';
import type { explanation } from './reason.ts';
import { jobChanges } from './request.ts';
import type { configView, nodeList, queueList, yardView } from './yard.ts';

/** Schemas do not say readonly. */
type Writable<T> = { -readonly [K in keyof T]: Writable<T[K]> };

test('types agree', () => {
  expectTypeOf<Writable<JobView>>().toExtend<z.output<typeof jobView>>();
  expectTypeOf<Writable<JobDetail>>().toExtend<z.output<typeof jobDetail>>();
  expectTypeOf<Writable<Explanation>>().toExtend<z.output<typeof explanation>>();
  expectTypeOf<Writable<RecordedEvent>>().toExtend<z.output<typeof recordedEvent>>();
  expectTypeOf<Writable<YardView>>().toExtend<z.output<typeof yardView>>();
  expectTypeOf<Writable<NodeView>>().toExtend<z.output<typeof nodeList>['nodes'][number]>();
  expectTypeOf<Writable<QueueView>>().toExtend<z.output<typeof queueList>['queues'][number]>();
  expectTypeOf<Writable<GpusView>>().toExtend<z.output<typeof gpusView>>();
  expectTypeOf<Writable<FootprintView>>().toExtend<z.output<typeof footprintList>['footprints'][number]>();
  expectTypeOf<Writable<ConfigView>>().toExtend<z.output<typeof configView>>();
  expectTypeOf<keyof JobChanges>().toEqualTypeOf<keyof z.output<typeof jobChanges>>();
  expectTypeOf<RefusalCode>().toExtend<ErrorCode>();
});

test('schemas are strict', () => {
  expect(jobChanges.safeParse({ priority: 1 }).success).toBe(true);
  expect(jobChanges.safeParse({ priority: 1, user: 'root' }).success).toBe(false);
  const error = { code: 'fault', message: 'm', hint: null, choices: [] };
  expect(failure.safeParse({ error }).success).toBe(true);
  expect(failure.safeParse({ error: { ...error, stack: 'at' } }).success).toBe(false);
});
