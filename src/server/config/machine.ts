/** What was found out about the machine. Somebody else looks; the configuration only takes it as given. */

import type { Device } from '../../model/node.ts';

export interface Machine {
  readonly hostname: string;
  readonly cpus: number;
  /** The kernel's numbers of the CPUs that may be used. */
  readonly cpuIds: readonly number[];
  readonly memoryBytes: number;
  readonly devices: readonly Device[];
  /** The program that mail can be sent with; null: there is none. */
  readonly mailProgram: string | null;
}
