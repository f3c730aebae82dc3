import { describe, expect, it } from 'vitest';
import { readShell } from './read.ts';
import type { Command } from './script.ts';
import { allCommands, usesOf } from './walk.ts';

function commandsIn(text: string): readonly Command[] {
  const script = readShell(text);
  if (script === null) throw new Error(`cannot read ${text}`);
  return allCommands(script.list).map(({ command }) => command);
}

/** The words of each simple command, as written. */
function simple(text: string): readonly string[] {
  return commandsIn(text)
    .filter(({ kind }) => kind === 'simple')
    .map(({ assignments, words }) =>
      [...assignments.map(({ word }) => word), ...words].map(({ raw }) => raw).join(' '),
    );
}

const names = (text: string) => {
  const script = readShell(text);
  return script === null
    ? null
    : usesOf(allCommands(script.list)).map(({ name, operator }) => `${name}${operator}`);
};

describe('commands', () => {
  it.each([
    ['a b c', ['a b c']],
    ['a; b & c && d || e | f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a \\\n  b', ['a b']],
    ['a # b\nc', ['a', 'c']],
    ['a#b c', ['a#b c']],
    [`A=1 B='x y' c`, [`A=1 B='x y' c`]],
    ['A=(1 2\n3) # x\nb', ['A=(1 2\n3)', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a\ndo b\ndone < c', ['a', 'b']],
    ['for i in 1 2; do a; done', ['a']],
    ['for i\ndo a; done', ['a']],
    ['for ((i=0; i<3; i++)); do a; done', ['a']],
    ['case $x in a|b) c;; (d) e;; *) f\nesac', ['c', 'e', 'f']],
    ['f() { a; }\nfunction g { b; }\nfunction h() ( c )', ['a', 'b', 'c']],
    ['(a; b) > c; { d; }', ['a', 'b', 'd']],
    ['a $(b $(c) | d) `e \\`f\\``', ['a $(b $(c) | d) `e \\`f\\``', 'b $(c)', 'c', 'd', 'e `f`', 'f']],
    ['a <(b) >(c)', ['a <(b) >(c)', 'b', 'c']],
    ['a <<X <<-Y\n$b (\nX\n\tc )\n\tY\nd', ['a', 'd']],
    ['a <<"X"\n$(\nX\nb', ['a', 'b']],
    ['a $(cat <<X\n)\nX\n)\nb', ['a $(cat <<X\n)\nX\n)', 'cat', 'b']],
    ['[[ a =~ ^(b|c) && d ]] && e', ['e']],
    ['((a < 3)) && b', ['b']],
    ['((a); (b))', ['a', 'b']],
    ['ls !(a|b) @(c)', ['ls !(a|b) @(c)']],
    ['! a | time -p b', ['a', 'time -p b']],
    ['time a', ['a']],
    ['a > b 2>&1 &> c <<< d', ['a']],
    ['echo if then fi', ['echo if then fi']],
    ['exit 0\nthis is (not a shell', ['exit 0']],
    ['exec python - "$@"\nimport os; (', ['exec python - "$@"']],
    ['', []],
  ])('%j', (text, expected) => expect(simple(text)).toEqual(expected));

  it.each([
    ['a "b'],
    ["a 'b"],
    ['if a; then b'],
    ['done'],
    ['a )'],
    ['a (b'],
    ['$(a'],
    ['case a b'],
    [`a \${b`],
    ['; a'],
    ['[[ a'],
  ])('%j cannot be read', (text) => expect(readShell(text)).toBeNull());

  it('know their lines', () => {
    const found = commandsIn('a\n\n# x\nb \\\n c\nd <<E\n1\n2\nE\ne `f\ng`\n').map(({ line }) => line);
    expect(found).toEqual([1, 4, 6, 10, 10, 11]);
  });

  it('know what follows them', () => {
    const script = readShell('a | b & c && d\n');
    expect(script?.list.map(({ after, stages }) => [stages.length, after])).toEqual([
      [2, '&'],
      [1, '&&'],
      [1, ';'],
    ]);
  });

  it('comments are not looked for in texts', () => {
    const script = readShell('# a\nb # c\ncat <<E\n# d\nE\ne "\n# f\n"\n');
    expect([...(script?.commentLines ?? [])]).toEqual([1, 2]);
  });
});

describe('variables', () => {
  it.each([
    [`a $b "$c" \${d}`, ['b', 'c', 'd']],
    [`a '$b' \\$c "\\$d"`, []],
    [`a \${b:-$c} \${d%.*} \${#e} \${!f} \${g[1]} \${h//x/y}`, ['b:-', 'c', 'd%', 'e#', 'f!', 'g[', 'h//']],
    [`a $1 $@ $? \${10}`, ['1', '@', '?', '10']],
    ['a $((b + $c))', ['b((', 'c']],
    ['a <<E\n$b `c $d`\nE', ['b', 'd']],
    ["a <<'E'\n$b\nE", []],
    ['A=$B c', ['B']],
    ['for i in $a; do :; done', ['a']],
    ['case $a in $b) :;; esac', ['a', 'b']],
    ['a > $b', ['b']],
    [`a "\${b:-it's}"`, ['b:-']],
    ['a $ "$" $.', []],
  ])('%j', (text, expected) => expect(names(text)).toEqual(expected));
});
