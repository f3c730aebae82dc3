/** The end of a job's output, read from its file. */

import { open } from 'node:fs/promises';

const LINE_BYTES = 4096;
const PAGE_BYTES = 64 * 1024;

export async function lastLine(path: string): Promise<string> {
  const lines = linesOf(await endOf(path, LINE_BYTES));
  return lines.findLast((line) => line.trim() !== '') ?? '';
}

export async function lastLines(path: string): Promise<string[]> {
  return linesOf(await endOf(path, PAGE_BYTES));
}

/** A progress bar goes back to the start of its line again and again: what it shows last is the line. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r+$/, '').split('\r').at(-1) as string);
  if (lines.at(-1) === '') lines.pop();
  return lines.map(withoutColours);
}

function withoutColours(line: string): string {
  return line.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\t', '    ');
}

async function endOf(path: string, bytes: number): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - bytes);
      const buffer = Buffer.alloc(Math.min(bytes, size));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    // There is nothing to show before the job has written something.
    return '';
  }
}
