/**
 * Ann keeps her checkpoints in a project directory that Bo can write to as well. Whatever Bo puts there, nothing of hers
 * outside that directory is read, written or removed, she resumes from nothing of his, and she is told.
 */

import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { flip } from './flip.ts';
import {
  canBecomeOthers,
  directoryForAll,
  type Ended,
  installationForAll,
  makeUser,
  removeUsers,
  runAs,
  type User,
} from './users.ts';

let ann: User;
let bo: User;
/** Everybody may write to it, as to many a project directory; it is not sticky. */
let shared: string;
let persist: string;
let precious: string;

beforeEach(() => {
  ann = makeUser('ann');
  bo = makeUser('bo');
  shared = directoryForAll('trainyard-project-');
  chmodSync(shared, 0o777);
  persist = join(shared, 'results');
  precious = join(ann.home, 'precious');
  mkdirSync(join(precious, 'drafts'), { recursive: true });
  for (const name of ['thesis', 'drafts/chapter']) writeFileSync(join(precious, name), name);
  for (const name of ['', 'thesis', 'drafts', 'drafts/chapter'])
    chownSync(join(precious, name), ann.uid, ann.uid);
});
afterEach(async () => {
  await yard('down');
});
afterAll(removeUsers);

function yard(...words: string[]): Promise<Ended> {
  return runAs(ann, [`${installationForAll()}/bin/trainyard`, ...words]);
}

/** One run that writes checkpoints as everybody in the project may read and change them. */
function train(more = ''): Promise<Ended> {
  const script = join(ann.home, 'train.sh');
  writeFileSync(
    script,
    `#!/bin/sh
#YARD checkpoints=$SCRATCH/out persist=${persist} name=net
umask 000
echo "resumes from \${TRAINYARD_RESUME_FROM:-nothing}"
[ -z "$TRAINYARD_RESUME_FROM" ] || cat "$TRAINYARD_RESUME_FROM"
mkdir -p "$TRAINYARD_CHECKPOINTS"
echo step $TRAINYARD_JOB > "$TRAINYARD_CHECKPOINTS/step-$(date +%s).txt.pt"
${more}
`,
  );
  chmodSync(script, 0o755);
  return runAs(ann, [
    '/bin/sh',
    '-c',
    `umask 000; exec ${installationForAll()}/bin/trainyard submit --wait ${script}`,
  ]);
}

async function outputOf(job: number): Promise<string> {
  return (await yard('logs', `${job}`)).stdout;
}

function expectUntouched(): void {
  expect(readdirSync(precious).toSorted()).toEqual(['drafts', 'thesis']);
  expect(readdirSync(join(precious, 'drafts'))).toEqual(['chapter']);
  expect(readFileSync(join(precious, 'thesis'), 'utf8')).toBe('thesis');
}

const asBo = (command: string) => runAs(bo, ['/bin/sh', '-ec', command], { cwd: shared });

/** A record of Bo's in place of Ann's. */
async function forge(
  change: (manifest: { kept: Record<string, unknown>[]; settling: unknown }) => void,
): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(persist, '.trainyard/manifest.json'), 'utf8'));
  change(manifest);
  await asBo('mv results/.trainyard results/hers; mkdir -p results/.trainyard/drafts');
  writeFileSync(join(persist, '.trainyard/manifest.json'), JSON.stringify(manifest));
  chownSync(join(persist, '.trainyard/manifest.json'), bo.uid, bo.uid);
}

