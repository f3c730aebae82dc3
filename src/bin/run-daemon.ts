/**
 * The daemon, composed: directory, lock, log, config, store, engine, loop, HTTP. It reads like the list of what
 * a yard is made of; each part is somewhere else. Stopping it leaves jobs running.
 */

import { chmodSync } from 'node:fs';
import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { claimedAttempts, highestJobIn } from '../agent/claims.ts';
import { ownUid } from '../client/places.ts';
import type { Readiness } from '../client/readiness.ts';
import { ACCOUNTING_HEADER } from '../dialects/gridengine/accounting/record.ts';
import { commonDirectory } from '../dialects/gridengine/cell.ts';
import { GRID_ENGINE } from '../dialects/gridengine/words.ts';
import { UsageError } from '../dialects/native/failure.ts';
import { VERSION } from '../dialects/native/version.ts';
import { createEmbeddedEngine } from '../engines/embedded.ts';
import { simulatedGpusIn } from '../model/device-variables.ts';
import { Fault, RefusalError } from '../model/refusal.ts';
import { realClock } from '../platform/clock.ts';
import { errorWords, removeIfThere, writeFileAtomic } from '../platform/files.ts';
import { launchers } from '../platform/install.ts';
import { lockExclusively, peerOf } from '../platform/libc.ts';
import { findLocalDisks, USUAL_PLACES } from '../platform/local-disks.ts';
import { detectMachine, lookAtMachine } from '../platform/machine.ts';
import { NO_BACKUPS, openBackups } from '../server/backups.ts';
import { openAccountingFile } from '../server/cell/accounting-file.ts';
import { type Bookkeeper, openBookkeeper } from '../server/cell/bookkeeper.ts';
import { keepCell } from '../server/cell/cell.ts';
import { highestAccountedJob } from '../server/cell/highest-accounted.ts';
import { openCodeDesk } from '../server/code-desk.ts';
import { commandsDirectory } from '../server/command-links.ts';
import { type Config, loadConfig } from '../server/config/load.ts';
import { socketPathFor, type YardDirectory } from '../server/directory.ts';
import { createHttpServer } from '../server/http/server.ts';
import { createIdentity, userNames, usersByName } from '../server/identity.ts';
import { acquireLock } from '../server/lock.ts';
import { LOG_FILE, type Log, openLog } from '../server/log.ts';
import { openYard } from '../server/loop.ts';
import { findMailProgram, isProgram } from '../server/mail/find-program.ts';
import { openPostOffice, type PostOffice } from '../server/mail/post-office.ts';
import { createSender } from '../server/mail/sender.ts';
import { ownNameOf, temporaryDirOf } from '../server/temporary-dir.ts';
import type { Yard } from '../server/yard.ts';
import { yardIdIn } from '../server/yard-id.ts';
import { createCodeStore } from '../storage/code/code-store.ts';
import { createKeeperProcess } from '../storage/keeper-process.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { findHardware, openDeviceSource } from '../telemetry/open-devices.ts';
import { type DaemonOptions, simulatedDevices } from './daemon-options.ts';
import { dialects, keepAllCommandLinks, voiceOf } from './dialects.ts';
import { directoryOfThisProcess } from './ensure-yard.ts';
import { prepareStore, type StoreWish } from './store-wish.ts';

export interface DaemonCompany {
  /** Told once: that it listens, or why it does not. */
  readonly announce: (word: Readiness) => void;
  readonly alsoLog: (line: string) => void;
}

