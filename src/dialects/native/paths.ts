/** Paths as text: made absolute, shortened to a name, and output patterns filled in for one attempt. */

import type { Attempt, Job } from '../../model/job.ts';

export function absolutePath(workDir: string, path: string): string {
  const joined = path.startsWith('/') ? path : `${workDir}/${path}`;
  const kept: string[] = [];
  for (const part of joined.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') kept.pop();
    else kept.push(part);
  }
  return `/${kept.join('/')}`;
}

export function baseName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? '';
}

/** Where an earlier attempt wrote; the yard says where the latest does, and fills patterns in the same way. */
export function pathOfAttempt(pattern: string, job: Job, attempt: Attempt): string {
  const inName = (name: string) => name.replaceAll('/', '_');
  const node = attempt.placement.nodes[0]?.node ?? null;
  const values: Readonly<Record<string, string | null>> = {
    '%': '%',
    j: `${job.id}`,
    A: `${job.element?.array ?? job.id}`,
    a: job.element === null ? null : `${job.element.index}`,
    x: inName(job.spec.name),
    u: inName(job.spec.user),
    N: node === null ? null : inName(node),
    n: node === null ? null : '0',
    t: '0',
    r: `${attempt.n - 1}`,
    J: attempt.id,
  };
  const filled = pattern.replace(/%(\d{0,2})([%jAaxuNntrJ])/g, (written, width: string, letter: string) => {
    const value = values[letter] ?? null;
    return value === null ? written : value.padStart(Number(width), '0');
  });
  return absolutePath(job.spec.workDir, filled);
}
