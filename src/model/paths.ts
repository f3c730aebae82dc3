/** Paths as text. */

/** From the working directory on, with `.` and `..` resolved; nothing is looked up. */
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
