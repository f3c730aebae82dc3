/** For tests: what the real Slurm printed. */

import { type Capture, capturedBy } from '../captures.ts';

export const captured = (name: string): Capture => capturedBy('slurm', name);
