/**
 * A real Slurm of its own for one measurement: munged, slurmctld and one slurmd for each virtual node, on loopback,
 * with private ports and keys in a directory of its own. All of them are children of this process, and end with the
 * measurement. It does not touch a Slurm that is already there.
 */

import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, startDaemon, until } from '../tools/daemons.mjs';
import { renderConfig } from './config.mjs';

const run = promisify(execFile);

/** Starts a cluster with the nodes described, gives it to `use`, and ends it whatever happens. */
export async function withSlurm({ nodes, cpus, memoryMb, requeueExit }, use) {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-bench-slurm-'));
  const workDir = join(directory, 'work');
  const daemons = [];
  const start = (file, args, options) => daemons.push(startDaemon(file, args, options));
  try {
    // munged wants every directory above its socket closed to others' writing.
    chmodSync(directory, 0o755);
    mkdirSync(workDir);
    const munge = prepareMunge(directory);
    start('/usr/sbin/munged', munge.args, { uid: munge.uid, gid: munge.gid });
    const names = Array.from({ length: nodes }, (_, i) => `n${i + 1}`);
    const [controllerPort, ...nodePorts] = await freePorts(1 + nodes);
    const config = join(directory, 'slurm.conf');
    const settings = {
      directory,
      host: hostname().split('.')[0],
      socket: munge.socket,
      controllerPort,
      requeueExit,
    };
    writeFileSync(
      config,
      renderConfig({
        ...settings,
        nodes: names.map((name, i) => ({ name, port: nodePorts[i], cpus, memoryMb })),
      }),
    );
    const env = { ...process.env, SLURM_CONF: config };
    await until('munged of the real Slurm', () => run('/usr/bin/munge', ['-S', munge.socket, '-n']));
    start('/usr/sbin/slurmctld', ['-D', '-i'], { env });
    for (const name of names) start('/usr/sbin/slurmd', ['-D', '-N', name], { env });
    await until('the nodes of the real Slurm', async () => {
      const { stdout } = await run('/usr/bin/sinfo', ['-h', '-N', '-o', '%t'], { env });
      if (stdout.split('\n').filter((state) => state === 'idle').length !== nodes) throw new Error(stdout);
    });
    return await use({ workDir, env });
  } finally {
    for (const daemon of daemons.reverse()) await daemon.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A key of its own, owned by the user that munged runs as. */
function prepareMunge(directory) {
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'munge'], { encoding: 'utf8' })),
  );
  const home = join(directory, 'munge');
  mkdirSync(home, { mode: 0o755 });
  const key = join(home, 'key');
  writeFileSync(key, randomBytes(128), { mode: 0o600 });
  for (const path of [home, key]) chownSync(path, uid, gid);
  const socket = join(home, 'socket');
  const files = {
    socket,
    'key-file': key,
    'pid-file': join(home, 'pid'),
    'log-file': join(home, 'log'),
    'seed-file': join(home, 'seed'),
  };
  return {
    uid,
    gid,
    socket,
    args: ['--foreground', ...Object.entries(files).map(([name, path]) => `--${name}=${path}`)],
  };
}
