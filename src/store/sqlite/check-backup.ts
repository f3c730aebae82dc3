/** Whether a database can be used as a backup: it is read through. */

import { type Database, loadDriver } from './driver.ts';
import { APPLICATION_ID, MIGRATIONS, pragma } from './migrations.ts';

/** Why a database cannot be used as a backup; null when every page of it can be read and it is one of ours. */
export async function whyNotGood(path: string): Promise<string | null> {
  const open = await loadDriver();
  let database: Database | null = null;
  try {
    database = open(path);
    const [row] = database.prepare('pragma quick_check(1)').all() as { quick_check: string }[];
    if (row?.quick_check !== 'ok') return row?.quick_check ?? 'it cannot be checked';
    if (pragma(database, 'application_id') !== APPLICATION_ID) return 'it is no database of a yard';
    if (pragma(database, 'user_version') > MIGRATIONS.length) return 'it was written by a newer Trainyard';
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    database?.close();
  }
}
