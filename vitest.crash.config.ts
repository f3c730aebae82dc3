import { defineConfig } from 'vitest/config';

/** The crash suite: real daemons, killed again and again. One file at a time, with time to finish. */
export default defineConfig({
  test: {
    include: ['test/crash/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
  },
});
