import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/attack/**', 'test/crash/**', 'test/real/**', 'node_modules/**', 'dist/**'],
    pool: 'forks',
    isolate: false,
    // Most of the time goes into waiting for real processes, so two at a time are quicker on two cores as well. Not as threads:
    // what one of them starts would inherit the locks of another for a moment.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
  },
});
