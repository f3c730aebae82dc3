import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseExitRecord } from '../../src/agent/exit-record.ts';
import { shimCommand } from '../../src/agent/launch.ts';
import { packageRoot } from '../../src/platform/install.ts';

const SHELLS = [['dash'], ['bash', '--posix'], ['busybox', 'sh']];
const shimPath = join(packageRoot(), 'libexec', 'shim.sh');

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-shim-'));
  writeFileSync(join(directory, 'rank'), '');
});
afterEach(() => rmSync(directory, { recursive: true }));

describe.each(SHELLS)('the shim under %s', (...shell: string[]) => {
  const missing = spawnSync(shell[0]!, [...shell.slice(1), '-c', ':']).status !== 0;
  const at = (name: string) => join(directory, name);

  function runShim(
    rest: readonly string[],
    outputs = [at('out'), at('err')],
    workDir = directory,
    commands: readonly Uint8Array[] = [],
  ) {
    const fixed = [at('rank'), 'boot', '0027', workDir, '/dev/null', ...outputs, 'truncate'];
    return spawnSync(shell[0]!, [...shell.slice(1), '-s', shimPath, ...fixed, ...rest], {
      env: { PATH: '/usr/bin:/bin', OLDPWD: '/usr', KEPT: 'a  b' },
      input: Buffer.concat([Buffer.from('. "$1"\n'), ...commands]),
    });
  }
  const record = () => parseExitRecord(readFileSync(at('rank'), 'latin1'));

  test.skipIf(missing)('runs the job as asked and writes down its end', () => {
    const job = 'umask; ulimit -n; ulimit -c; echo "$KEPT $OLDPWD"; exit 9';
    runShim(['own', 'c', '0', 'ulimit', 'n', '99', 'run', 'sh', '-c', job]);
    expect(readFileSync(at('out'), 'utf8')).toMatch(/^0?027\n99\n0\na {2}b \/usr\n$/);
    expect(record()).toMatchObject({ status: 9, fault: null });
    expect(readFileSync(at('rank'), 'utf8')).toMatch(/^\d+ boot\n.*status 9\nend\n$/s);
  });

  test.skipIf(missing)('starts a path as it starts a name', () => {
    runShim(['run', '/bin/sh', '-c', 'umask; pwd; echo "$KEPT $OLDPWD"; exit 9']);
    expect(readFileSync(at('out'), 'utf8')).toMatch(new RegExp(`^0?027\n${directory}\na {2}b /usr\n$`));
    expect(record()).toMatchObject({ status: 9, fault: null });
    writeFileSync(at('rank'), '');
    runShim(['run', '/no/such/program']);
    expect(record()).toMatchObject({ status: 127, refused: 'no such file: /no/such/program' });
    expect(readFileSync(at('err'), 'utf8')).toBe('trainyard: /no/such/program: no such file\n');
  });

  test.skipIf(missing)('is not confused by names that shells know', () => {
    runShim(['run', 'exit', '3']);
    expect(record()?.status).not.toBe(3);
    writeFileSync(at('rank'), '');
    runShim(['run', 'printf', '%s', 'external']);
    expect(readFileSync(at('out'), 'utf8')).toBe('external');
  });

  test.skipIf(missing)('knows a death by signal', () => {
    runShim(['run', 'sh', '-c', 'kill -11 $$']);
    expect(record()?.status).toBe(139);
  });

  test.skipIf(missing)('runs one attempt after another, each as if it were the first', () => {
    const next = (name: string, ...rest: string[]) => {
      writeFileSync(at(name), '');
      const streams = ['/dev/null', at(`${name}.out`), at(`${name}.out`)];
      return shimCommand([at(name), 'boot 1 2 3', '0077', '/', ...streams, 'append', ...rest])!;
    };
    const print = ['run', '/bin/sh', '-c', 'umask; pwd; echo "$KEPT,$MINE,$OLDPWD"; exit "$CODE"'];
    runShim(['set', 'MINE', 'x', 'set', 'CODE', '1', ...print], undefined, undefined, [
      next('second', 'set', 'KEPT', "it's\na b", 'set', 'CODE', '2', 'unset', 'MINE', ...print),
      next('third', 'run', 'sh', '-c', 'printf %s "$1"', 'sh', "two\n'lines' \udcff\udc81\\"),
      next('fourth', 'set', 'CODE', '4', ...print),
    ]);
    expect(readFileSync(at('out'), 'latin1')).toMatch(/^0?027\n.*\na {2}b,x,\/usr\n$/);
    expect(readFileSync(at('second.out'), 'latin1')).toMatch(/^0?077\n\/\nit's\na b,,\/usr\n$/);
    expect(readFileSync(at('third.out'), 'latin1')).toBe("two\n'lines' \xff\x81\\");
    expect(readFileSync(at('fourth.out'), 'latin1')).toMatch(/\nit's\na b,,\/usr\n$/);
    const records = ['rank', 'second', 'third', 'fourth'].map((name) => readFileSync(at(name), 'latin1'));
    expect(records.map((text) => parseExitRecord(text)?.status)).toEqual([1, 2, 0, 4]);
    expect(records.map((text) => text.split('\n')[0]!.replace(/^\d+/, ''))).toEqual(
      [' boot'].concat(Array(3).fill(' boot 1 2 3')),
    );
  });

  test.skipIf(missing)('runs nothing of a command that was cut off', () => {
    const whole = shimCommand(
      [at('second'), 'boot', '0022', directory, '/dev/null', at('out'), at('out')].concat(
        'append',
        'run',
        'touch',
        at('ran'),
      ),
    )!;
    writeFileSync(at('second'), '');
    for (const length of [5, 40, whole.length - 30, whole.length - 2]) {
      writeFileSync(at('rank'), '');
      runShim(['run', 'true'], undefined, undefined, [whole.subarray(0, length)]);
    }
    expect([record()?.status, readFileSync(at('second'), 'utf8'), existsSync(at('ran'))]).toEqual([
      0,
      '',
      false,
    ]);
  });

  test.skipIf(missing)('does nothing when the rank is claimed', () => {
    writeFileSync(at('rank'), 'revoked\n');
    runShim(['run', 'touch', at('ran')]);
    expect(() => readFileSync(at('ran'))).toThrow();
    expect(readFileSync(at('rank'), 'utf8')).toMatch(/^revoked\n\d+ boot\n$/);
  });

  test.skipIf(missing)('does nothing when the attempt is forgotten', () => {
    rmSync(at('rank'));
    runShim(['run', 'touch', at('ran')]);
    expect([existsSync(at('rank')), existsSync(at('ran'))]).toEqual([false, false]);
  });

  test.skipIf(missing)('sets a limit as far as it can', () => {
    const hard = spawnSync('/bin/sh', ['-c', 'ulimit -H -n'], { encoding: 'utf8' }).stdout;
    for (const whose of ['own', 'ulimit']) {
      writeFileSync(at('rank'), '');
      runShim([whose, 'n', '99999999999', 'run', 'sh', '-c', 'ulimit -S -n']);
      expect(record()).toMatchObject({ fault: null, status: 0 });
      expect(readFileSync(at('out'), 'utf8')).toBe(hard);
    }
  });

  test.skipIf(missing)('names what it could not set up', () => {
    const faults = [
      () => runShim(['run', 'true'], [at('no/out'), at('err')]),
      () => runShim(['run', 'true'], [at('out'), at('no/err')]),
      () => runShim(['run', 'true'], [at('no/out'), at('no/out')]),
      () => runShim(['run', 'true'], undefined, at('no')),
      () => runShim(['cgroup', at('no/cgroup.procs'), 'run', 'true']),
    ].map((attempt) => {
      writeFileSync(at('rank'), '');
      attempt();
      return record()?.fault;
    });
    expect(faults).toEqual(['stdout', 'stderr', 'stdout', 'directory', 'cgroup']);
  });

  test.skipIf(missing)('empties a file that is there, and says what cannot be executed', () => {
    writeFileSync(at('err'), 'old\n');
    runShim(['run', 'no-such-program']);
    expect(record()?.status).toBe(127);
    expect(readFileSync(at('err'), 'utf8')).toBe('trainyard: no-such-program: command not found\n');
  });
});