describe.runIf(canBecomeOthers)('in a directory that Bo shares', () => {
  beforeEach(async () => {
    const { code, stderr } = await train();
    // The directory is Ann's, and open to all as she wished.
    if (code !== 0 || stderr !== '' || !existsSync(join(persist, '.trainyard/manifest.json')))
      throw new Error(`the first run kept nothing: ${stderr}`);
  });

  test('a record of his makes her remove nothing, and she is told why it is not used', async () => {
    await forge(({ kept }) => {
      for (const entry of kept) entry.id = `${'../'.repeat(20)}${precious.slice(1)}`;
    });
    const restored = await yard('checkpoints', 'restore', '1', '--to', join(ann.home, 'back'));
    expect(restored.code).not.toBe(0);
    expect(restored.stderr + restored.stdout).toContain('.trainyard in');
    expect(restored.stderr + restored.stdout).toContain(`it belongs to another user (${bo.uid})`);
    expectUntouched();
  });

  test('a change that he announced in it is not carried out', async () => {
    await forge((manifest) => {
      manifest.settling = {
        what: 'setAside',
        id: 'a-0',
        name: 'x',
        tops: [`${'../'.repeat(20)}${precious.slice(1)}/thesis`],
        to: '.trainyard/damaged/thesis',
        promoted: [],
      };
    });
    await asBo('cp results/.trainyard/manifest.json results/.trainyard/manifest.next.json');
    const listed = await yard('checkpoints', '1');
    expect(listed.stderr + listed.stdout).toContain('cannot be trusted');
    expectUntouched();
  });

  test('a link of his in place of the record leads nobody into her home', async () => {
    await asBo(`mv results/.trainyard results/hers; ln -s ${precious} results/.trainyard`);
    const listed = await yard('checkpoints', '1');
    expect(listed.stderr + listed.stdout).toContain('cannot be trusted');
    expectUntouched();
  });

  test('a link of his in place of the directory leads nobody into her home', async () => {
    await asBo(`mv results elsewhere; ln -s ${precious} results`);
    const listed = await yard('checkpoints', '1');
    expect(listed.stderr + listed.stdout).toContain('a symbolic link that another user may have put there');
    expectUntouched();
  });

  test('a run is held with the sentence, and goes on when the record is hers again', async () => {
    await forge(() => {});
    const held = train();
    await expect
      .poll(async () => (await yard('why', '2')).stdout, { timeout: 30_000 })
      .toContain('cannot be trusted');
    expect((await yard('show', '2')).stdout).toContain('cannot be trusted');
    await asBo('mv results/.trainyard results/his');
    renameSync(join(persist, 'hers'), join(persist, '.trainyard'));
    expect((await yard('release', '2')).code).toBe(0);
    expect((await held).code).toBe(0);
    expect(await outputOf(2)).toContain('step');
  });

  test('she resumes from nothing that he has changed or made', async () => {
    const [mine = ''] = readdirSync(persist).filter((name) => name.endsWith('.pt'));
    await asBo(`echo evil > results/${mine}`);
    await train();
    expect(await outputOf(2)).toContain('resumes from nothing');
    expect(await outputOf(2)).not.toContain('evil');
    // Without a record nobody could tell; what is not hers is passed over then.
    await asBo('rm -rf results/*.pt; mv results/.trainyard results/hers; echo evil > results/step-9.pt');
    await train();
    expect(await outputOf(3)).toContain('resumes from nothing');
    expect(await outputOf(3)).toContain('belongs to another user');
    expect(await outputOf(3)).not.toContain('evil\n');
  });

  test('a project directory in which all is as it should be is no obstacle', async () => {
    await asBo('echo note > results/note-of-bo');
    const again = await train();
    expect(again.code).toBe(0);
    expect(await outputOf(2)).toContain('step');
    expect(readFileSync(join(persist, 'note-of-bo'), 'utf8')).toBe('note\n');
  });

  test('links that flip while she trains lead no copy elsewhere', async () => {
    const link = join(shared, 'link');
    symlinkSync(precious, link);
    lchownSync(link, bo.uid, bo.uid);
    const running = train(
      'for i in $(seq 60); do echo $i > "$TRAINYARD_CHECKPOINTS/x.tmp"; mv "$TRAINYARD_CHECKPOINTS/x.tmp" "$TRAINYARD_CHECKPOINTS/save-$i.txt"; sleep 0.1; done',
    );
    await expect.poll(() => outputOf(2), { timeout: 30_000 }).toContain('resumes from');
    const flipping = await flip(persist, link, bo.uid, installationForAll());
    try {
      await running;
    } finally {
      await flipping.stop();
    }
    expectUntouched();
  });
});

describe.runIf(canBecomeOthers)('where she writes her checkpoints', () => {
  test('what Bo puts there is not kept, and she is told', async () => {
    const local = join(shared, 'local');
    mkdirSync(local);
    chmodSync(local, 0o777);
    writeFileSync(join(local, 'step-99.pt'), 'evil');
    chownSync(join(local, 'step-99.pt'), bo.uid, bo.uid);
    const script = join(ann.home, 'train.sh');
    writeFileSync(
      script,
      `#!/bin/sh\n#YARD checkpoints=${local} persist=${ann.home}/kept\necho 1 > ${local}/step-1.pt\n`,
    );
    chmodSync(script, 0o755);
    await yard('submit', '--wait', script);
    const kept = readdirSync(join(ann.home, 'kept'));
    expect(kept).toContain('step-1.pt');
    expect(kept).not.toContain('step-99.pt');
    expect((await yard('show', '1')).stdout).toContain(`step-99.pt: it belongs to another user (${bo.uid})`);
  });
});
