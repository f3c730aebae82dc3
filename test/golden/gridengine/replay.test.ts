/** The session with a real Grid Engine, held again on a yard. What differs is in docs/compat/gridengine.md. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gridEngineYard } from '../../end-to-end/grid-engine-yard.ts';
import { replay } from '../replay.ts';
import { CAPTURED_IN, comparable } from './aside.ts';
import { ELSEWHERE, FILES, SCENES, SHELL } from './scenario.ts';

replay({
  dialect: 'gridengine',
  system: 'Grid Engine',
  async yard(config) {
    const yard = await gridEngineYard(config, SHELL);
    mkdirSync(join(yard.home, 'work'));
    return yard;
  },
  workDir: 'home/work',
  scenes: SCENES,
  files: FILES,
  elsewhere: ELSEWHERE,
  capturedIn: CAPTURED_IN,
  comparable,
  numberOf: (name) => `"$(number ${name})"`,
});
