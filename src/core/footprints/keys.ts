/**
 * By which names the footprint of a job may be known, the most exact first: what its submitter calls the kind; or its
 * command with all arguments, its script, and the name that it was given. Pure text: nothing is looked up.
 */

import type { FootprintKey, FootprintLevel } from '../../model/footprint.ts';
import type { GpuRequest, JobSpec } from '../../model/job-spec.ts';
import { absolutePath } from '../../model/paths.ts';

const known = new WeakMap<JobSpec, readonly FootprintKey[]>();

export function footprintKeys(spec: JobSpec): readonly FootprintKey[] {
  let keys = known.get(spec);
  if (keys === undefined) {
    keys = keysOf(spec);
    known.set(spec, keys);
  }
  return keys;
}

/** Those by which two jobs are of one kind, so that one waits for what the other shows: a name alone says too little. */
export function kindKeys(spec: JobSpec): readonly FootprintKey[] {
  return footprintKeys(spec).filter(({ level }) => level !== 'name');
}

function keysOf(spec: JobSpec): readonly FootprintKey[] {
  const { kind, user, name, program, resources } = spec;
  const size = sizeText(resources.gpus);
  /** What it is called by those who see it differs with how it was spelled; what it is does not. */
  const key = (level: FootprintLevel, label: string, words: string, ...parts: unknown[]): FootprintKey => {
    const text = `${level}:${shortened(`${words}${size}`)}#${digest(JSON.stringify([...parts, size]))}`;
    return { level, label: shortened(`${label}${size}`), text };
  };
  if (kind !== undefined) return [key('kind', kind, kind, user, kind)];
  const keys: FootprintKey[] = [];
  if (program.script !== null) {
    const words = program.argv.join(' ');
    keys.push(key('command', `${name} ${words}`, words, program.script, program.argv));
    keys.push(key('script', name, '', program.script));
    keys.push(key('name', name, name, user, name));
    return keys;
  }
  const { argv, scriptAt } = withWholePath(program.argv, spec.workDir);
  keys.push(key('command', program.argv.join(' '), argv.join(' '), argv));
  if (scriptAt !== null) {
    const upTo = argv.slice(0, scriptAt + 1);
    keys.push(key('script', program.argv[scriptAt] as string, argv[scriptAt] as string, upTo));
  }
  // A command that nobody gave a name is called like its program, which says nothing.
  if (name !== baseName(program.argv[0] ?? '')) keys.push(key('name', name, name, user, name));
  return keys;
}

/** Per device, the parts of a job that is spread over several use something else than it would alone. */
function sizeText(gpus: GpuRequest | null): string {
  if (gpus === null || (gpus.count === 1 && gpus.per !== 'rank')) return '';
  return ` on ${gpus.count} GPUs${gpus.per === 'job' ? '' : ` per ${gpus.per}`}`;
}

const INTERPRETERS =
  /^(?:python(?:\d[\d.]*)?|pypy\d?|bash|sh|dash|zsh|ksh|perl|ruby|node|Rscript|julia|torchrun|accelerate|deepspeed)$/;

/** Which word is the script that an interpreter runs, with its whole path, so that two of one name are told apart. */
function withWholePath(
  argv: readonly string[],
  workDir: string,
): { readonly argv: readonly string[]; readonly scriptAt: number | null } {
  const [program = ''] = argv;
  if (!INTERPRETERS.test(baseName(program))) {
    const isPath = program.includes('/');
    if (!isPath) return { argv, scriptAt: null };
    return { argv: [absolutePath(workDir, program), ...argv.slice(1)], scriptAt: 0 };
  }
  const module = argv.findIndex((word, at) => at > 0 && (word === '-m' || word === '-c'));
  const first = argv.findIndex((word, at) => at > 0 && !word.startsWith('-'));
  if (module > 0 && (first < 0 || module < first)) {
    // `python -m package.train`: the module is the script; `-c` has none.
    if (argv[module] === '-c' || argv[module + 1] === undefined) return { argv, scriptAt: null };
    return { argv, scriptAt: module + 1 };
  }
  if (first < 0) return { argv, scriptAt: null };
  const whole = argv.map((word, at) => (at === first ? absolutePath(workDir, word) : word));
  return { argv: whole, scriptAt: first };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const LONGEST_LABEL = 100;

/** One line of a bearable length, whatever is in it. */
function shortened(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
  return plain.length <= LONGEST_LABEL ? plain : `${plain.slice(0, LONGEST_LABEL - 1)}…`;
}

/** 64 bits that tell texts apart, as 16 hexadecimal digits: two FNV sums with different beginnings. */
function digest(text: string): string {
  return `${fnv(text, 0x811c9dc5)}${fnv(text, 0x9747b28c)}`;
}

function fnv(text: string, start: number): string {
  let hash = start;
  for (let at = 0; at < text.length; at++) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
    hash ^= hash >>> 15;
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
