import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../model/bytes.ts';
import { NOTHING_KEPT } from '../model/keeping.ts';
import { aSpec } from './fake-yard.ts';
import { foreignYardLines } from './foreign-yard-lines.ts';
import { type KeepingAsked, type KeepingContext, keepingFrom, requeueChanges } from './keeping-words.ts';
import { KeepingMistake } from './kept-directories.ts';

const HERE: KeepingContext = { workDir: '/home/ada/work', home: '/home/ada', isArray: false, requeue: null };

/** What `#YARD` lines of a script for another system ask for. */
function asked(lines: string, context: Partial<KeepingContext> = {}): KeepingAsked {
  const script = `#!/bin/bash\n#SBATCH --time=1:00:00\n${lines
    .split('\n')
    .map((line) => `#YARD ${line}\n`)
    .join('')}python train.py\n`;
  return keepingFrom(foreignYardLines(bytesFromText(script)).given, { ...HERE, ...context });
}

/** `sentence | hint`. */
function mistake(lines: string, context: Partial<KeepingContext> = {}): string {
  try {
    asked(lines, context);
  } catch (error) {
    if (error instanceof KeepingMistake) return `${error.message} | ${error.hint ?? ''}`;
    throw error;
  }
  throw new Error(`nobody complained of ${lines}`);
}

describe('what is asked for', () => {
  it('in one line, in several, with dashes, with quotes', () => {
    const whole = {
      keeping: {
        ...NOTHING_KEPT,
        checkpoints: '/home/ada/work/out',
        persist: '/data/my runs/%x',
        keepCount: 3,
        keepForMs: 7 * 86_400_000,
      },
      chain: true,
    };
    const ways = [
      'checkpoints=out persist="/data/my runs/%x" keep=3 keep-for=7d chain',
      'checkpoints=out\npersist="/data/my runs/%x" # where they last\nkeep=3 keep-for=7d\nchain',
      "--checkpoints out --persist '/data/my runs/%x' --keep=3 --keep-for 7d --chain",
      'checkpoints=elsewhere keep=9\ncheckpoints=out keep=3 keep-for=1w chain persist=/data/my\\ runs/%x',
    ];
    for (const way of ways) {
      expect(asked(way)).toEqual({ parts: whole, wantsSnapshot: false, warnings: [] });
    }
  });

  it('nothing, when nothing is said', () => {
    expect(asked('')).toEqual({ parts: {}, wantsSnapshot: false, warnings: [] });
    expect(asked('chain').parts).toEqual({ chain: true });
  });

  it('scratch, with and without a size, and by its use', () => {
    expect(asked('scratch').parts.keeping).toEqual({ ...NOTHING_KEPT, scratch: { maxBytes: null } });
    expect(asked('scratch=50G').parts.keeping?.scratch).toEqual({ maxBytes: 50 * 1024 ** 3 });
    expect(asked('checkpoints=$SCRATCH/out persist=p').parts.keeping).toMatchObject({
      checkpoints: '$SCRATCH/out',
      scratch: { maxBytes: null },
    });
    expect(asked(`logs=\${SCRATCH}:p scratch=1G`).parts.keeping).toMatchObject({
      logs: [{ from: '$SCRATCH', to: '/home/ada/work/p' }],
      scratch: { maxBytes: 1024 ** 3 },
    });
  });

  it('logs, as often as there are some', () => {
    expect(asked('logs=tb:/data/tb logs=wandb:~/wandb').parts.keeping?.logs).toEqual([
      { from: '/home/ada/work/tb', to: '/data/tb' },
      { from: '/home/ada/work/wandb', to: '/home/ada/wandb' },
    ]);
  });

  it('a snapshot, which is yet to be taken', () => {
    expect(asked('snapshot')).toMatchObject({ parts: { keeping: NOTHING_KEPT }, wantsSnapshot: true });
  });
});

describe('directories', () => {
  const checkpoints = (text: string, context: Partial<KeepingContext> = {}) =>
    asked(`checkpoints=${text}`, context).parts.keeping?.checkpoints;

  it('become absolute', () => {
    expect(checkpoints('./a/../b/')).toBe('/home/ada/work/b');
    expect(checkpoints('~/runs/%x')).toBe('/home/ada/runs/%x');
    expect(checkpoints('$HOME/runs')).toBe('/home/ada/runs');
    expect(checkpoints(`\${HOME}/runs`)).toBe('/home/ada/runs');
    expect(checkpoints('a,b=c')).toBe('/home/ada/work/a,b=c');
    expect(checkpoints('cost$5')).toBe('/home/ada/work/cost$5');
  });

  it('lead nowhere else: not out of scratch, and not by a percent sign in where the job runs', () => {
    expect(asked('checkpoints=$SCRATCH/../../etc persist=p').parts.keeping?.checkpoints).toBe('$SCRATCH/etc');
    expect(checkpoints('out', { workDir: '/data/100%j' })).toBe('/data/100%%j/out');
    expect(checkpoints('~/out', { home: '/data/%x' })).toBe('/data/%%x/out');
  });

  it.each([
    ['checkpoints=$SLURM_JOB_ID/out', '$SLURM_JOB_ID stays as it is | write %j for it'],
    [`checkpoints=\${JOB_NAME}/out`, `\${JOB_NAME} stays as it is | write %x for it`],
    ['checkpoints=out/$SGE_TASK_ID', '$SGE_TASK_ID stays as it is | write %a for it'],
    ['checkpoints=$TMPDIR/out', '$TMPDIR stays as it is | write $SCRATCH for it'],
    ['checkpoints=/data/$SCRATCH', '$SCRATCH stays as it is | %x is the job'],
    ['checkpoints=$SCRATCHY/x', "$SCRATCHY stays as it is | %x is the job's name, %j its number"],
    ['checkpoints=$(date)', '$( stays as it is'],
    ['checkpoints=out-%N', '%N is not known'],
    ['checkpoints=%x/%q', "%q stands for nothing | %x is the job's name"],
    ['checkpoints=at-100%', '% stands for nothing | %x'],
    ['checkpoints=~bob/x', 'only your own home may be written with ~ | write the path out'],
    ['checkpoints=c persist=$WORK/r', '~ or $HOME may stand at the beginning'],
    ['checkpoints=out,persist=/p', 'persist is a word of its own | put a space before it'],
    ['checkpoints=out,chain', 'chain is a word of its own'],
    ['checkpoints=', 'checkpoints needs a directory'],
    ['logs=a:', 'logs needs a directory'],
    ['logs=a', 'two directories are wanted'],
    ['logs=a:b:c', 'two directories are wanted'],
  ])('%s is a mistake', (line, said) => expect(mistake(line)).toContain(said));

  it('need a home where one is meant', () => {
    expect(mistake('checkpoints=~/x', { home: null })).toContain('there is no HOME here');
  });
});

describe('what does not go together', () => {
  it.each([
    ['persist=/p', 'persist says what becomes of checkpoints', 'add checkpoints=DIR'],
    ['keep=3', 'keep says what becomes of checkpoints', 'add checkpoints=DIR'],
    ['checkpoints=$SCRATCH/c', 'removed when a run ends', 'persist=DIR'],
    ['checkpoints=c persist=$SCRATCH/p', 'removed when a run ends', ''],
    ['checkpoints=c persist=./c/', 'are the same directory', 'leave out persist'],
    ['checkpoints=c persist=c/p', 'persist "/home/ada/work/c/p" is inside checkpoints', 'neither'],
    ['checkpoints=p/c persist=p', 'checkpoints "/home/ada/work/p/c" is inside persist', 'neither'],
    ['checkpoints=c persist=p/%r', '%r differs from run to run', '%j'],
    ['checkpoints=c/%J', '%J differs from run to run', '%j'],
    ['checkpoints=c logs=c/tb:/tb', 'counts as checkpoints', 'of their own'],
    ['logs=a:a/b', 'are not apart', 'neither'],
    ['logs=a:$SCRATCH/b', 'removed when a run ends', ''],
    ['checkpoints=.', 'there is more in there than checkpoints', 'of their own'],
    ['checkpoints=~ persist=/p', 'there is more in there', 'of their own'],
    ['checkpoints=/ persist=$SCRATCH/x', 'removed when a run ends', ''],
    ['checkpoints=/home', 'there is more in there', ''],
    ['checkpoints=c keep=0', 'at least 1 is wanted', 'always stay'],
    ['checkpoints=c keep=some', 'at least 1 is wanted', ''],
    ['checkpoints=c keep-for=7', 'a time with its unit', ''],
    ['checkpoints=c keep-for=soon', 'a time with its unit', ''],
    ['scratch=50', 'a size with its unit', ''],
    ['scratch=much', 'a size with its unit', ''],
  ])('%s', (line, sentence, hint) => {
    const [said, advice] = mistake(line).split(' | ');
    expect(said).toContain(sentence);
    expect(advice).toContain(hint);
  });

  it('but what only looks alike does', () => {
    expect(asked('checkpoints=runs persist=runs2').parts.keeping?.persist).toBe('/home/ada/work/runs2');
    expect(asked('checkpoints=c/%r persist=p').parts.keeping?.checkpoints).toBe('/home/ada/work/c/%r');
    expect(asked('checkpoints=c/100%%r').parts.keeping?.checkpoints).toBe('/home/ada/work/c/100%%r');
  });
});

describe('chain', () => {
  it('is also meant by a job that may be started again and has checkpoints', () => {
    expect(asked('checkpoints=c', { requeue: 'yes' }).parts.chain).toBe(true);
    expect(asked('checkpoints=c').parts.chain).toBeUndefined();
    expect(asked('scratch', { requeue: 'yes' }).parts.chain).toBeUndefined();
    expect(asked('checkpoints=c', { requeue: 'no' }).parts.chain).toBeUndefined();
  });

  it('cannot be had without being started again', () => {
    expect(mistake('chain', { requeue: 'no' })).toContain('it says that it may not be');
  });
});

describe('a job that is told otherwise later', () => {
  const kept = aSpec({ keeping: { ...NOTHING_KEPT, checkpoints: '/c' } });

  it('goes on after its limit, or no longer does', () => {
    expect(requeueChanges(kept, true)).toEqual({ requeue: true, chain: true });
    expect(requeueChanges({ ...kept, chain: true }, true)).toEqual({ requeue: true });
    expect(requeueChanges({ ...kept, chain: true }, false)).toEqual({ requeue: false, chain: false });
    expect(requeueChanges(aSpec({ chain: true }), true)).toEqual({ requeue: true });
    expect(requeueChanges(aSpec(), true)).toEqual({ requeue: true });
    expect(requeueChanges(aSpec(), false)).toEqual({ requeue: false });
  });
});

describe('arrays', () => {
  const warnings = (line: string) => asked(line, { isArray: true }).warnings;

  it('are told when their elements share a place', () => {
    expect(warnings('checkpoints=c persist=p/%x')).toEqual([
      'all elements keep their checkpoints in "/home/ada/work/p/%x", so they run one at a time; with %a in it each has its own',
    ]);
    expect(warnings('checkpoints=c/%%a')).toHaveLength(1);
  });

  it.each(['persist=p/%a', 'persist=p/%A_%a', 'persist=p/%j', 'persist=p/%03a', ''])(
    'but not with %s',
    (to) => expect(warnings(`checkpoints=c%a ${to}`)).toEqual([]),
  );
});

describe('#YARD lines in a script for another system', () => {
  const read = (text: string) => foreignYardLines(bytesFromText(text));

  it('are read up to the first command', () => {
    const { given, warnings } = read('#!/bin/sh\n# a\n\n#YARD chain\necho\n#YARD snapshot\n');
    expect(given.map(({ name }) => name)).toEqual(['chain']);
    expect(warnings).toEqual(['line 6: a #YARD line after the first command has no effect']);
  });

  it('say only what is kept; what else `trainyard submit` would read is named', () => {
    const { given, warnings } = read('#YARD cpus=4 chain\n#YARD --time 2h --cpus 8 --checkpoints out\n');
    expect(given.map(({ name, value }) => [name, value])).toEqual([
      ['chain', null],
      ['checkpoints', 'out'],
    ]);
    expect(warnings).toEqual([
      '#YARD cpus and time: only `trainyard submit` reads that, so it has no effect here',
    ]);
  });

  it.each([
    ['checkpionts=out', 'line 3: there is no word "checkpionts" | did you mean checkpoints?'],
    ['nonsense', 'there is no word "nonsense" | there are checkpoints, persist, keep'],
    ['checkpoints persist=p', 'checkpoints needs a value | as in checkpoints=…'],
    ['chain=yes', 'chain takes no value'],
    ['keep-for="7d', 'a quote is not closed'],
    ['--checkpoints out stray', '"stray" says nothing'],
  ])('%s is refused', (line, said) => expect(mistake(line)).toContain(said));
});
