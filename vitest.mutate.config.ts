/** The tests that `npm run mutate` runs against each mutant: those that stay in this process and are quick. */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{engine,posthog,apply,journal,convergence}/**/*.test.ts', 'test/faults/editors.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Short property runs: a mutant that only a rare case kills counts as a survivor.
    env: { PROPERTY_RUNS: '0.2' },
  },
});
