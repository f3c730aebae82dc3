/**
 * The shape of the database and how older shapes become this one. Each migration runs once, in order, in a
 * transaction of its own; `user_version` says how many have run. A migration that was released never changes.
 */

import { Fault } from '../../model/refusal.ts';
import type { Database } from './driver.ts';
import { waysOut } from './place.ts';

/** "YARD": marks the file as ours, so that another program's database is not migrated by mistake. */
export const APPLICATION_ID = 0x59415244;

export const MIGRATIONS: readonly string[] = [
  // 1: jobs beside the log of events. What never or rarely changes about a job (its spec, which is most of
  // its bytes) is a row of its own, written once and shared by an array with its elements.
  `create table meta (
     key text primary key,
     value integer not null
   ) without rowid;

   create table specs (
     id integer primary key,
     script text,
     environment text not null,
     doc text not null
   );
   create index specs_script on specs (script) where script is not null;
   create index specs_environment on specs (environment);

   create table jobs (
     id integer primary key,
     spec integer not null,
     phase text not null,
     outcome text,
     user text not null,
     queue text not null,
     name text not null,
     array_id integer,
     array_index integer,
     submitted_at integer not null,
     ended_at integer,
     attempt integer,
     doc text not null
   );
   create index jobs_unended on jobs (id) where phase <> 'ended';
   create index jobs_ended on jobs (ended_at) where ended_at is not null;
   create index jobs_user on jobs (user);
   create index jobs_name on jobs (name);
   create index jobs_spec on jobs (spec);
   create index jobs_element on jobs (array_id, array_index) where array_id is not null;

   create table attempts (
     job integer not null,
     n integer not null,
     doc text not null,
     primary key (job, n)
   ) without rowid;

   create table events (
     seq integer primary key,
     at integer not null,
     job integer,
     type text not null,
     spec integer,
     doc text not null
   );
   create index events_job on events (job) where job is not null;
   create index events_jobless on events (at) where job is null;
   create index events_spec on events (spec) where spec is not null;

   create table blobs (
     hash text primary key,
     bytes blob not null,
     used_at integer not null
   );
   create index blobs_used on blobs (used_at, hash);

   create table nodes (
     name text not null unique,
     doc text not null
   );

   create table usage (
     user text not null unique,
     doc text not null
   );`,

  // 2: steps, and what jobs and attempts have been able to say since then.
  `create table steps (
     job integer not null,
     attempt integer not null,
     n integer not null,
     ended_at integer,
     doc text not null,
     primary key (job, attempt, n)
   ) without rowid;
   create index steps_live on steps (job) where ended_at is null;

   update specs set doc = json_insert(doc, '$.qos', null, '$.mail', null, '$.program.caller', null);
   update attempts set doc = json_insert(doc, '$.suspendedAt', null, '$.suspendedMs', 0, '$.suspensions', 0, '$.stepCount', 0);`,

  // 3: what was decided about queues while the yard ran.
  `create table queues (
     name text not null unique,
     doc text not null
   );`,

  // 4: the list of files that a job's code is, which stays as long as the job is remembered.
  `alter table specs add column code text;
   create index specs_code on specs (code) where code is not null;`,

  // 5: what kinds of jobs use of GPUs.
  `create table footprints (
     page text not null unique,
     doc text not null
   );`,

  // 6: which store this is. The files of its attempts are in directories that carry its id, so that those of
  // another store never count. A store that was in use before has them without: its jobs may be running.
  `create table identity (
     id text not null,
     claims text not null
   );
   insert into identity (id, claims) values (lower(hex(randomblob(8))), '');
   update identity set claims = '-' || id where not exists (select 1 from meta);`,
];

export function migrate(
  database: Database,
  directory: string,
  migrations: readonly string[] = MIGRATIONS,
): void {
  const version = pragma(database, 'user_version');
  if (version > migrations.length) {
    throw new Fault(
      `the database in ${directory} was written by a newer Trainyard (format ${version}, this one knows ${migrations.length}); use that version, or another directory`,
      false,
      { hint: waysOut(directory) },
    );
  }
  if (pragma(database, 'application_id') !== APPLICATION_ID && !isEmpty(database)) {
    throw new Fault(`${directory}/yard.db is a database of another program`, false, {
      hint: waysOut(directory),
    });
  }
  for (let next = version; next < migrations.length; next++) {
    database.exec('begin immediate');
    try {
      database.exec(migrations[next] as string);
      database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${next + 1}`);
      database.exec('commit');
    } catch (error) {
      rollback(database);
      throw error;
    }
  }
}

/** SQLite itself has already rolled back after some errors, and then complains about being asked again. */
export function rollback(database: Database): void {
  try {
    database.exec('rollback');
  } catch {
    // Nothing is left to roll back.
  }
}

function isEmpty(database: Database): boolean {
  return database.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
}

export function pragma(database: Database, name: string): number {
  const row = database.prepare(`pragma ${name}`).get() as Record<string, number>;
  return row[name] as number;
}
