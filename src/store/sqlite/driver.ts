/**
 * Which SQLite is spoken to: the one inside Node where there is one, otherwise the package with the same
 * interface. It owns the few types the other files need, and knows nothing of what is kept.
 */

export type SqlValue = string | number | null | Uint8Array;

export interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): IterableIterator<unknown>;
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type OpenDatabase = (path: string) => Database;

interface DriverModule {
  readonly DatabaseSync: new (path: string) => Database;
}

let loaded: Promise<OpenDatabase> | null = null;

export function loadDriver(): Promise<OpenDatabase> {
  loaded ??= importDriver().then(
    ({ DatabaseSync }) =>
      (path) =>
        new DatabaseSync(path),
  );
  return loaded;
}

async function importDriver(): Promise<DriverModule> {
  // A name in a variable, because the type definitions of Node 20 do not know this module.
  const builtIn: string = 'node:sqlite';
  try {
    return (await import(builtIn)) as DriverModule;
  } catch {
    return (await import('@photostructure/sqlite')) as unknown as DriverModule;
  }
}

/** Gives the prepared statement of a text, prepared the first time it is asked for. */
export type Prepare = (sql: string) => Statement;

export function statementCache(database: Database): Prepare {
  const statements = new Map<string, Statement>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
}
