/** How many columns of a terminal a text takes, and how to cut or pad it to a number of them. */

const PLAIN = /^[\x20-\x7e]*$/;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u;
const WIDE = new RegExp(
  [
    '^[',
    '\\u1100-\\u115f\\u231a\\u231b\\u2329\\u232a',
    '\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97c\\uac00-\\ud7a3',
    '\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6',
    '\\u{1b000}-\\u{1b2ff}\\u{1f200}-\\u{1f2ff}\\u{20000}-\\u{3fffd}',
    '\\p{Emoji_Presentation}]',
  ].join(''),
  'u',
);
const EMOJI_STYLE = '\ufe0f';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += clusterWidth(segment);
  return width;
}

/** At most so many columns, ending in `…` when something was left out. */
export function cutTo(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return columns < 1 ? '' : `${cropTo(text, columns - 1)}…`;
}

/** At most so many columns; nothing says that something was left out. */
export function cropTo(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns));
  let kept = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += clusterWidth(segment);
    if (width > columns) break;
    kept += segment;
  }
  return kept;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text;
}

/** A base character with its marks is one place on the screen, as wide as its base. */
function clusterWidth(cluster: string): number {
  if (ZERO_WIDTH.test(cluster)) return 0;
  return WIDE.test(cluster) || cluster.includes(EMOJI_STYLE) ? 2 : 1;
}
