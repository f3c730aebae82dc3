import { defineConfig } from 'vitest/config';

/** The suite of real tools: each on a yard of its own, one file at a time, with the time that they take. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 4 * 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
  },
});
