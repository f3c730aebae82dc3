/**
 * The packages in node_modules against package-lock.json. npm writes node_modules/.package-lock.json as the
 * last thing it does, so a half-finished install is seen as none.
 */

import { existsSync, readFileSync } from 'node:fs';
import { inRoot, root } from './paths.mjs';
import { runVisibly } from './progress.mjs';

export function installIsCurrent() {
  const wanted = packagesIn(inRoot('package-lock.json'));
  const present = packagesIn(inRoot('node_modules', '.package-lock.json'));
  if (wanted === null || present === null) return false;
  for (const [path, entry] of wanted) {
    const installed = present.get(path);
    // Packages for other machines are in the lock file but rightly not installed.
    if (installed === undefined ? !entry.optional : !isSame(entry, installed, path)) return false;
  }
  return [...present.keys()].every((path) => wanted.has(path));
}

/** Null, or what went wrong and what to do about it. */
export async function reinstall() {
  // Everything native comes ready-made inside the packages: install scripts are not needed, so none run.
  // --include=dev because NODE_ENV=production would leave the compiler out.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund'];
  const npm = npmProgram();
  const { code, output } = await runVisibly('Installing packages', npm.file, [...npm.args, ...args], root);
  return code === 0 ? null : `${lastLines(output, 20)}\n\nnpm ci failed. ${adviceOn(output)}`;
}

/** What usually helps, by what npm said. */
export function adviceOn(output) {
  for (const [pattern, advice] of ADVICE) if (pattern.test(output)) return advice;
  return 'What npm said is above; `npm ci` in this directory runs the same step again.';
}

const ADVICE = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|network/i,
    'The package registry could not be reached. Check the network and the proxy (https_proxy), or name a ' +
      'registry that you can reach: npm config set registry https://… . On a machine that is never online, ' +
      'copy node_modules from one of the same kind that is.',
  ],
  [
    /CERT|self.signed|unable to verify/i,
    'The registry’s certificate was not accepted. If your network has its own authority, point ' +
      'NODE_EXTRA_CA_CERTS to its certificate file.',
  ],
  [/\bE40[13]\b/, 'The registry wants a login: `npm login`, or check the token in your .npmrc.'],
  [/ENOSPC/, 'The disk is full.'],
  [
    /EACCES|EPERM|EROFS/,
    'Something could not be written. This directory must be yours; if it is npm’s cache that is read-only, ' +
      'name another: npm_config_cache=/tmp/npm-cache npm start.',
  ],
  [/EUSAGE/, 'package.json and package-lock.json disagree: `npm install` brings them together again.'],
  [/EBADENGINE|EBADPLATFORM/, 'A package does not support this machine or this Node.js.'],
];

function packagesIn(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return null;
  }
  try {
    const packages = new Map(Object.entries(JSON.parse(text).packages));
    packages.delete('');
    return packages;
  } catch {
    return null;
  }
}

function isSame(wanted, installed, path) {
  return (
    wanted.version === installed.version &&
    wanted.integrity === installed.integrity &&
    existsSync(inRoot(path))
  );
}

/** The npm that runs us, or else the one on the PATH. */
function npmProgram() {
  const path = process.env.npm_execpath;
  if (path !== undefined && /npm-cli\.c?js$/.test(path)) return { file: process.execPath, args: [path] };
  return { file: 'npm', args: [] };
}

function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
