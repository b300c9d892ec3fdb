import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A guard against a test that hangs. No test relies on it, so it is far longer than any test takes on a loaded machine. */
const HANGS_MS = 180_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    expect: { poll: { timeout: HANGS_MS, interval: 10 } },
    // Many tests wait for a process or a server, so more workers than cores pay off.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    coverage: { provider: 'v8', include: ['src/**'], exclude: ['src/**/generated/**'] },
  },
});
