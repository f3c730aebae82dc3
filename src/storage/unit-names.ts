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

/** Names that programs give to what they have not finished, or have found damaged and set aside. */
const TEMPORARY: readonly RegExp[] = [
  /^\./,
  /~$/,
  /\.(?:tmp|temp|part|partial|incomplete|draft|damaged|swp|swx|crdownload|filepart)$/i,
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
const EPOCH_WORDS = new Set('epoch epochs ep e round rounds generation gen episode episodes'.split(' '));
/** A number that is written at once after another word belongs to it: resnet50, fp32, h5. */
const CHECKPOINT_WORDS = new Set(
  'ckpt ckpts checkpoint checkpoints chkpt cp model models weights snapshot snap save state net'.split(' '),
);

/** Words whose number tells units apart that are needed together or side by side. */
const FIXED_WORDS = new Set(
  (
    'rank ranks shard shards part parts worker proc process gpu gpus device dev node host replica world tp pp dp mp ' +
    'states seed fold split layer layers expert head heads dim hidden depth ' +
    'width size bs lr wd version v ver run trial exp experiment fp bf int uint float f stage phase member agent id'
  ).split(' '),
);

const MEASURE_WORDS = new Set(
  'loss acc accuracy auc map miou iou dice bleu rouge ppl perplexity score mse mae rmse psnr ssim fid wer cer error err reward metric'.split(
    ' ',
  ),
);

type Meaning = 'step' | 'epoch' | 'plain' | 'varying' | 'fixed';

interface NumberFound {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly meaning: Meaning;
}

/** Dates and times of day, in the ways that people put into names. */
const MOMENT =
  /(?<!\d)(?:(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?:[-_. T]?(?:[01]\d|2[0-3])([-_.:h]?)[0-5]\d\2[0-5]\d(?:[.,]?\d{3,6})?)?Z?|1[4-9]\d{8}(?:\d{3})?)(?!\d)/g;

/** The n-th of so many, versions of three parts, and what each rank draws its random numbers from. */
const APART = /\d+[-_]?of[-_]?\d+|\d+(?:\.\d+){2,}|(?:rng|random)[-_]?states?[-_]?\d+/gi;

const NUMBER = /\d+(?:\.\d+)?(?:e[-+]?\d+(?![a-z0-9]))?/gi;

const SCALES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

export function readName(name: string): NameReading {
  const numbers = numbersIn(name);
  const last = (wanted: Meaning) => numbers.findLast(({ meaning }) => meaning === wanted);
  const named = last('step') ?? last('epoch');
  const far = named ?? last('plain');
  // Where a word says which number it is, one that stands alone may be the rank of a writer.
  const varying = numbers.filter(
    ({ meaning }) => meaning !== 'fixed' && !(named !== undefined && meaning === 'plain'),
  );
  return {
    step: far?.value ?? null,
    family: varying.length === 0 ? null : withNumbersAsHashes(name, varying),
    isBest: /best/i.test(name),
  };
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
  const after = /^\p{L}+/u.exec(name.slice(to))?.[0].toLowerCase() ?? '';
  const as = (meaning: Meaning, scale = 1): NumberFound => {
    const value = Number(match[0]) * scale;
    const isCount = Number.isSafeInteger(value) && (scale > 1 || /^\d+$/.test(match[0]));
    const isFar = meaning !== 'fixed' && meaning !== 'varying';
    return { from, to: scale > 1 ? to + 1 : to, value, meaning: isFar && !isCount ? 'varying' : meaning };
  };
  if (STEP_WORDS.has(after)) return as('step');
  if (EPOCH_WORDS.has(after)) return as('epoch');
  const meaning = meaningOf(word, isGlued);
  if (after === '') return as(meaning);
  return meaning === 'step' && Object.hasOwn(SCALES, after) ? as(meaning, SCALES[after]) : as('fixed');
}

function meaningOf(word: string, isGlued: boolean): Meaning {
  if (STEP_WORDS.has(word)) return 'step';
  if (EPOCH_WORDS.has(word)) return 'epoch';
  if (MEASURE_WORDS.has(word)) return 'varying';
  if (FIXED_WORDS.has(word)) return 'fixed';
  return isGlued && !CHECKPOINT_WORDS.has(word) ? 'fixed' : 'plain';
}

/** The word that a number follows, at once or after one sign: `step=100`, `step_100`, `step100`. */
function wordBefore(name: string, at: number): { word: string; isGlued: boolean } {
  const word = /(\p{L}+)([-_.=: ]?)$/u.exec(name.slice(0, at));
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
