/**
 * Bytes from outside (arguments, environments, file names) as strings and back without loss: bytes that are
 * not UTF-8 become lone surrogates U+DC80…U+DCFF, the custom that Python calls surrogateescape.
 */

export function textFromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeEscaping(bytes);
  }
}

export function bytesFromText(text: string): Uint8Array {
  if (!/[\uDC80-\uDCFF]/.test(text)) return encoder.encode(text);
  const out: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (code >= 0xdc80 && code <= 0xdcff) out.push(code - 0xdc00);
    else out.push(...encoder.encode(char));
  }
  return Uint8Array.from(out);
}

/** Safe to print on a terminal: control characters and undecodable bytes are shown, not sent. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/gu, (char) => {
    if (char === '\n') return '\\n';
    if (char === '\t') return '\\t';
    const code = char.codePointAt(0) as number;
    const byte = code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : code;
    return `\\x${byte.toString(16).padStart(2, '0')}`;
  });
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

function decodeEscaping(bytes: Uint8Array): string {
  let out = '';
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at] as number);
    const piece = bytes.subarray(at, at + length);
    let decoded: string | null = null;
    if (length > 0 && piece.length === length) {
      try {
        decoded = strict.decode(piece);
      } catch {
        decoded = null;
      }
    }
    if (decoded === null) {
      out += String.fromCharCode(0xdc00 + (bytes[at] as number));
      at += 1;
    } else {
      out += decoded;
      at += length;
    }
  }
  return out;
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}
