import { describe, expect, it } from 'vitest';
import { answerPieces, Real, type Structure, structured, type Value } from './structured.ts';

const VALUE: Value = {
  name: 'a/b "c"',
  empty: '',
  count: 2,
  share: new Real(1),
  half: new Real(0.25),
  yes: true,
  none: null,
  list: [],
  items: [{ deep: { '0': 'x' } }, 'n1', ['in', 'side']],
};

function answer(records: readonly Value[], structure: Structure): string {
  return [...answerPieces('jobs', records, structure)].join('');
}

describe('an answer', () => {
  it('is the same in pieces as in one', () => {
    for (const structure of ['json', 'yaml'] as const) {
      const none = answer([], structure);
      const some = answer([{ a: [1] }, 'b'], structure);
      expect(
        none.endsWith(structure === 'json' ? '  "jobs": [\n  ]\n}' : '!!str jobs: !!seq []\n...\n'),
      ).toBe(true);
      expect(
        some.endsWith(
          structure === 'json'
            ? '  "jobs": [\n    {\n      "a": [\n        1\n      ]\n    },\n    "b"\n  ]\n}'
            : '!!str jobs: !!seq\n- !!map\n  !!str a: !!seq\n  - !!int 1\n- !!str b\n...\n',
        ),
      ).toBe(true);
    }
  });
});

describe('JSON', () => {
  it('is laid out as the original lays it out', () => {
    expect(structured(VALUE, 'json')).toBe(
      [
        '{',
        '  "name": "a\\/b \\"c\\"",',
        '  "empty": "",',
        '  "count": 2,',
        '  "share": 1.0,',
        '  "half": 0.25,',
        '  "yes": true,',
        '  "none": null,',
        '  "list": [',
        '  ],',
        '  "items": [',
        '    {',
        '      "deep": {',
        '        "0": "x"',
        '      }',
        '    },',
        '    "n1",',
        '    [',
        '      "in",',
        '      "side"',
        '    ]',
        '  ]',
        '}',
      ].join('\n'),
    );
  });

  it('is JSON', () => {
    const text = answer(['a\u0001\udc80'], 'json');
    expect(JSON.parse(text)).toMatchObject({
      meta: { Slurm: { release: '22.05.8' } },
      errors: [],
      jobs: ['a\u0001\udc80'],
    });
  });
});

describe('YAML', () => {
  it('spells out every tag, and takes an empty text for none', () => {
    expect(structured(VALUE, 'yaml')).toBe(
      [
        '%YAML 1.1',
        '--- !!map',
        '!!str name: !!str a/b "c"',
        '!!str empty: !!null null',
        '!!str count: !!int 2',
        '!!str share: !!float 1.000000',
        '!!str half: !!float 0.250000',
        '!!str yes: !!bool true',
        '!!str none: !!null null',
        '!!str list: !!seq []',
        '!!str items: !!seq',
        '- !!map',
        '  !!str deep: !!map',
        '    !!str 0: !!str x',
        '- !!str n1',
        '- !!seq',
        '  - !!str in',
        '  - !!str side',
        '...',
        '',
      ].join('\n'),
    );
  });

  it('quotes what would be read as something else', () => {
    const texts = [
      'a: b',
      'a #1 b',
      ' a',
      'a ',
      '- a',
      '[a]',
      "it's",
      "'it",
      '#a',
      '%a',
      'x:y',
      '4_[3-4%2]',
      'a\nb',
    ];
    const quoted = structured(texts, 'yaml').split('\n').slice(2, -2);
    expect(quoted).toEqual([
      "- !!str 'a: b'",
      "- !!str 'a #1 b'",
      "- !!str ' a'",
      "- !!str 'a '",
      "- !!str '- a'",
      "- !!str '[a]'",
      "- !!str it's",
      "- !!str '''it'",
      "- !!str '#a'",
      "- !!str '%a'",
      '- !!str x:y',
      '- !!str 4_[3-4%2]',
      '- !!str "a\\nb"',
    ]);
  });
});
