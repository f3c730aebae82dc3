/**
 * How a job wants its GPUs, in the same words everywhere: `#YARD share kind=resnet gpu-log=gpu-%j.log` in a script of any
 * system, and options of `trainyard submit`. Owns which words there are, what they mean, and what is wrong with them; how
 * many GPUs a job wants is said in the words of each system.
 */

import type { GpuRequest, JobSpec } from '../model/job-spec.ts';
import { type Around, filePattern, KeepingMistake } from './kept-directories.ts';
import { type GivenOption, lastGiven, type OptionSpec } from './options.ts';
import { listed, quoted } from './text/words.ts';

interface GpuOption extends OptionSpec {
  readonly argument: string;
  readonly help: string;
}

export const GPU_OPTIONS: readonly GpuOption[] = [
  {
    name: 'share',
    value: 'optional',
    argument: '[=auto|limited|whole]',
    help: 'takes as much of a GPU as its kind was seen to use',
  },
  {
    name: 'kind',
    value: 'required',
    argument: 'NAME',
    help: 'which jobs use GPUs as this one does; default: by its command',
  },
  {
    name: 'gpu-log',
    value: 'required',
    argument: 'PATH',
    help: 'a line about its GPUs is added there every minute',
  },
];

const NAMES: ReadonlySet<string> = new Set(GPU_OPTIONS.map(({ name }) => name));

export function isGpuWord(name: string): boolean {
  return NAMES.has(name);
}

/** What each says of a request for GPUs. */
const MANNERS: Readonly<Record<string, Pick<GpuRequest, 'sharing' | 'isLimited'>>> = {
  auto: { sharing: 'auto' },
  limited: { sharing: 'auto', isLimited: true },
  whole: { sharing: 'whole' },
};

export interface GpuWords {
  /** Null: what the queue says. */
  readonly share: GivenOption | null;
  readonly parts: Pick<JobSpec, 'kind' | 'gpuLog'>;
}

/** Throws a KeepingMistake. Options of others may be among those given. */
export function gpuWordsFrom(given: readonly GivenOption[], around: Around): GpuWords {
  const share = lastGiven(given, ['share']);
  if (share !== null) mannerOf(share);
  const kind = lastGiven(given, ['kind']);
  const log = lastGiven(given, ['gpu-log']);
  return {
    share,
    parts: {
      ...(kind === null ? {} : { kind: kindFrom(kind) }),
      ...(log === null ? {} : { gpuLog: filePattern(log.written, log.value ?? '', around) }),
    },
  };
}

/**
 * The job with all that; whoever shares and says nothing of how many GPUs wants one. Whoever says in so many words that
 * it wants none has nothing to share. Throws a KeepingMistake.
 */
export function withGpuWords(spec: JobSpec, { share, parts }: GpuWords, wantsNone: boolean): JobSpec {
  const { gpus } = spec.resources;
  const whole = { ...spec, ...parts };
  if (share === null || wantsNone) return whole;
  const manner = mannerOf(share);
  if (gpus === null && manner.sharing === 'whole') {
    throw new KeepingMistake(
      `${share.written} ${quoted(share.value ?? '')}: the job asks for no GPUs`,
      'say how many it wants',
    );
  }
  if (gpus !== null && gpus.shareMillis < WHOLE_MILLIS) {
    throw new KeepingMistake(
      `${share.written}: the job says already that it wants ${gpus.shareMillis / WHOLE_MILLIS} of a GPU`,
      'leave out one of the two',
    );
  }
  // What the request says of sharing itself (a shard does) counts less than this.
  const { sharing: _, isLimited: __, ...amount } = gpus ?? ONE_GPU;
  return { ...whole, resources: { ...spec.resources, gpus: { ...amount, ...manner } } };
}

const WHOLE_MILLIS = 1000;
const ONE_GPU: GpuRequest = { count: 1, per: 'job', kind: null, shareMillis: WHOLE_MILLIS };

function mannerOf({ written, value }: GivenOption): Pick<GpuRequest, 'sharing' | 'isLimited'> {
  const manner = Object.hasOwn(MANNERS, value ?? 'auto') ? MANNERS[value ?? 'auto'] : undefined;
  if (manner !== undefined) return manner;
  throw new KeepingMistake(
    `${written} ${quoted(value ?? '')}: ${listed(Object.keys(MANNERS), 3, 'or')} is wanted`,
    'auto: as much as its kind was seen to use; limited: the same, and frameworks are held to it; whole: not shared',
  );
}

const MOST_CHARACTERS = 200;

function kindFrom({ written, value }: GivenOption): string {
  const kind = value ?? '';
  if (kind === '') throw new KeepingMistake(`${written} needs a name`);
  if (kind.length > MOST_CHARACTERS) {
    throw new KeepingMistake(`${written}: a name of at most ${MOST_CHARACTERS} characters is wanted`);
  }
  if (/[\u0000-\u001f\u007f]/.test(kind)) {
    throw new KeepingMistake(`${written} ${quoted(kind)}: there are control characters in it`);
  }
  return kind;
}

/** What will not go as somebody may think. */
export function gpuWarnings({ gpuLog, resources }: JobSpec): readonly string[] {
  return gpuLog === undefined || resources.gpus !== null
    ? []
    : ['gpu-log: the job asks for no GPUs, so nothing is written there'];
}
