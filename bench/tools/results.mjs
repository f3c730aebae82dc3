/** bench/results.md: one section for each table, each with its own date, so that one can be measured again alone. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../results.md', import.meta.url));

export function writeSection(title, body) {
  const sections = new Map(readSections());
  sections.set(title, body);
  const text = [...sections].map(([name, content]) => `\n## ${name}\n\n${content.trim()}\n`).join('');
  writeFileSync(file, `# What was measured\n${text}`);
  return file;
}

function readSections() {
  const parts = readFileSync(file, 'utf8').split(/^## /m).slice(1);
  return parts.map((part) => {
    const end = part.indexOf('\n');
    return [part.slice(0, end), part.slice(end + 1)];
  });
}
