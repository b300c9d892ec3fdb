/** The tests that run against each mutant: those that stay in this process and are quick, or those of the one room that is measured. */

import { defineConfig } from 'vitest/config';
import type { Reporter, Vitest } from 'vitest/node';
import { temporaryFiles } from './test/helpers/temporary.ts';

const { MUTATED_ROOM: room } = process.env;

const OWN_TESTS = new Map([
  ['posthog', 'test/posthog/*.test.ts'],
  ['service', 'service/test/**/*.test.ts'],
]);

/** Stryker sees tests and errors of a run. A file that a fault keeps from loading has no tests, so without an error the fault seems to survive. */
let run: Vitest | undefined;
const unloaded: Reporter = {
  onInit(vitest) {
    run = vitest;
  },
  onTestModuleEnd(module) {
    for (const { message } of module.errors())
      run?.state.catchError(new Error(`${module.moduleId}: ${message}`), 'Module');
  },
};

export default defineConfig({
  test: {
    reporters: ['default', unloaded],
    include:
      room === undefined
        ? ['test/{engine,posthog,apply,journal,convergence}/**/*.test.ts', 'test/faults/editors.test.ts']
        : [OWN_TESTS.get(room) ?? `test/${room}/**/*.test.ts`],
    // A browser, the published files beside the build, and the built package.
    exclude: [
      'test/report/formats/{browser,documents}.test.ts',
      'test/base/schemas.test.ts',
      'service/test/{durability,store/libsql}.test.ts',
    ],
    setupFiles: ['test/helpers/seeded.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Short property runs: a mutant that only a rare case kills counts as a survivor.
    env: { PROPERTY_RUNS: '0.2', ...temporaryFiles() },
  },
});
