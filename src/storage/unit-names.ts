/**
 * What the name of a checkpoint says: how far its training was, which others it is one of a row with, whether it is
 * meant to last. Names are all there is to go by, so a number counts as how far something is only when nothing speaks
 * against it: a number taken for a step by mistake would make retention remove a shard or another model.
 */

export interface NameReading {
  readonly step: number | null;
  readonly family: string | null;
  readonly isBest: boolean;
}

/** Names that programs give to what they have not finished. */
const TEMPORARY: readonly RegExp[] = [
  /^\./,
  /~$/,
  /\.(?:tmp|temp|part|partial|incomplete|draft|swp|swx|crdownload|filepart)$/i,
  /^tmp[-_.]/i,
  /^tmp[a-z0-9_]{8}$/,
  /^(?:.*[-_.])?(?:tmp|temp)$/is,
  /[-_.]tmp[-_.][a-z0-9]+$/i,
  /\.orbax-checkpoint-tmp-/,
  // TensorFlow writes its parts there before it gives them their names.
  /_temp_[0-9a-f]+$/,
  /\.tempstate\d*$/,
];

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.some((pattern) => pattern.test(name));
}

/** Inside a checkpoint some names begin with a dot and belong to it: `.metadata`, `.zarray`. */
export function isTemporaryInside(name: string): boolean {
  return isTemporaryName(name.replace(/^\.+(?=[^.])/, ''));
}

/** Words that say that the number beside them is how far it is; the finer one wins. */
const STEP_WORDS = new Set(
  'step steps globalstep iter iters iteration iterations it update updates batches samples tokens'.split(' '),
);
const EPOCH_WORDS = new Set('epoch epochs ep round rounds generation gen episode episodes'.split(' '));
const CHECKPOINT_WORDS = new Set(
  'ckpt ckpts checkpoint checkpoints chkpt chkpoint cp model models weights weight snapshot snap save saved state dict net'.split(
    ' ',
  ),
);

/** Words whose number tells units apart that are needed together or side by side. */
const FIXED_WORDS = new Set(
  (
    'rank ranks shard shards part parts worker proc process gpu gpus device dev node host replica world tp pp dp mp ' +
    'states rng optimizer optim scheduler scaler seed fold split layer layers expert head heads dim hidden depth ' +
    'width size bs lr wd version v ver run trial exp experiment fp bf int uint float f stage phase member agent id'
  ).split(' '),
);

const MEASURE_WORDS = new Set(
  'loss acc accuracy auc map miou iou dice bleu rouge ppl perplexity score mse mae rmse psnr ssim fid wer cer error err reward metric'.split(
    ' ',
  ),
);

type Meaning = 'step' | 'epoch' | 'checkpoint' | 'plain' | 'varying' | 'fixed';

interface NumberFound {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly meaning: Meaning;
}

/** Dates and times of day, in the ways that people put into names. */
const MOMENT =
  /(?<!\d)(?:(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?:[-_. T]?(?:[01]\d|2[0-3])([-_.:h]?)[0-5]\d\2[0-5]\d(?:[.,]?\d{3,6})?)?Z?|1[4-9]\d{8}(?:\d{3})?)(?!\d)/g;

/** The n-th of so many, and versions of three parts. */
const APART = /\d+[-_]?of[-_]?\d+|\d+(?:\.\d+){2,}/gi;

const NUMBER = /\d+(?:\.\d+)?(?:e[-+]?\d+(?![a-z0-9]))?/gi;

const SCALES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

export function readName(name: string): NameReading {
  const numbers = numbersIn(name);
  const best = (...wanted: Meaning[]) => numbers.findLast(({ meaning }) => wanted.includes(meaning));
  const far = best('step') ?? best('epoch') ?? best('checkpoint') ?? best('plain');
  // Where a word says which number it is, one that stands alone may be the rank of a writer.
  const isNamed = far !== undefined && far.meaning !== 'plain';
  const varying = numbers.filter(
    ({ meaning }) =>
      meaning !== 'fixed' && !(isNamed && (meaning === 'plain' || isWeaker(meaning, far.meaning))),
  );
  return {
    step: far?.value ?? null,
    family: varying.length === 0 ? null : withNumbersAsHashes(name, varying),
    isBest: /best/i.test(name),
  };
}

/** `model-3-epoch-7`: beside an epoch, the number of a model is its name. */
function isWeaker(meaning: Meaning, than: Meaning): boolean {
  return meaning === 'checkpoint' && than !== 'checkpoint';
}

function numbersIn(name: string): NumberFound[] {
  const found: NumberFound[] = [];
  const taken = (at: number) => found.some(({ from, to }) => at >= from && at < to);
  for (const match of name.matchAll(APART)) found.push(numberAt(match, 'fixed'));
  for (const match of name.matchAll(MOMENT))
    if (!taken(match.index) && !isOfStepWord(name, match.index)) found.push(numberAt(match, 'varying'));
  for (const match of name.matchAll(NUMBER)) if (!taken(match.index)) found.push(meant(name, match));
  return found.sort((one, other) => one.from - other.from);
}

function numberAt(match: RegExpExecArray, meaning: Meaning): NumberFound {
  return { from: match.index, to: match.index + match[0].length, value: Number.NaN, meaning };
}

function meant(name: string, match: RegExpExecArray): NumberFound {
  const from = match.index;
  const to = from + match[0].length;
  const { word, isGlued } = wordBefore(name, from);
  const after = /^[a-z]+/i.exec(name.slice(to))?.[0].toLowerCase() ?? '';
  const value = Number(match[0]);
  const as = (meaning: Meaning, scale = 1) => ({ from, to, value: value * scale, meaning });
  if (STEP_WORDS.has(after) || EPOCH_WORDS.has(after)) return as(STEP_WORDS.has(after) ? 'step' : 'epoch');
  const meaning = meaningOf(word, isGlued);
  if (after !== '') {
    const scale = SCALES[after];
    return scale !== undefined && (meaning === 'step' || meaning === 'epoch')
      ? { ...as(meaning, scale), to: to + 1 }
      : as('fixed');
  }
  if (meaning === 'fixed' || meaning === 'varying') return as(meaning);
  if (!Number.isInteger(value) || /[.e]/i.test(match[0])) return as('varying');
  return Number.isSafeInteger(value) ? as(meaning) : as('varying');
}

function meaningOf(word: string, isGlued: boolean): Meaning {
  if (STEP_WORDS.has(word)) return 'step';
  if (EPOCH_WORDS.has(word)) return 'epoch';
  if (CHECKPOINT_WORDS.has(word)) return 'checkpoint';
  if (MEASURE_WORDS.has(word)) return 'varying';
  if (isGlued || FIXED_WORDS.has(word)) return 'fixed';
  return 'plain';
}

/** The word that a number follows, at once or after one sign: `step=100`, `step_100`, `step100`. */
function wordBefore(name: string, at: number): { word: string; isGlued: boolean } {
  const word = /([a-z]+)([-_.=: ]?)$/i.exec(name.slice(0, at));
  if (word === null) return { word: '', isGlued: false };
  return { word: (word[1] as string).toLowerCase(), isGlued: word[2] === '' };
}

function isOfStepWord(name: string, at: number): boolean {
  return ['step', 'epoch'].includes(meaningOf(wordBefore(name, at).word, false));
}

function withNumbersAsHashes(name: string, numbers: readonly NumberFound[]): string {
  let family = '';
  let at = 0;
  for (const { from, to } of numbers) {
    family += `${name.slice(at, from)}#`;
    at = to;
  }
  return family + name.slice(at);
}
