import { expect, test } from 'vitest';
import { aJob } from '../../test/builders.ts';
import { sharedParts } from './shared-parts.ts';

test('a spec stays what it is, and shares what is alike with the one before', () => {
  const share = sharedParts();
  const aftermath = { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true };
  const copy = () =>
    structuredClone(aJob().wanting({ gpus: 1 }).named('a').inAnyOf('main', 'gpu').saying({ aftermath }).spec);
  const first = share(copy());
  const second = share(copy());
  expect(second).toEqual(copy());
  expect(second).not.toBe(first);
  expect(second.resources).toBe(first.resources);
  expect(second.program).toBe(first.program);
  expect(second.aftermath).toBe(first.aftermath);
  expect(second.queueChoices).toBe(first.queueChoices);
  expect(share(aJob().wanting({ gpus: 2 }).spec).resources).toEqual(
    aJob().wanting({ gpus: 2 }).spec.resources,
  );
});