/** Resolves with the exit code when it was told to stop, or could not start. */
export async function runDaemon(
  options: DaemonOptions,
  company: DaemonCompany,
  wish: StoreWish | null = null,
): Promise<number> {
  // What a yard keeps (scripts, environments) is nobody else's business.
  process.umask(0o077);
  try {
    const place = directoryOfThisProcess();
    return await runIn(place, options, company, wish);
  } catch (error) {
    company.announce({ kind: 'failed', ...wordsFor(error) });
    company.alsoLog(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  }
}

async function runIn(
  place: YardDirectory,
  options: DaemonOptions,
  company: DaemonCompany,
  wish: StoreWish | null,
): Promise<number> {
  const { directory } = place;
  const startedAt = Date.now();
  const holder = { pid: process.pid, host: hostname(), startedAt: new Date(startedAt).toISOString() };
  const lock = acquireLock({ directory, holder, lockExclusively });
  if (!lock.ok) {
    company.announce({ kind: 'taken', sentence: lock.sentence });
    return 1;
  }
  const hardware = options.simulateGpus === null ? await findHardware(process.env) : null;
  const devices = hardware?.devices ?? simulatedDevices(options.simulateGpus ?? '0');
  const mailProgram = findMailProgram(process.env.PATH ?? '');
  const machine = { ...detectMachine(), devices, mailProgram };
  const config = loadConfig({ directory, file: options.configFile, machine });
  const log = openBothLogs(directory, config.retention.logBytes, company.alsoLog);
  diesOfDefects(log);
  log(`trainyard ${VERSION} starts in ${directory}, process ${process.pid}`);

  const stopping = untilToldToStop();
  const uid = ownUid();
  const socket = socketPathFor(place, {
    uid,
    runtimeDir: process.env.XDG_RUNTIME_DIR ?? null,
    temporaryDir: '/tmp',
  });
  keepCell({
    yardDirectory: directory,
    yardName: config.name,
    host: hostname(),
    commands: commandsDirectory(directory, GRID_ENGINE),
    machine: lookAtMachine().architecture,
    log,
  });
  const userName = userNames();
  const clock = realClock();
  await prepareStore(directory, wish, log);
  const store = await openSqliteStore({ ...place, log });
  const backups = place.safeMode ? NO_BACKUPS : openBackups({ directory, store: store.identity.id, log });
  const deviceSource = openDeviceSource({
    nodes: config.nodes,
    hardware,
    simulatedDirectory: simulatedGpusIn(directory),
  });
  const code = createCodeStore(`${directory}/code`, (hash) => store.blob(hash), log);
  const engine = createEmbeddedEngine({
    directory,
    yardId: yardIdIn(directory),
    claims: store.identity.claims,
    nodes: config.nodes,
    keeping: {
      keeper: (events) => createKeeperProcess({ events }),
      scratch: {
        disks: await findLocalDisks(
          config.scratchDirectories ?? USUAL_PLACES,
          config.scratchDirectories !== null,
          log,
        ),
        name: ownNameOf({ directory, uid }),
      },
      code: code.workDir,
      againExitCodes: config.policy.requeueExitCodes,
      holdExitCodes: config.policy.requeueHoldExitCodes,
      flushLimitMs: config.flushLimitMs,
    },
    devices: {
      source: deviceSource,
      samplesPerSecond: config.samplesPerSecond,
      learnAfterMs: config.policy.gpu.learnAfterMs,
      userName,
    },
    commands: keepAllCommandLinks(directory, launchers(), log),
    voices: {
      voice: voiceOf,
      surroundings: {
        yardName: config.name,
        directory,
        temporaryDir: temporaryDirOf({ directory, uid, shared: '/tmp' }, log),
        host: hostname(),
        machine: lookAtMachine().architecture,
        uid,
        gid: process.getegid?.() ?? 0,
        defaultQos: config.policy.qos.find(({ isDefault }) => isDefault)?.name ?? null,
        zone: ownZone(),
      },
    },
  });
  const yard = await openYard({
    store,
    engine,
    policy: config.policy,
    clock,
    log,
    surroundings: {
      version: VERSION,
      name: config.name,
      host: hostname(),
      mail: config.mailProgram,
      directory,
      socket,
      startedAt,
      user: userName(uid),
      config: config.view,
      userNamed: usersByName(),
      machine: lookAtMachine,
      remarks: () => [
        ...place.remarks,
        ...store.remarks,
        ...backups.remarks(),
        ...store.unreadable.remarks(),
        ...engine.remarks(),
        ...mailRemarks(config.mailProgram),
      ],
    },
    keepHistoryMs: config.retention.historyMs,
    claims: {
      highestJob: Math.max(highestJobIn(directory), highestAccountedJob(accountingPath(directory))),
      attempts: () => claimedAttempts(directory, store.identity.claims),
    },
  });
  const postOffice = openMail(config, yard, log);
  const bookkeeper = openAccounting(directory, yard, store.identity.id, log);
  const codeDesk = openCodeDesk({ yard, code, log });
  const closing = new AbortController();
  const server = createHttpServer({
    yard,
    dialects,
    identity: createIdentity({ ownerUid: uid, peerCredentials: peerOf, userName }),
    takeSnapshot: codeDesk.take,
    stop: stopping.stop,
    log,
    version: VERSION,
    closing: closing.signal,
  });
  await listen(server, socket);
  const pointer = `${directory}/socket`;
  writeFileAtomic(pointer, `${socket}\n`);
  log(`listens on ${socket}`);
  company.announce({ kind: 'ready', socketPath: socket });

  log(`stops: ${await stopping.reason}`);
  // First of all, so that no new command comes to a yard that is about to go.
  removeIfThere(pointer);
  await closed(server, closing);
  await postOffice?.close();
  await bookkeeper?.close();
  await codeDesk.close();
  backups.close();
  await yard.close();
  deviceSource.close();
  clock.close();
  log('stopped');
  lock.release();
  return 0;
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function openMail(config: Config, yard: Yard, log: Log): PostOffice | null {
  if (config.mailProgram === null) return null;
  const sender = createSender({ program: config.mailProgram, log });
  const surroundings = { host: hostname(), zone: ownZone() };
  return openPostOffice({ yard, sender, yardName: config.name, surroundings, log });
}

function accountingPath(directory: string): string {
  return `${commonDirectory(directory)}/accounting`;
}

/** A yard whose accounting file cannot be had is of use all the same. */
function openAccounting(directory: string, yard: Yard, store: string, log: Log): Bookkeeper | null {
  const path = accountingPath(directory);
  try {
    const file = openAccountingFile(path, ACCOUNTING_HEADER, { store, lastSeq: yard.lastSeq() });
    return openBookkeeper({ yard, file, log });
  } catch (error) {
    log(`there is no accounting file: ${path}: ${errorWords(error)}`);
    return null;
  }
}

function mailRemarks(program: string | null): readonly string[] {
  if (program === null)
    return ['no mail is sent: there is no program mail, mailx or sendmail, or it is not wanted'];
  return isProgram(program) ? [] : [`no mail is sent: ${program} cannot be executed`];
}

function openBothLogs(directory: string, maxBytes: number, alsoLog: Log): Log {
  const toFile = openLog({ path: `${directory}/${LOG_FILE}`, now: Date.now, maxBytes });
  return (line) => {
    toFile(line);
    alsoLog(line);
  };
}

/** The state on disk is whole at every instant: the next command starts a new daemon, and jobs go on. */
function diesOfDefects(log: Log): void {
  const die = (error: unknown) => {
    log(`ends because of a defect: ${error instanceof Error ? error.stack : String(error)}`);
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
}

interface Stopping {
  readonly reason: Promise<string>;
  readonly stop: () => void;
}

function untilToldToStop(): Stopping {
  let give: (reason: string) => void = () => {};
  const reason = new Promise<string>((resolve) => {
    give = resolve;
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => give(signal));
  // The terminal it was started from may go; that is no reason to stop.
  process.on('SIGHUP', () => {});
  return { reason, stop: () => give('a command asked for it') };
}

/** A thousand clients may come at once; where the kernel allows fewer, its own limit counts. */
const BACKLOG = 4096;

/** The lock is ours, so whatever is at the path belongs to a daemon that is no more. */
async function listen(server: Server, socket: string): Promise<void> {
  removeIfThere(socket);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: socket, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  chmodSync(socket, 0o600);
}

function closed(server: Server, closing: AbortController): Promise<void> {
  return new Promise((resolve) => {
    server.once('close', () => resolve());
    closing.abort();
  });
}

function wordsFor(error: unknown): { readonly sentence: string; readonly hint: string | null } {
  if (error instanceof RefusalError || error instanceof UsageError) {
    return { sentence: error.refusal.message, hint: error.refusal.hint };
  }
  if (error instanceof Fault) return { sentence: error.message, hint: error.hint };
  return { sentence: `the yard cannot start: ${errorWords(error)}`, hint: null };
}
