/**
 * What every `npm` script of this project runs first: makes sure that this machine can run Trainyard, that
 * the packages are those of package-lock.json and that dist/ is built from the sources as they are now.
 * Then it runs the step that was asked for. It costs a few milliseconds when there is nothing to do, and it
 * knows nothing of Trainyard itself: it has to work before anything is installed.
 *
 *   node scripts/setup.mjs [--then start|test|check|test:attack|test:crash|test:real|bench] [arguments for that step]
 */

import { buildIsCurrent, rebuild } from './setup/build.mjs';
import { installIsCurrent, reinstall } from './setup/install.mjs';
import { whileAlone } from './setup/lock.mjs';
import { whyUnsupported } from './setup/machine.mjs';
import { runStep, STEPS } from './setup/steps.mjs';

async function main(args) {
  const unsupported = whyUnsupported(process);
  if (unsupported !== null) return fail(unsupported);

  const { step, rest, mistake } = readArguments(args);
  if (mistake !== null) return fail(mistake);

  const needsBuild = step === null || STEPS[step].needsBuild;
  if (!installIsCurrent() || (needsBuild && !buildIsCurrent())) {
    const problem = await whileAlone(() => setUp(needsBuild));
    if (problem !== null) return fail(problem);
  }
  return step === null ? 0 : runStep(step, rest);
}

/** Looks again at what is needed: while this one waited, another may have done it. */
async function setUp(needsBuild) {
  if (!installIsCurrent()) {
    const problem = await reinstall();
    if (problem !== null) return problem;
  }
  return needsBuild && !buildIsCurrent() ? rebuild() : null;
}

function readArguments(args) {
  if (args.length === 0) return { step: null, rest: [], mistake: null };
  const [flag, step, ...rest] = args;
  if (flag === '--then' && Object.hasOwn(STEPS, step)) return { step, rest, mistake: null };
  const choices = Object.keys(STEPS).join(', ');
  return {
    step: null,
    rest,
    mistake: `usage: node scripts/setup.mjs --then STEP …, with STEP one of ${choices}`,
  };
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  return 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.exitCode = fail(`Set-up failed: ${error.message}`);
  },
);
