/**
 * The house rules as a test: which room may import from which, what the pure rooms must not touch, and that
 * nobody hides a room behind a barrel. Says the file and the line of whatever breaks them.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

/** Room → the rooms it may import from, types included. Every room may import from itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  core: ['model'],
  dialects: ['model'],
  platform: ['model'],
  store: ['model', 'platform'],
  storage: ['model', 'platform'],
  telemetry: ['model', 'platform'],
  agent: ['model', 'platform', 'storage', 'telemetry'],
  engines: ['model', 'platform', 'agent', 'storage', 'telemetry'],
  client: ['model', 'platform'],
  sim: ['model', 'core', 'store'],
  server: ['model', 'core', 'dialects', 'platform', 'store', 'engines', 'telemetry', 'storage'],
  bin: [
    'model',
    'core',
    'dialects',
    'platform',
    'store',
    'storage',
    'telemetry',
    'agent',
    'engines',
    'client',
    'sim',
    'server',
  ],
};

/** Files that stand between two rooms, and what they may import beyond the rule. */
const BRIDGES: Readonly<Record<string, readonly string[]>> = {
  // Turns the core's state into what the store keeps, and back.
  'store/state-batch.ts': ['core'],
};

const PURE = new Set(['model', 'core', 'dialects']);

/** What would make a pure room depend on the time, on chance, or on the world. */
const IMPURE: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'Date', pattern: /\bDate\b/ },
  { what: 'Math.random', pattern: /\bMath\s*\.\s*random\b/ },
  { what: 'a timer', pattern: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/ },
  { what: 'process', pattern: /(?<![\w.'])process\s*\./ },
  { what: 'performance', pattern: /\bperformance\s*\./ },
  { what: 'crypto', pattern: /(?<![\w.])crypto\s*\./ },
  { what: 'a promise', pattern: /\bPromise\b/ },
  { what: 'async or await', pattern: /\b(?:async|await)\b(?!\w)/ },
  { what: 'a module of Node', pattern: /\bfrom\s+['"]node:|\bimport\s*\(\s*['"]node:|\brequire\s*\(/ },
];

interface SourceFile {
  /** `core/decide/submit.ts` */
  readonly name: string;
  readonly room: string;
  /** Without comments and without the contents of strings that are not module names. */
  readonly lines: readonly string[];
  readonly imports: readonly { readonly from: string; readonly line: number }[];
}

const files = sourceFiles();

function sourceFiles(): SourceFile[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => {
      const lines = withoutComments(readFileSync(join(SOURCE, name), 'utf8')).split('\n');
      return { name, room: name.split('/')[0] as string, lines, imports: importsOf(lines) };
    });
}

/** Blanks comments out, so that lines keep their numbers and prose may say `Date`. */
function withoutComments(text: string): string {
  const pieces = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return text.replace(pieces, (piece) => (piece.startsWith('/') ? piece.replace(/[^\n]/g, ' ') : piece));
}

function importsOf(lines: readonly string[]): { from: string; line: number }[] {
  const found: { from: string; line: number }[] = [];
  for (const [at, text] of lines.entries()) {
    const pattern = /(?:\bfrom\s+|\bimport\s*\(\s*|^\s*import\s+)(['"])([^'"]+)\1/g;
    for (const [, , from] of text.matchAll(pattern)) found.push({ from: from as string, line: at + 1 });
  }
  return found;
}

/** `../model/job.ts` as written in core/apply.ts → `model/job.ts`. */
function targetOf(file: SourceFile, from: string): string {
  return relative(SOURCE, resolve(SOURCE, dirname(file.name), from));
}

function place({ name }: SourceFile, line: number): string {
  return `src/${name}:${line}`;
}

describe('rooms', () => {
  test('every folder of src is a room with a rule', () => {
    const unknown = files
      .filter(({ room }) => !Object.hasOwn(MAY_IMPORT, room))
      .map((file) => place(file, 1));
    expect(unknown).toEqual([]);
  });

  test('import only in the allowed directions', () => {
    const wrong: string[] = [];
    for (const file of files) {
      const allowed = new Set([file.room, ...(MAY_IMPORT[file.room] ?? []), ...(BRIDGES[file.name] ?? [])]);
      for (const { from, line } of file.imports) {
        if (!from.startsWith('.')) continue;
        const room = targetOf(file, from).split('/')[0] as string;
        if (!allowed.has(room)) wrong.push(`${place(file, line)} imports from ${room}: ${from}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('do not import in circles', () => {
    const circles: string[] = [];
    const visit = (room: string, path: readonly string[]) => {
      if (path.includes(room)) circles.push([...path.slice(path.indexOf(room)), room].join(' → '));
      else for (const next of importedRooms(room)) visit(next, [...path, room]);
    };
    for (const room of Object.keys(MAY_IMPORT)) visit(room, []);
    expect([...new Set(circles)]).toEqual([]);
  });

  test('are not entered through barrels', () => {
    const barrels = files.filter(({ name }) => /(?:^|\/)index\.ts$/.test(name)).map((file) => place(file, 1));
    const passedOn = files.flatMap((file) =>
      file.lines.flatMap((text, at) =>
        /^\s*export\s+\*/.test(text) ? [`${place(file, at + 1)} passes on a whole file`] : [],
      ),
    );
    expect([...barrels, ...passedOn]).toEqual([]);
  });

  test('name the files they import, with their endings', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter(({ from }) => from.startsWith('.') && !from.endsWith('.ts'))
        .map(({ from, line }) => `${place(file, line)} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the pure rooms', () => {
  test('know nothing of time, chance and the world', () => {
    const wrong: string[] = [];
    for (const file of files.filter(({ room }) => PURE.has(room))) {
      for (const [at, text] of file.lines.entries()) {
        for (const { what, pattern } of IMPURE)
          if (pattern.test(text)) wrong.push(`${place(file, at + 1)} uses ${what}: ${text.trim()}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('depend on no package', () => {
    const wrong = files
      .filter(({ room }) => PURE.has(room))
      .flatMap((file) =>
        file.imports
          .filter(({ from }) => !from.startsWith('.'))
          .map(({ from, line }) => `${place(file, line)} imports ${from}`),
      );
    expect(wrong).toEqual([]);
  });
});

function importedRooms(room: string): string[] {
  const rooms = new Set<string>();
  for (const file of files.filter((one) => one.room === room)) {
    for (const { from } of file.imports)
      if (from.startsWith('.')) rooms.add(targetOf(file, from).split('/')[0] as string);
  }
  rooms.delete(room);
  return [...rooms];
}
