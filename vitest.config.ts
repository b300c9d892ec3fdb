import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A guard against a test that hangs. No test relies on it, so it is far longer than any test takes on a loaded machine. */
const HANGS_MS = 180_000;

/**
 * Tests without processes of their own: their files share a worker's modules, which saves loading them for each file.
 * `snapshot.test.ts` replaces modules, so it needs its own.
 */
const SHARED =
  'test/{apply,base,config,contract,editing,engine,evaluation,export,git,journal,manifest,posthog,report}/**/!(snapshot).test.ts';

export default defineConfig({
  test: {
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    expect: { poll: { timeout: HANGS_MS, interval: 10 } },
    // Many tests wait for a process or a server, so more workers than cores pay off.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    coverage: { provider: 'v8', include: ['src/**'], exclude: ['src/**/generated/**'] },
    projects: [
      { extends: true, test: { name: 'shared', isolate: false, include: [SHARED] } },
      { extends: true, test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: [SHARED] } },
    ],
  },
});
