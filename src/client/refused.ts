/** The sentence in an HTTP answer that is not what was hoped for. */

interface ErrorBody {
  readonly error?: { readonly message?: unknown };
}

export function sentenceOfBody(body: string): string {
  try {
    const message = (JSON.parse(body) as ErrorBody).error?.message;
    if (typeof message === 'string') return message;
  } catch {
    // Not JSON: the text itself is all there is.
  }
  return body.trim() === '' ? 'the yard refused the command' : body.trim();
}

/** From a whole answer as it came over the connection. */
export function sentenceOfRefusal(answer: string): string {
  const end = answer.indexOf('\r\n\r\n');
  if (!answer.startsWith('HTTP/') || end === -1) return 'the yard answered with something that is not HTTP';
  return sentenceOfBody(answer.slice(end + 4));
}
