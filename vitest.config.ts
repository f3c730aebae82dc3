import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/crash/**', 'test/real/**', 'node_modules/**', 'dist/**'],
    pool: 'threads',
    isolate: false,
    testTimeout: 30_000,
  },
});
