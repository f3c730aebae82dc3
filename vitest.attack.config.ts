import { defineConfig } from 'vitest/config';

/** Attacks by a real second user: links that flip, squatted names, hostile files. One file at a time, with time to race. */
export default defineConfig({
  test: {
    include: ['test/attack/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 10 * 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
  },
});
