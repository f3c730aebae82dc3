/**
 * A real Grid Engine of its own for one measurement: qmaster and execd on loopback, with private ports, a cell and a
 * spool in a directory of its own. Both are children of this process and end with the measurement. It does not touch a
 * Grid Engine that is already there. It is tuned for short jobs: it schedules every second, and at once when
 * something was submitted or has ended as far as it can.
 */

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, startDaemon, until } from '../tools/daemons.mjs';
import { CLIENTS } from './programs.mjs';

const run = promisify(execFile);
const ADMIN = 'sgeadmin';
const HOST = hostname().split('.')[0];

/** Starts a cell with one queue, gives it to `use`, and ends it whatever happens. */
export async function withGridEngine({ queue, slots }, use) {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-bench-gridengine-'));
  const workDir = join(directory, 'work');
  const daemons = [];
  try {
    chmodSync(directory, 0o755);
    mkdirSync(workDir);
    const [masterPort, execPort] = await freePorts(2);
    const root = prepareCell(directory);
    const own = {
      SGE_ROOT: root,
      SGE_CELL: 'default',
      SGE_QMASTER_PORT: `${masterPort}`,
      SGE_EXECD_PORT: `${execPort}`,
    };
    const env = { ...process.env, ...own, PATH: `${CLIENTS}:${process.env.PATH}` };
    const qconf = async (...words) =>
      (await run('qconf', words, { env: { ...env, SGE_SINGLE_LINE: '1' } })).stdout;
    // They hand on what they have to every job, and stay children instead of going into the background.
    const bare = { ...own, PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SGE_ND: 'true' };
    daemons.push(startDaemon('/usr/sbin/sge_qmaster', [], { env: bare }));
    await until('the real Grid Engine', () => qconf('-sh'));
    await configure(directory, qconf);
    daemons.push(startDaemon('/usr/sbin/sge_execd', [], { env: bare }));
    await until('the host of the real Grid Engine', async () => {
      if (!(await qconf('-sel')).split('\n').includes(HOST)) throw new Error('it has not registered');
    });
    await addQueue(directory, qconf, { queue, slots });
    await until('the queue of the real Grid Engine', async () => {
      const { stdout } = await run('qstat', ['-f'], { env });
      if (!new RegExp(`^${queue}@\\S+ +BI +0/0/${slots} +\\d\\S* +\\S+ *$`, 'm').test(stdout))
        throw new Error(stdout);
    });
    return await use({ workDir, env });
  } finally {
    for (const daemon of daemons.reverse()) await daemon.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The files that must be there before a qmaster starts; gives SGE_ROOT. */
function prepareCell(directory) {
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, ADMIN], { encoding: 'utf8' })),
  );
  const root = join(directory, 'root');
  const common = join(root, 'default', 'common');
  const spool = join(directory, 'spool');
  for (const path of [
    root,
    join(root, 'default'),
    common,
    spool,
    join(spool, 'qmaster'),
    join(spool, 'db'),
    join(spool, 'execd'),
  ]) {
    mkdirSync(path, { recursive: true });
    chownSync(path, uid, gid);
  }
  mkdirSync(join(spool, 'qmaster', 'job_scripts'));
  chownSync(join(spool, 'qmaster', 'job_scripts'), uid, gid);
  for (const name of ['bin', 'lib', 'utilbin', 'util'])
    symlinkSync(`/var/lib/gridengine/${name}`, join(root, name));
  const bootstrap = {
    admin_user: ADMIN,
    default_domain: 'none',
    ignore_fqdn: 'true',
    spooling_method: 'berkeleydb',
    spooling_lib: 'libspoolb',
    spooling_params: join(spool, 'db'),
    binary_path: '/usr/sbin',
    qmaster_spool_dir: join(spool, 'qmaster'),
    security_mode: 'none',
    listener_threads: 2,
    worker_threads: 2,
    scheduler_threads: 1,
  };
  const files = {
    act_qmaster: HOST,
    // Looking 127.0.0.1 up gives another name than the host's.
    host_aliases: `${HOST} localhost`,
    cluster_name: 'bench',
    bootstrap: Object.entries(bootstrap)
      .map(([key, value]) => `${key} ${value}`)
      .join('\n'),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(common, name), `${text}\n`);
    chownSync(join(common, name), uid, gid);
  }
  const init = ['/usr/share/gridengine/scripts/init_cluster', root, 'default', join(spool, 'db'), ADMIN].join(
    ' ',
  );
  execFileSync('su', ['-s', '/bin/sh', '-c', init, ADMIN], { stdio: 'ignore' });
  return root;
}

async function configure(directory, qconf) {
  const settings = {
    execd_spool_dir: join(directory, 'spool', 'execd'),
    // Root may have jobs.
    min_uid: 0,
    min_gid: 0,
    mailer: '/bin/true',
    gid_range: '65000-65400',
    load_report_time: '00:00:05',
    reporting_params:
      'accounting=true reporting=false flush_time=00:00:01 accounting_flush_time=00:00:00 joblog=false sharelog=00:00:00',
  };
  await change(directory, 'global', await qconf('-sconf', 'global'), settings, (file) =>
    qconf('-Mconf', file),
  );
  await qconf('-as', HOST);
  const pace = {
    schedule_interval: '0:0:1',
    flush_submit_sec: 1,
    flush_finish_sec: 1,
    job_load_adjustments: 'NONE',
    load_adjustment_decay_time: '0:0:0',
    max_pending_tasks_per_job: 1000,
  };
  await change(directory, 'schedule', await qconf('-ssconf'), pace, (file) => qconf('-Msconf', file));
}

async function addQueue(directory, qconf, { queue, slots }) {
  const settings = {
    qname: queue,
    hostlist: HOST,
    slots,
    // On a busy machine it would take nothing new.
    load_thresholds: 'NONE',
    rerun: 'TRUE',
    pe_list: 'NONE',
    shell: '/bin/sh',
    shell_start_mode: 'unix_behavior',
  };
  await change(directory, 'queue', await qconf('-sq'), settings, (file) => qconf('-Aq', file));
}

/** A listing with some of its lines changed, handed back as a file. */
async function change(directory, name, listing, settings, use) {
  const lines = listing.split('\n').filter((line) => !line.startsWith('#'));
  const text = lines.map((line) => {
    const key = line.split(/\s/, 1)[0];
    return Object.hasOwn(settings, key) ? `${key} ${settings[key]}` : line;
  });
  // The command takes the file's name for that of the configuration.
  const file = join(directory, name);
  writeFileSync(file, text.join('\n'));
  await use(file);
}
