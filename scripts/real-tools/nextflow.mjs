/**
 * Nextflow from Maven Central, jar by jar as they are listed with their checksums, and a program `nextflow` that runs
 * them. Java is the machine's own, or Debian's where there is none.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inRoot } from '../setup/paths.mjs';
import { showProgress } from '../setup/progress.mjs';
import { sh, unpackPackages } from './debian.mjs';

const CENTRAL = 'https://repo1.maven.org/maven2';
const OLDEST_JAVA = 11;
const AT_ONCE = 6;
const TRIES = 3;

const list = inRoot('test', 'real', 'nextflow-jars.txt');

/** What Nextflow's own launcher opens of the Java runtime. */
const OPENED = [
  'java.io',
  'java.lang',
  'java.net',
  'java.nio',
  'java.util',
  'java.util.concurrent.atomic',
  'java.util.concurrent.locks',
  'java.util.regex',
  'jdk.internal.misc',
  'jdk.internal.vm',
  'sun.net.www.protocol.file',
  'sun.net.www.protocol.ftp',
  'sun.net.www.protocol.http',
  'sun.net.www.protocol.https',
  'sun.nio.ch',
  'sun.nio.fs',
];

export const nextflow = {
  name: 'nextflow',
  madeFrom: () => [readFileSync(list, 'utf8'), OPENED, hasJava()],
  async make(directory) {
    const java = hasJava() ? 'java' : join(directory, JRE, 'bin', 'java');
    const problem = (hasJava() ? null : await unpackJava(directory)) ?? (await fetchJars(directory));
    if (problem !== null) return problem;
    writeFileSync(join(directory, 'nextflow'), launcher(directory, java), { mode: 0o755 });
    return null;
  },
};

const JRE = `usr/lib/jvm/java-17-openjdk-${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** Its settings are links to where they would be if it were installed. */
async function unpackJava(directory) {
  const problem = await unpackPackages(directory, 'Java', ['openjdk-17-jre-headless']);
  if (problem !== null) return problem;
  const links = `find ${JRE} -type l -lname '/etc/java*'`;
  const line = `${links} | while read -r link; do ln -sf "$PWD$(readlink "$link")" "$link"; done`;
  return (await sh('Setting up Java', line, directory)).code === 0 ? null : 'Java could not be set up';
}

function hasJava() {
  try {
    const said = execFileSync('java', ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number(/^openjdk (\d+)/m.exec(said)?.[1] ?? OLDEST_JAVA) >= OLDEST_JAVA;
  } catch {
    return false;
  }
}

async function fetchJars(directory) {
  mkdirSync(join(directory, 'jars'));
  const done = showProgress('Fetching Nextflow');
  const left = readFileSync(list, 'utf8').trim().split('\n').slice(1);
  const problems = [];
  const fetchSome = async () => {
    for (let line = left.pop(); line !== undefined && problems.length === 0; line = left.pop()) {
      const [sha256, path] = line.split('  ');
      const problem = await fetchJar(`${CENTRAL}/${path}`, sha256, join(directory, 'jars', basename(path)));
      if (problem !== null) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchSome));
  done(problems.length === 0);
  return problems[0] ?? null;
}

async function fetchJar(url, sha256, file) {
  let problem = '';
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(120_000) });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.ok && createHash('sha256').update(bytes).digest('hex') === sha256) {
        writeFileSync(file, bytes);
        return null;
      }
      problem = answer.ok ? 'it is not the file that is expected' : `${answer.status} ${answer.statusText}`;
    } catch (error) {
      problem = error.cause?.message ?? error.message;
    }
  }
  return `Nextflow could not be fetched: ${url}: ${problem}`;
}

function launcher(directory, java) {
  const opened = OPENED.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`).join(' ');
  return `#!/bin/sh
export NXF_OFFLINE=true NXF_DISABLE_CHECK_LATEST=true
exec '${java}' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 ${opened} -cp '${directory}/jars/*' nextflow.cli.Launcher "$@"
`;
}
