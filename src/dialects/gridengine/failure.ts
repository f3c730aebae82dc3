/**
 * How Grid Engine's commands say no. Clients parse these texts and exit codes, so they are the original's to the
 * letter, down to the stream they are printed on.
 */

/** Ends a command: what it prints, whole lines, and its exit code. */
export class GridEngineFailure extends Error {
  readonly lines: readonly string[];
  readonly exitCode: number;
  readonly stream: 'stdout' | 'stderr';
  constructor(lines: readonly string[], exitCode: number, stream: 'stdout' | 'stderr' = 'stderr') {
    super(lines.join('\n'));
    this.lines = lines;
    this.exitCode = exitCode;
    this.stream = stream;
  }
}
