/** Writes one batch. It is called inside a transaction and knows nothing of beginning or ending one. */

import { jobOfEvent } from '../../model/event.ts';
import { pageOf } from '../../model/footprint.ts';
import { attemptNumber, type JobId } from '../../model/ids.ts';
import type { Attempt, Job } from '../../model/job.ts';
import type { Batch } from '../store.ts';
import type { Prepare } from './driver.ts';
import { columnText, eventDoc, jobDoc } from './rows.ts';
import type { SpecTable } from './specs.ts';

export type WriteBatch = (batch: Batch) => void;

export function batchWriter(prepare: Prepare, specs: SpecTable): WriteBatch {
  const setMeta = prepare(
    'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
  );
  const readMeta = prepare('select value from meta where key = ?');
  const insertEvent = prepare('insert into events (seq, at, job, type, spec, doc) values (?, ?, ?, ?, ?, ?)');
  // Two statements, because an index is rewritten for every column that an update names, changed or not.
  const advanceJob = prepare(
    'update jobs set phase = ?, outcome = ?, ended_at = ?, attempt = ?, doc = ? where id = ? and spec = ?',
  );
  const writeJob = prepare(
    `insert or replace into jobs
       (id, spec, phase, outcome, user, queue, name, array_id, array_index, submitted_at, ended_at, attempt, doc)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const writeAttempt = prepare('insert or replace into attempts (job, n, doc) values (?, ?, ?)');
  const writeStep = prepare(
    'insert or replace into steps (job, attempt, n, ended_at, doc) values (?, ?, ?, ?, ?)',
  );
  const writeBlob = prepare(
    `insert into blobs (hash, bytes, used_at) values (?, ?, ?)
     on conflict (hash) do update set used_at = excluded.used_at`,
  );
  const writeNode = prepare(
    'insert into nodes (name, doc) values (?, ?) on conflict (name) do update set doc = excluded.doc',
  );
  const deleteNode = prepare('delete from nodes where name = ?');
  const writeUsage = prepare(
    'insert into usage (user, doc) values (?, ?) on conflict (user) do update set doc = excluded.doc',
  );

  const writeFootprint = prepare(
    'insert into footprints (page, doc) values (?, ?) on conflict (page) do update set doc = excluded.doc',
  );
  const deleteFootprint = prepare('delete from footprints where page = ?');
  const writeQueue = prepare(
    'insert into queues (name, doc) values (?, ?) on conflict (name) do update set doc = excluded.doc',
  );

  function putJob(job: Job): void {
    const spec = specs.numberOf(job.spec);
    const attempt = job.attempt?.n ?? null;
    const doc = jobDoc(job);
    const advanced = advanceJob.run(job.phase, job.outcome, job.endedAt, attempt, doc, job.id, spec);
    if (Number(advanced.changes) > 0) return;
    writeJob.run(
      job.id,
      spec,
      job.phase,
      job.outcome,
      columnText(job.spec.user),
      columnText(job.spec.queue),
      columnText(job.spec.name),
      job.element?.array ?? null,
      job.element?.index ?? null,
      job.submittedAt,
      job.endedAt,
      attempt,
      doc,
    );
  }

  function putAttempt(job: JobId, attempt: Attempt): void {
    writeAttempt.run(job, attempt.n, JSON.stringify(attempt));
  }

  return (batch) => {
    for (const { seq, event } of batch.events) {
      const spec = event.type === 'jobSubmitted' ? specs.numberOf(event.spec) : null;
      insertEvent.run(seq, event.at, jobOfEvent(event), event.type, spec, eventDoc(event));
    }
    const listed = new Set<string>();
    for (const { job, attempt } of batch.attempts) {
      listed.add(attempt.id);
      putAttempt(job, attempt);
    }
    for (const job of batch.jobs) {
      putJob(job);
      // The row of the attempt is the only place that has it: it must be there whoever forgot to list it.
      if (job.attempt !== null && !listed.has(job.attempt.id)) putAttempt(job.id, job.attempt);
    }
    for (const { job, step } of batch.steps)
      writeStep.run(job, attemptNumber(step.attempt), step.n, step.endedAt, JSON.stringify(step));
    for (const node of batch.nodes) writeNode.run(columnText(node.name), JSON.stringify(node));
    for (const name of batch.goneNodes) deleteNode.run(columnText(name));
    for (const usage of batch.usage) writeUsage.run(columnText(usage.user), JSON.stringify(usage));
    for (const page of batch.goneFootprints) deleteFootprint.run(columnText(page));
    for (const footprint of batch.footprints)
      writeFootprint.run(columnText(pageOf(footprint.key.text, footprint.device)), JSON.stringify(footprint));
    for (const queue of batch.queues) writeQueue.run(columnText(queue.name), JSON.stringify(queue));

    const newest = batch.events.at(-1);
    if (newest !== undefined) {
      setMeta.run('lastSeq', newest.seq);
      setMeta.run('lastEventAt', newest.event.at);
    }
    setMeta.run('nextJobId', batch.nextJobId);
    if (batch.blobs.length > 0) {
      const lastEventAt = (readMeta.get('lastEventAt') as { value: number } | undefined)?.value ?? 0;
      for (const blob of batch.blobs) writeBlob.run(blob.hash, blob.bytes, lastEventAt);
    }
  };
}
