/** Bytes that a Windows editor leaves in a script, and that no shell takes for what they were meant to be. */

import { findingOf } from '../finding.ts';
import type { Rule } from '../subject.ts';

const finding = findingOf('line-ends');
const MARK = [0xef, 0xbb, 0xbf];

export const lineEnds: Rule = ({ bytes }) => {
  const found = [];
  if (MARK.every((byte, at) => bytes[at] === byte)) {
    const sentence = 'The file begins with a byte order mark, so its first line is no #! line';
    found.push(finding('error', 1, sentence, "take it away: sed -i '1s/^\\xEF\\xBB\\xBF//' SCRIPT"));
  }
  const line = firstDosLine(bytes);
  if (line !== null) {
    const sentence =
      'Lines end as in Windows (\\r\\n); sbatch refuses that, and shells take the \\r for part of a word';
    found.push(finding('error', line, sentence, "convert it: sed -i 's/\\r$//' SCRIPT"));
  }
  return found;
};

function firstDosLine(bytes: Uint8Array): number | null {
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) {
    if (at > 0 && bytes[at - 1] === 0x0d) return line;
    line += 1;
  }
  return null;
}
