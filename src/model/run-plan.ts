/**
 * What a yard hands to a caller that runs something itself: what the dialect wants run, and what the yard adds so
 * that it is recorded and recognised. The caller is a perl script without modules (libexec/run-here.pl), so a plan
 * travels as strings: a word, its value, a word, its value, each ended by a NUL. Words before the first `rank` are
 * about all ranks; those after it about that one.
 */

import { bytesFromText } from './bytes.ts';
import { Fault } from './refusal.ts';
import type { HereInput, HereManner, HereOutput, HereRank, RunHere } from './run-here.ts';

export interface RunPlan {
  readonly run: RunHere;
  /** The file that says whose the job is and how it ended; null when the caller does not hold the job. */
  readonly jobRecord: string | null;
  /** The same for the step; null when there is none. */
  readonly stepRecord: string | null;
  /** What the yard tells each rank, in the order of the ranks. What the dialect wants set goes above it. */
  readonly variables: readonly ReadonlyMap<string, string>[];
  /** Files by which to join a control group, for each node number that has some. */
  readonly cgroupFiles: ReadonlyMap<number, readonly string[]>;
  /** A directory for the end of each rank's PATH; null: none. */
  readonly commands: string | null;
  /** A directory for the end of each rank's PYTHONPATH, whether or not it has one; null: none. */
  readonly python: string | null;
}

type Words = readonly (readonly [string, string])[];

export function encodePlan(plan: RunPlan): Uint8Array {
  const settings = plan.run.ranks.map((rank, at) => settingsOf(rank, plan.variables[at]));
  const common = commonTo(settings);
  const words: Words = [
    ...headOf(plan),
    ...mannerWords(plan.run.manner),
    ...[...common].map(([name, value]) => ['set', `${name}=${value}`] as const),
    ...plan.run.ranks.flatMap((rank, at) => [
      ...rankWords(rank, plan.cgroupFiles.get(rank.nodeNumber) ?? []),
      ...optional('stdin', inputOfRank(plan.run.input, at)),
      ...[...(settings[at] as Settings)]
        .filter(([name]) => !common.has(name))
        .map(([name, value]) => ['set', `${name}=${value}`] as const),
    ]),
  ];
  const strings = words.flat();
  if (strings.some((text) => text.includes('\0')))
    throw new Fault('an argument or a variable holds a NUL', false);
  return bytesFromText(`${strings.join('\0')}\0`);
}

type Settings = ReadonlyMap<string, string>;

function settingsOf(rank: HereRank, fromYard: ReadonlyMap<string, string> | undefined): Settings {
  return new Map([...(fromYard ?? []), ...Object.entries(rank.variables)]);
}

/** What all ranks are told, said once: thousands of ranks have much in common. */
function commonTo(settings: readonly Settings[]): Settings {
  const [first, ...others] = settings;
  const common = [...(first ?? [])].filter(([name, value]) =>
    others.every((other) => other.get(name) === value),
  );
  return new Map(common);
}

function headOf({ run, jobRecord, stepRecord, commands, python }: RunPlan): Words {
  return [
    ['attempt', run.attempt],
    ...optional('step', run.step),
    ...optional('jobRecord', jobRecord),
    ...optional('stepRecord', stepRecord),
    ...optional('pathEnd', commands),
    ...optional('pythonEnd', python),
    ...flag('alone', run.environment === 'job'),
    ['input', inputWord(run.input)],
  ];
}

function mannerWords(manner: HereManner): Words {
  return [
    ['name', manner.name],
    ['stepName', manner.stepName],
    ...flag('label', manner.label),
    ...flag('unbuffered', manner.unbuffered),
    ...flag('terminal', manner.terminal),
    ...flag('killOnBadExit', manner.killOnBadExit),
    ...flag('quiet', manner.quiet),
    ...flag('plain', manner.plain === true),
    ...flag('quitOnInterrupt', manner.quitOnInterrupt),
    ...optional('waitMs', manner.waitMs),
    ...optional('limitMs', manner.limitMs),
    ['graceMs', `${manner.graceMs}`],
    ...optional('pidVariable', manner.pidVariable),
    ...optional('farewell', manner.farewell),
  ];
}

function rankWords(rank: HereRank, cgroupFiles: readonly string[]): Words {
  return [
    ['rank', `${rank.rank}`],
    ['node', rank.node],
    ['directory', rank.workDir],
    ...rank.argv.map((word) => ['argument', word] as const),
    ...(rank.cpuIds.length === 0 ? [] : [['cpus', rank.cpuIds.join(',')] as const]),
    ['stdout', outputWord(rank.stdout)],
    ...optional('stderr', rank.stderr === null ? null : outputWord(rank.stderr)),
    ...cgroupFiles.map((file) => ['cgroup', file] as const),
    ...rank.unset.map((name) => ['unset', name] as const),
  ];
}

function inputOfRank(input: HereInput, at: number): string | null {
  return input.kind === 'files' ? (input.paths[at] ?? null) : null;
}

function outputWord(output: HereOutput): string {
  if (output.kind !== 'file') return output.kind;
  return `${output.append ? 'append' : 'truncate'} ${output.path}`;
}

function inputWord(input: HereInput): string {
  switch (input.kind) {
    case 'all':
    case 'none':
    case 'files':
      return input.kind;
    case 'rank':
      return `rank ${input.rank}`;
    case 'file':
      return `file ${input.path}`;
  }
}

function optional(word: string, value: string | number | null): Words {
  return value === null ? [] : [[word, `${value}`]];
}

function flag(word: string, isSet: boolean): Words {
  return isSet ? [[word, '1']] : [];
}
