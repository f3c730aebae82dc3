/** Words of a line, split as a POSIX shell would: quotes, backslashes and a comment at the end; nothing is filled in. */

/** Null when a quote is not closed. */
export function shellWords(text: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (char === '\\' && quote === '"' && /["\\$`]/.test(text.charAt(at + 1)))
        word += text.charAt(++at);
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && at + 1 < text.length) {
      word = (word ?? '') + text.charAt(++at);
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (char === '#' && word === null) {
      break;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}
