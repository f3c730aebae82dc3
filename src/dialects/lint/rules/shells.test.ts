import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import { findingsOf, said } from '../fake-world.ts';

describe('the first line', () => {
  it.each([
    ['#!/bin/bash\necho\n', []],
    ['#!/usr/bin/env bash\necho\n', []],
    ['#! /bin/bash -l\necho\n', []],
    ['echo\n', ['1 hint first-line']],
    ['#SBATCH -J a\nsrun a\n', ['1 error first-line']],
    ['#$ -cwd\npython a.py\n', ['1 hint first-line']],
    ['#$ -S /bin/bash\npython a.py\n', []],
    ['\n#!/bin/bash\n#SBATCH -J a\nsrun a\n', ['2 error first-line']],
    [' #!/bin/bash\necho\n', ['1 warning first-line']],
    ['', ['1 error first-line']],
    ['\n \n', ['1 error first-line']],
    ['#!/opt/conda/bin/python\nprint(1)\n', ['1 warning first-line']],
    ['#!/usr/bin/env python4\nprint(1)\n', ['1 warning first-line']],
  ])('%j', (script, expected) => expect(said(script)).toEqual(expected));
});

describe('bytes of other systems', () => {
  it('ends of lines', () => {
    expect(said('#!/bin/bash\r\n#SBATCH -J a\r\nsrun a\r\n')).toEqual(['1 error line-ends']);
    expect(said('#!/bin/bash\necho\r\n')).toEqual(['2 error line-ends']);
    expect(said("#!/bin/bash\necho $'\\r'\n")).toEqual([]);
  });

  it('a byte order mark', () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...bytesFromText('#!/bin/bash\necho\n')]);
    expect(said(bytes)).toContain('1 error line-ends');
  });
});

describe('what only bash understands', () => {
  it.each([
    ['[[ -f a ]] && echo', '[[ ]]'],
    ['a=(1 2)', 'an array'],
    [`echo \${a[0]}`, 'an array'],
    ['function f { echo; }', 'function'],
    ['source venv/bin/activate', 'source'],
    ['[ "$a" == b ] && echo', '== in [ ]'],
    ['if test a == b; then echo; fi', '== in [ ]'],
    ['((i++))', '(( ))'],
    ['for ((i = 0; i < 3; i++)); do echo; done', 'for (( ))'],
    ['cat <<< word', '<<<'],
    ['a &> log', '&>'],
    ['diff <(a) <(b)', '<( )'],
    [`echo \${a//x/y}`, `\${…//…}`],
    [`echo \${a:0:2}`, `\${…:…}`],
    ['declare -x A=1', 'declare'],
  ])('%s', (body, what) => {
    const found = findingsOf(`#!/bin/sh\n${body}\n`).filter(({ rule }) => rule === 'bash-only');
    expect(found.map(({ sentence }) => sentence)).toEqual([
      `${what} is bash's, and the first line asks for sh`,
    ]);
    expect(said(`#!/bin/bash\n${body}\n`).filter((each) => each.endsWith('bash-only'))).toEqual([]);
  });

  it.each([
    ['[ "$a" = b ] && echo'],
    ['f() { local x; x=$((1 + 2)); }'],
    [`echo \${a:-b} \${a#x} \${a%%y} \${#a} $(b) \`c\``],
    ['. ./file'],
    ['echo "[[ ]]" \'a=(b)\' # source [[ ]]'],
    ['awk "$1 == 2" file'],
    ['cat <<END\n[[ a == b ]]\nEND'],
    ['a > log 2>&1'],
    ['case $a in (x) echo;; y|z) echo;; esac'],
  ])('%s is for any shell', (body) => {
    expect(said(`#!/bin/sh\n${body}\n`).filter((each) => each.endsWith('bash-only'))).toEqual([]);
  });

  it('is only a hint where sh is bash', () => {
    const programs = { '/bin/sh': '/usr/bin/bash' };
    expect(said('#!/bin/sh\n[[ a ]]\n', { programs })).toEqual(['2 hint bash-only']);
  });
});

describe('assignments', () => {
  it.each([
    ['A = 1', ['2 error assignment']],
    ['$A=1', ['2 error assignment']],
    ['if true; then b = "x y"; fi', ['2 error assignment']],
    ['export A= "x y"', ['2 error assignment']],
    ["A= 'x'", ['2 error assignment']],
    ['A= python b.py', []],
    ['export A= B', []],
    ['A= "$PYTHON" b.py', []],
    ['A= "/opt/bin/python" b.py', []],
    ['[ $A = 1 ]', []],
    ['test a = b', []],
    ['A= b', []],
    ['A=1', []],
    ['expr a = b', []],
  ])('%s', (body, expected) => {
    expect(said(`#!/bin/bash\n${body}\n`).filter((each) => each.endsWith('assignment'))).toEqual(expected);
  });
});

describe('conda activate', () => {
  it.each([
    ['#!/bin/bash\nconda activate a\npython b.py\n', ['2 warning conda']],
    ['#!/bin/bash -l\nconda activate a\npython b.py\n', []],
    ['#!/bin/bash --login\nconda activate a\npython b.py\n', []],
    ['#!/bin/bash\nsource ~/miniconda3/etc/profile.d/conda.sh\nconda activate a\npython b.py\n', []],
    ['#!/bin/bash\neval "$(conda shell.bash hook)"\nconda activate a\npython b.py\n', []],
    ['#!/bin/bash\nmodule load anaconda\nconda activate a\npython b.py\n', []],
    ['#!/bin/bash\nsource activate a\npython b.py\n', []],
  ])('%j', (script, expected) => expect(said(script)).toEqual(expected));
});
