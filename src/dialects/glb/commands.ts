/** The commands of the GPU load balancer: their names, options and help. They are done at the caller's end. */

import type { OptionSpec } from '../options.ts';

export interface GlbCommand {
  readonly name: 'glb-start' | 'glb-run';
  readonly options: readonly OptionSpec[];
  readonly help: string;
}

const HELP_OPTION: OptionSpec = { name: 'help', short: 'h', value: 'none' };
const SIMULATE: OptionSpec = { name: 'simulate-gpus', value: 'required' };

const SIMULATE_HELP = `      --simulate-gpus NxMEM  pretend to have GPUs, on a machine without any: 4x16G`;

const WHERE_HELP = `The balancer is a yard: where one runs already, that one is used. In a batch job it is one of the job's own, for the
GPUs that the job was given. TRAINYARD_GLB_DIR names its directory.`;

export const glbStart: GlbCommand = {
  name: 'glb-start',
  options: [
    { name: 'debug', short: 'd', value: 'none' },
    SIMULATE,
    { name: 'no-banner', value: 'none' },
    HELP_OPTION,
  ],
  help: `Usage: glb-start [options]

Starts the GPU load balancer and stays in the foreground until Ctrl-C. Programs whose functions are decorated with
@glb.gpu_load_balance() are given GPUs by it, and wait for one where there is none.

  -d, --debug                show who asks for a GPU, who gets one, who waits and why, and what was used
${SIMULATE_HELP}
      --no-banner            the log alone
  -h, --help                 this

${WHERE_HELP}

Examples:
  glb-start                            share out the GPUs of this machine
  glb-start --debug                    and watch how
  glb-start --simulate-gpus 4x16G      rehearse on a machine without GPUs
`,
};

export const glbRun: GlbCommand = {
  name: 'glb-run',
  options: [SIMULATE, { name: 'parallel', short: 'p', value: 'none' }, HELP_OPTION],
  help: `Usage: glb-run [options] COMMAND...
       glb-run [options] -- PROGRAM [ARGUMENT...]

Runs commands with a GPU load balancer at their side, which it starts if none runs and stops afterwards. Each COMMAND is
a line for the shell, so it is one word for glb-run: quote it. They are run one after the other.

${SIMULATE_HELP}
  -p, --parallel             run the commands at the same time
  -h, --help                 this

The exit status is that of the first command that failed, 128 and its number where a signal ended it, or 0.
${WHERE_HELP}

Examples:
  glb-run "doit -d . -f example_doit.py -n 9"
  glb-run "python train.py" "python evaluate.py"
  glb-run --simulate-gpus 4x16G -- python train.py --epochs 3
`,
};

export const GLB_COMMANDS: readonly GlbCommand[] = [glbStart, glbRun];
