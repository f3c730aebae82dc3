/** Who hears a warning, and who is given time to end: with real shells and real programs. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SignalScope } from '../../src/model/job-spec.ts';
import { openYard, type TestYard } from './yard.ts';

const USR1 = 10;

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard();
});
afterEach(() => yard.close());

/** A trainer that notes each signal it expects, makes `ready`, and leaves with 3 after the first one. */
const TRAINER = [
  'import signal, sys, time',
  'def note(number, frame):',
  '    print("trainer heard", signal.Signals(number).name, flush=True)',
  '    time.sleep(SAVING); print("trainer saved", flush=True); sys.exit(3)',
  'for each in EXPECTED: signal.signal(each, note)',
  'open("ready", "w").close()',
  'while True: time.sleep(0.01)',
].join('\n');

function trainer(expected: string, savingSeconds = 0): string {
  return TRAINER.replace('EXPECTED', `(${expected},)`).replace('SAVING', `${savingSeconds}`);
}

async function warned(script: string, scope: SignalScope) {
  const made = yard.start({ script });
  await yard.made('ready');
  yard.effect({ type: 'warn', ...made, signal: USR1, scope });
  await yard.reports.next('warningSent');
  const { exit } = await yard.reports.next('attemptEnded');
  return { exit, output: yard.output() };
}

const python = (text: string) => `python3 - <<'END'\n${text}\nEND`;

test.each(['main', 'steps', 'all'] as const)(
  'a script that becomes its trainer by exec is the trainer (%s)',
  async (scope) => {
    const { exit, output } = await warned(`#!/bin/bash\nexec ${python(trainer('signal.SIGUSR1'))}`, scope);
    expect(output).toContain('trainer heard SIGUSR1');
    expect(exit.code).toBe(3);
  },
);

test.each(['main', 'steps', 'all'] as const)(
  'a trainer in the foreground hears it, and the shell that did not expect it lives to pass its status on (%s)',
  async (scope) => {
    const script = `#!/bin/bash\n${python(trainer('signal.SIGUSR1'))}\nstatus=$?\necho passed on $status\nexit $status`;
    const { exit, output } = await warned(script, scope);
    expect(output).toContain('trainer heard SIGUSR1');
    expect(output).toContain('passed on 3');
    expect(exit.code).toBe(3);
  },
);

test('with B: a shell that expects it hears it too, once its trainer has ended', async () => {
  const script = `#!/bin/bash\ntrap 'echo shell heard' USR1\n${python(trainer('signal.SIGUSR1'))}\nexit $?`;
  const { output } = await warned(script, 'main');
  expect(output).toContain('trainer heard SIGUSR1');
  expect(output).toContain('shell heard');
});

test('without B: the script itself is left alone', async () => {
  const script = `#!/bin/bash\ntrap 'echo shell heard' USR1\n${python(trainer('signal.SIGUSR1'))}\nexit $?`;
  const { output } = await warned(script, 'steps');
  expect(output).toContain('trainer heard SIGUSR1');
  expect(output).not.toContain('shell heard');
});

test('a trainer in the background is told by the script that put it there, and only once', async () => {
  const counting = trainer('signal.SIGUSR1').replace('sys.exit(3)', '');
  const script = [
    '#!/bin/bash',
    `${python(counting).replace("<<'END'", "<<'END' &")}`,
    "trap 'echo shell heard; kill -USR1 $!; sleep 0.2; kill $!; exit 5' USR1",
    'wait',
  ].join('\n');
  const { exit, output } = await warned(script, 'main');
  expect(exit.code).toBe(5);
  expect(output.match(/trainer heard/g)).toHaveLength(1);
});

test('where nobody expects it, it does what such a signal does', async () => {
  const { exit } = await warned('#!/bin/bash\n: >ready\nwhile :; do sleep 0.01; done', 'main');
  expect(exit.signal).toBe(USR1);
});

test('a trainer that saves when it is asked to end has its time, though its shell has gone', async () => {
  const made = yard.start({ script: `#!/bin/bash\n${python(trainer('signal.SIGTERM', 0.6))}\n` });
  await yard.made('ready');
  yard.effect({ type: 'stop', ...made, step: 'term' });
  // Longer than strays are given after a run that ends by itself.
  await yard.reports.next('attemptEnded');
  expect(yard.output()).toContain('trainer saved');
  expect(yard.output().match(/trainer heard/g)).toHaveLength(1);
});

test('but no longer than until it is killed', async () => {
  const made = yard.start({ script: `#!/bin/bash\n${python(trainer('signal.SIGTERM', 60))}\n` });
  await yard.made('ready');
  yard.effect({ type: 'stop', ...made, step: 'term' });
  await yard.printed('trainer heard');
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  await yard.reports.next('attemptEnded');
  expect(yard.output()).not.toContain('trainer saved');
});
