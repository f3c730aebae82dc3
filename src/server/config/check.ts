/** Holds a file against the schema and puts what does not fit into sentences. */

import { z } from 'zod';
import { nearest } from '../../model/nearest.ts';
import type { ConfigFile, Path } from './file.ts';
import { keyText, type Mistake, mistakeAt, refuseFile, valueText } from './mistakes.ts';
import { configSchema, type Settings } from './schema.ts';

/** The settings of a file that has the right form. Throws a RefusalError that tells all mistakes of form. */
export function checkForm(file: ConfigFile): Settings {
  const result = configSchema.safeParse(file.root);
  if (result.success) return result.data;
  const mistakes = result.error.issues.flatMap((issue) => mistakesOf(file, issue));
  throw refuseFile(file.label, file.path, mistakes);
}

function mistakesOf(file: ConfigFile, issue: z.core.$ZodIssue): Mistake[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey(file, issue.path as Path, key));
  }
  const path = writtenPart(file, issue.path as Path);
  const value = file.valueAt(path);
  const what = `${keyText(path)} is ${valueText(value)}`;
  if (issue.code === 'invalid_value') {
    const choices = issue.values.map(String);
    const meant = typeof value === 'string' ? (nearest(value, choices)[0] ?? null) : null;
    const suggestion = meant === null ? null : `did you mean ${JSON.stringify(meant)}?`;
    return [mistakeAt(file, path, `${what}; choose one of ${choices.join(', ')}`, suggestion, choices)];
  }
  const advice = issue.code === 'invalid_type' ? wanted(issue.expected, path) : issue.message;
  return [mistakeAt(file, path, `${what}; ${advice}`)];
}

/** A short form ("4x16G") stands for a table, so the path can lead to a key that is not in the file. */
function writtenPart(file: ConfigFile, path: Path): Path {
  return file.valueAt(path) === undefined && path.length > 1 ? writtenPart(file, path.slice(0, -1)) : path;
}

function wanted(expected: string, path: Path): string {
  if (expected === 'array') return 'write a list: [ … ]';
  if (path[0] === 'queues') return 'write a table for each queue: [queues.NAME]';
  return `write a table: [${keyText(path)}]`;
}

function unknownKey(file: ConfigFile, path: Path, key: string): Mistake {
  const known = keysUnder(schemaAt(path));
  const full = keyText([...path, key]);
  const meant = nearest(key, known)[0] ?? null;
  const suggestion = meant === null ? elsewhere(key) : `did you mean ${keyText([...path, meant])}?`;
  const place = path.length === 0 ? 'the file has the tables' : `${keyText(path)} has`;
  return mistakeAt(
    file,
    [...path, key],
    `${full} is not a setting; ${place} ${known.join(', ')}`,
    suggestion,
    known,
  );
}

/** A setting that was written outside its table. */
function elsewhere(key: string): string | null {
  for (const table of keysUnder(configSchema)) {
    if (keysUnder(schemaAt([table])).includes(key)) return `did you mean ${table}.${key}?`;
  }
  return null;
}

function schemaAt(path: Path): z.core.$ZodType {
  let schema: z.core.$ZodType = configSchema;
  for (const part of path) {
    const inside = bare(schema);
    if (inside instanceof z.ZodObject) schema = inside.shape[part as string] as z.core.$ZodType;
    else if (inside instanceof z.ZodRecord) schema = inside.valueType;
  }
  return bare(schema);
}

function keysUnder(schema: z.core.$ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Without "may be left out" and "is made ready first" around it. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return bare(schema.unwrap());
  if (schema instanceof z.ZodPipe) return bare(schema.out);
  return schema;
}
