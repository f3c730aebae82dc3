import { expect, test } from 'vitest';
import { clock, type Program, printErr, printOut } from '../dialects/program.ts';
import { answerWithoutYard } from './without-yard.ts';

test('a program that only prints is answered', () => {
  function* help(): Program {
    yield* printOut('usage');
    yield* printErr(new Uint8Array([0xff]));
    return 2;
  }
  const answered = answerWithoutYard(help());
  expect(answered?.exitCode).toBe(2);
  expect(answered?.printed.map(({ stream, bytes }) => [stream, [...bytes]])).toEqual([
    ['stdout', [...Buffer.from('usage')]],
    ['stderr', [0xff]],
  ]);
});

test('a program that asks for more is left to the yard', () => {
  let ended = false;
  function* queue(): Program {
    yield* printOut('first');
    yield* clock();
    ended = true;
    return 0;
  }
  expect(answerWithoutYard(queue())).toBe(null);
  expect(ended).toBe(false);
});
