/**
 * Bytes from outside (arguments, environments, file names) as strings and back without loss: bytes that are
 * not UTF-8 become lone surrogates U+DC80…U+DCFF, the custom that Python calls surrogateescape. And text from
 * outside, made safe for a terminal, for a line of a file, and for JSON.
 */

export function textFromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeEscaping(bytes);
  }
}

export function bytesFromText(text: string): Uint8Array {
  return /[\uDC80-\uDCFF]/.test(text) ? encodeEscaped(text) : encoder.encode(text);
}

/** Safe to print on a terminal, within one line: what would act on it, and undecodable bytes, are shown, not sent. */
export function printable(text: string): string {
  return isPrintable(text) ? text : text.replace(EVERY_UNPRINTABLE, written);
}

/** Whether `printable` would leave it as it is. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

/** What acts on a terminal or ends a line is replaced; bytes that are not UTF-8 stay. */
export function withoutControls(text: string, instead: string): string {
  return text.replace(EVERY_CONTROL, instead);
}

/** JSON in one line that is safe to print as it is: what JSON lets pass unescaped, but acts on a terminal, is escaped. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(EVERY_CONTROL, escaped);
}

/** Text of several lines, with the colours that the yard gives it: whatever else would act on a terminal is shown. */
export function printableLines(text: string): string {
  return UNPRINTABLE_IN_LINES.test(text)
    ? text.replace(COLOUR_OR_UNPRINTABLE, (found) => (found.length > 1 ? found : written(found)))
    : text;
}

/**
 * Control characters (the upper ones, U+0080…U+009F, are commands to some terminals), what ends a line in the eyes of
 * some programs, and what turns the direction of the text after it.
 */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069';
const EVERY_CONTROL = new RegExp(`[${CONTROLS}]`, 'g');
const UNPRINTABLE = new RegExp(`[${CONTROLS}\\ud800-\\udfff]`, 'u');
/** A line may have tabs and ends; bytes that are not UTF-8 are its own matter. */
const IN_LINES = CONTROLS.replace('\\u0000-\\u001f', '\\u0000-\\u0008\\u000b-\\u001f');
const UNPRINTABLE_IN_LINES = new RegExp(`[${IN_LINES}]`);
const COLOUR_OR_UNPRINTABLE = new RegExp(`\\u001b\\[[\\d;]{0,16}m|[${IN_LINES}]`, 'g');
const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const ESCAPED_BASE = 0xdc00;
/** Arguments of one call. */
const MOST_AT_ONCE = 8192;

function isEscapedByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

function written(char: string): string {
  if (char === '\n') return '\\n';
  if (char === '\t') return '\\t';
  const code = char.charCodeAt(0);
  const byte = isEscapedByte(code) ? code - ESCAPED_BASE : code;
  return byte > 0xff ? escaped(char) : `\\x${byte.toString(16).padStart(2, '0')}`;
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** By hand, since a script may be long and a decoder has no way to say which byte it could not read. */
function decodeEscaping(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    const code = length === 0 ? ESCAPED_BASE + (bytes[at] as number) : codePointAt(bytes, at, length);
    if (code > 0xffff) {
      units[count++] = 0xd800 + ((code - 0x10000) >> 10);
      units[count++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    } else units[count++] = code;
    at += Math.max(1, length);
  }
  const pieces: string[] = [];
  for (let at = 0; at < count; at += MOST_AT_ONCE) {
    const some = units.subarray(at, Math.min(count, at + MOST_AT_ONCE));
    // A spread would go through an iterator, unit by unit.
    pieces.push(Reflect.apply(String.fromCharCode, null, some));
  }
  return pieces.join('');
}

function codePointAt(bytes: Uint8Array, at: number, length: number): number {
  const lead = bytes[at] as number;
  if (length === 1) return lead;
  let code = lead & (0x7f >> length);
  for (let next = at + 1; next < at + length; next++) code = (code << 6) | ((bytes[next] as number) & 0x3f);
  return code;
}

/** An escaped byte that stands after the first half of a pair is the second half of a character. */
function encodeEscaped(text: string): Uint8Array {
  // Three bytes are the most that one unit of UTF-16 becomes.
  const out = new Uint8Array(text.length * 3);
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number;
    at += code > 0xffff ? 2 : 1;
    if (isEscapedByte(code)) out[length++] = code - ESCAPED_BASE;
    else if (code < 0x80) out[length++] = code;
    else length += encoder.encodeInto(String.fromCodePoint(code), out.subarray(length)).written;
  }
  return out.slice(0, length);
}

/** How many bytes the character at this place has; 0 when it is none, or there is nothing. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0xff;
  if (lead < 0x80) return 1;
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  // Of some leads only some second bytes are no overlong form, no surrogate and no more than U+10FFFF.
  const [least, most] = SECOND_BYTES[lead] ?? [0x80, 0xbf];
  const second = bytes[at + 1] as number;
  if (second < least || second > most) return 0;
  for (let next = at + 2; next < at + length; next++) if (((bytes[next] as number) & 0xc0) !== 0x80) return 0;
  return length;
}

const SECOND_BYTES: Readonly<Record<number, readonly [least: number, most: number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};
