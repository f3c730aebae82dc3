/** Writes checkpoints and puts them on a shelf until it is killed; says the number of each one that is safe. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { scanDirectory } from '../../src/storage/scan.ts';
import { openShelf } from '../../src/storage/shelf.ts';

const [from = '', to = '', first = '1'] = process.argv.slice(2);
const BLOCK = 4 << 20;

const shelf = await openShelf({
  directory: to,
  owner: { yardId: 'yard', job: 1 },
  keepCount: 2,
  keepForMs: null,
  now: Date.now,
});
const content = Buffer.alloc(BLOCK * 2 + 100);

for (let n = Number(first); ; n++) {
  content.writeUInt32LE(n, (n % 3) * BLOCK);
  writeFileSync(`${from}/last.pt`, content);
  mkdirSync(`${from}/state`, { recursive: true });
  writeFileSync(`${from}/state/same`, 'same');
  writeFileSync(`${from}/state/step`, `${n}`);
  writeFileSync(`${from}/step_${n}.pt`, `${n}`);
  for (const unit of await scanDirectory(from)) if (shelf.isWanted(unit)) await shelf.put(unit, from, '1.1');
  process.stdout.write(`${n}\n`);
}
