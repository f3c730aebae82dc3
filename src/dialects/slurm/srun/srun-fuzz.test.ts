import { expect, it } from 'vitest';
import { placingYard, shares, withRunningJob } from '../../../../test/placing-yard.ts';
import { strangeWords } from '../../../../test/strange-calls.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import { type Random, seededRandom } from '../../../sim/random.ts';
import { type FakeYard, type Ran, runDialect } from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { salloc } from '../salloc/salloc.ts';
import { INPUT_VARIABLES } from '../submit/environment-input.ts';
import { SALLOC_OPTIONS, SRUN_OPTIONS } from '../submit/options.ts';
import { srun } from './srun.ts';

const ROUNDS = 600;
/** Both wait for ever in a yard where nothing happens. */
const NOTHING_HAPPENS = /nothing more happens/;

const SAMPLES = [
  ...['', '0', '1', '2', '3', '4', '64', '-1', '1k', '1-2', '2-', '1-99999999', 'x', 'NONE', 'ALL', 'all'],
  ...['100', '4G', '10:00', '1-2:3:4', 'UNLIMITED', 'now+1hour', '16:00pm', '0:01'],
  ...['gpu', 'gpu:1', 'gpu:v100:2', 'none', 'n1', 'n[1-2]', 'n[', 'n9', 'n[1-999999999]'],
  ...['block', 'cyclic', 'plane=2', 'plane=', 'arbitrary', 'cyclic:fcyclic,pack', '*:x'],
  ...['map_cpu:0,1', 'mask_cpu:0xf*3', 'mask_gpu:0x', 'map_gpu:9*9999', 'v,none', 'single:0', 'single:2'],
  ...['%j-%t', 'out-%2t.%N', '\\%t', '%', '/dev/null', 'a,b=c,"d', '__proto__', 'constructor'],
  ...['\u001b[31m', '\udcff', '🚂', '9'.repeat(400), '(('.repeat(500), "'", '"', 'pmi2', 'list', 'USR1@9'],
];

const word = strangeWords(SAMPLES, 0.8);

function option(random: Random, specs: typeof SRUN_OPTIONS): readonly string[] {
  const { name, short, value } = random.pick(specs);
  if (value === 'none') return [`--${name}`];
  const long = random.chance(0.1) ? name.slice(0, random.between(1, name.length)) : name;
  if (short !== undefined && random.chance(0.3)) return [`-${short}${word(random)}`];
  return random.chance(0.2) ? [`--${long}`, word(random)] : [`--${long}=${word(random)}`];
}

function environment(random: Random, names: readonly string[], isInside: boolean): string {
  const some = Array.from({ length: random.below(3) }, () => `${random.pick(names)}=${word(random)}`);
  const job = isInside ? ['SLURM_JOB_ID=5', 'SLURM_JOB_NUM_NODES=2', 'SLURM_NTASKS=4'] : [];
  return ['PATH=/usr/bin', ...job, ...some].map((entry) => `${entry.replaceAll('\0', '')}\0`).join('');
}

function someYard(random: Random): FakeYard {
  const devices = random.chance(0.5) ? [0, 1].map((index) => ({ index, millis: 1000 })) : [];
  const nodes = shares(random.between(1, 3), { ranks: 2, cpus: 2, cpuIds: [0, 1], devices });
  const yard = placingYard({ nodes, isFree: random.chance(0.9) });
  withRunningJob(yard, 5, shares(2, { ranks: 2, cpus: 2, cpuIds: [4, 5], devices }));
  yard.files.set('/home/ada/work/programs', bytesFromText('0 echo %t\n* echo %o\n'));
  return yard;
}

function attempt(seed: number): Ran {
  const random = seededRandom(seed);
  const isSrun = random.chance(0.8);
  const specs = isSrun ? SRUN_OPTIONS : SALLOC_OPTIONS;
  const options = Array.from({ length: random.below(5) }, () => option(random, specs)).flat();
  const command = random.chance(0.9) ? [random.chance(0.2) ? 'programs' : word(random) || 'true', 'x'] : [];
  const names = Object.keys(INPUT_VARIABLES[isSrun ? 'srun' : 'salloc']);
  const surroundings = { environment: bytesFromText(environment(random, names, random.chance(0.6))) };
  const program = slurmProgram(isSrun ? srun : salloc);
  const argv = [isSrun ? 'srun' : 'salloc', ...options, ...command];
  try {
    const yard = someYard(random);
    const ran = runDialect(program, yard, argv, surroundings);
    for (const { ranks } of yard.runs) {
      // Every task is there once, runs something, and knows its own number.
      expect(ranks.map(({ rank }) => rank)).toEqual(ranks.map((_, at) => at));
      for (const { argv: run, variables, rank } of ranks) {
        expect(run.length).toBeGreaterThan(0);
        if (isSrun) expect(variables.SLURM_PROCID).toBe(`${rank}`);
      }
    }
    return ran;
  } catch (error) {
    if (error instanceof Error && NOTHING_HAPPENS.test(error.message))
      return { code: 0, stdout: '', stderr: '' };
    throw new Error(`seed ${seed}: ${JSON.stringify(argv)}`, { cause: error });
  }
}

it('takes whatever it is given, and answers in sentences', () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const { stderr, code } = attempt(seed);
    expect(stderr, `seed ${seed}`).not.toMatch(/\n\s+at |TypeError|undefined|\[object|NaN/);
    expect(code, `seed ${seed}`).toBeLessThan(256);
    for (const line of stderr.split('\n').slice(0, -1)) {
      expect(line, `seed ${seed}`).toMatch(/^(?:srun|salloc): |^Try "|^Invalid time|^allocation failure: /);
    }
  }
});
