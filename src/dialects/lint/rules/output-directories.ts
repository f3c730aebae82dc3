/** Directories of `--output`, `--error`, `-o` and `-e` that are not there. No system makes them: the job just fails. */

import { absolutePath } from '../../../model/paths.ts';
import { type Finding, findingOf } from '../finding.ts';
import { programOf } from '../shell/script.ts';
import { type Asked, lastAsked, type Rule, type Subject, type World } from '../subject.ts';

const finding = findingOf('output-directory');

type Place = Pick<World, 'workDir' | 'home' | 'user'>;

export interface OutputDirectory {
  readonly asked: Asked;
  readonly path: string;
  /** As it stands in the directive. */
  readonly written: string;
}

export const outputDirectories: Rule = (subject, world) => {
  const found = new Map<string, Finding>();
  for (const { asked, path, written } of directoriesOf(subject, world)) {
    if (world.hasDirectory(path) !== false || found.has(path)) continue;
    const sentence = `${asked.written}: there is no directory ${path}, and the job fails without it`;
    const made = isMadeByScript(subject, written);
    const advice = made
      ? 'make it before you submit: the mkdir in the script comes too late'
      : `make it before you submit: mkdir -p ${path}`;
    found.set(path, finding('warning', asked.line, sentence, advice));
  }
  return [...found.values()];
};

/** What is to be looked for; nothing where a part of the path is known only when the job starts. */
export function directoriesOf(subject: Subject, place: Place): readonly OutputDirectory[] {
  const base = startDirectory(subject, place);
  const names = subject.dialect === 'gridengine' ? ['-o', '-e'] : ['output', 'error'];
  return names.flatMap((name) => {
    const asked = lastAsked(subject, name);
    const filled = asked?.value == null ? null : fillIn(subject, asked.value, place);
    const slash = filled?.lastIndexOf('/') ?? -1;
    if (asked === null || filled === null || base === null || slash <= 0) return [];
    const written = filled.slice(0, slash);
    if (/[%$~`]/.test(written)) return [];
    return [{ asked, path: absolutePath(base, written), written }];
  });
}

/** Where relative paths begin; null when that is not known. */
function startDirectory(subject: Subject, { workDir, home }: Place): string | null {
  if (subject.dialect !== 'gridengine') {
    const chdir = lastAsked(subject, 'chdir')?.value ?? '.';
    return chdir.includes('$') ? null : absolutePath(workDir, chdir);
  }
  const asked = lastAsked(subject, '-cwd', '-wd');
  if (asked === null) return home;
  return asked.name === '-wd' && asked.value !== null ? absolutePath(workDir, asked.value) : workDir;
}

function fillIn(subject: Subject, path: string, { home, user }: Place): string {
  if (subject.dialect === 'gridengine') {
    const withHome = home === null ? path : path.replaceAll(/\$HOME\b|\$\{HOME\}|^~(?=\/)/g, home);
    return withHome.replaceAll(/\$USER\b|\$\{USER\}/g, user).replace(/^[\w.-]*:/, '');
  }
  const jobName = lastAsked(subject, 'job-name')?.value ?? '%x';
  return path.replaceAll('%u', user).replaceAll('%x', jobName);
}

function isMadeByScript({ commands }: Subject, directory: string): boolean {
  const plain = directory.replace(/^\.\//, '').replace(/\/+$/, '');
  return commands.some(
    ({ command }) =>
      programOf(command) === 'mkdir' &&
      command.words.some(({ text }) => text?.replace(/^\.\//, '').replace(/\/+$/, '') === plain),
  );
}
