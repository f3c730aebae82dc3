/** Holds what a client sent against a schema; a mistake names its path, and the choices where there are some. */

import { z } from 'zod';
import { failed, HttpError } from './reply.ts';

const MOST_PROBLEMS = 8;

/** `what` is where the value came from: "body", "query", "path". */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  status: number,
  what: string,
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const sentences = issues.slice(0, MOST_PROBLEMS).map((issue) => sentenceOf(issue, what));
  const more = issues.length - sentences.length;
  if (more > 0) sentences.push(`and ${more} more`);
  const choices = issues.map((issue) => choicesOf(issue, schema)).find((found) => found.length > 0) ?? [];
  throw new HttpError(failed(status, 'badRequest', sentences.join('; '), null, choices));
}

type Issue = z.core.$ZodIssue;

function sentenceOf(issue: Issue, what: string): string {
  const at = issue.path.length === 0 ? what : pathText(issue.path);
  return `${at}: ${problemOf(issue)}`;
}

function problemOf(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, MOST_PROBLEMS).map((key) => JSON.stringify(key));
    return `${keys.join(', ')} ${issue.keys.length === 1 ? 'is' : 'are'} not known here`;
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const ways = issue.errors.map((way) => way[0]?.message.replace(/^Invalid input: /, '') ?? '');
    return ways.join(', or ');
  }
  return issue.message.replace(/^Invalid input: /, '');
}

/** `resources.gpus.count`, `command[0]`. */
function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += `${text === '' ? '' : '.'}${String(part)}`;
  }
  return text;
}

function choicesOf(issue: Issue, schema: z.ZodType): readonly string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0 && schema instanceof z.ZodObject) {
    return Object.keys(schema.shape);
  }
  return [];
}
