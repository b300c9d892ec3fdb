/** The tests that run against each mutant: those that stay in this process and are quick, or those of the one room that is measured. */

import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { Reporter, Vitest } from 'vitest/node';
import { temporaryFiles } from './test/helpers/temporary.ts';

const { MUTATED_ROOM: room } = process.env;

/** Tests of a room that are not in the folder of its name, or not all of that folder. */
const OWN_TESTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['posthog', ['test/posthog/*.test.ts']],
  // Each family replays the log of its resources.
  ['posthog/authors', ['test/posthog/authors/**/*.test.ts', 'test/posthog/*/attribution.test.ts']],
  ['service', ['service/test/**/*.test.ts']],
]);

/** One table tests the words of all rooms. */
const WORDS = 'test/report/words/diagnostics.test.ts';

/** What a test imports that starts the built command, in which Stryker cannot change anything. */
const STARTS_BUILT_COMMAND = /helpers\/(?:cli|fork|killed-run|pipeline)\.ts|scripts\/demo\.mjs|dist\/cli/;

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
        : [...(OWN_TESTS.get(room) ?? testsOf(room)), WORDS],
    // A browser, the published files beside the build, and the built package.
    exclude: [
      'test/report/formats/{browser,documents}.test.ts',
      'test/base/schemas.test.ts',
      'service/test/{durability,store/libsql}.test.ts',
    ],
    setupFiles: ['test/helpers/seeded.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 30_000, interval: 10 } },
    // Short property runs: a mutant that only a rare case kills counts as a survivor.
    env: { PROPERTY_RUNS: '0.2', ...temporaryFiles() },
  },
});

/** The rooms of the command are tested through the command, so each has all of its tests that run it in this process. */
function testsOf(measured: string): readonly string[] {
  if (!/^cli\b/.test(measured)) return [`test/${measured}/**/*.test.ts`];
  const files = readdirSync('test/cli', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  return files
    .map((file) => `test/cli/${file}`)
    .filter((file) => !STARTS_BUILT_COMMAND.test(readFileSync(file, 'utf8')));
}
