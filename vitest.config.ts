import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Many tests wait for a process or a server, so that more workers than cores pay off.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    coverage: { provider: 'v8', include: ['src/**'], exclude: ['src/**/generated/**'] },
  },
});
