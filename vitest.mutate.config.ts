/** The tests that run against each mutant: those that stay in this process and are quick, or those of the one room that is measured. */

import { defineConfig } from 'vitest/config';

const { MUTATED_ROOM: room } = process.env;

export default defineConfig({
  test: {
    include:
      room === undefined
        ? ['test/{engine,posthog,apply,journal,convergence}/**/*.test.ts', 'test/faults/editors.test.ts']
        : [room === 'posthog' ? 'test/posthog/*.test.ts' : `test/${room}/**/*.test.ts`],
    // A browser, and the published files beside the build.
    exclude: ['test/report/formats/{browser,documents}.test.ts', 'test/base/schemas.test.ts'],
    setupFiles: ['test/helpers/seeded.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Short property runs: a mutant that only a rare case kills counts as a survivor.
    env: { PROPERTY_RUNS: '0.2' },
  },
});
