/** The tests that run against each mutant: those that stay in this process and are quick, or those of the one room that is measured. */

import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { Reporter, Vitest } from 'vitest/node';
import { temporaryFiles } from './test/helpers/temporary.ts';

const { MUTATED_ROOM: room } = process.env;

/** Tests of a room that are not in the folder of its name, or not all of that folder. */
export const OWN_TESTS: ReadonlyMap<string, readonly string[]> = new Map([
  // It plans whatever kinds there are, and those of PostHog are the only ones.
  ['core/engine', ['test/core/engine/**/*.test.ts', 'test/posthog/planning/**/*.test.ts']],
  ['posthog', ['test/posthog/*.test.ts']],
  // What a manifest may declare of a flag is tested with manifests, and what its changes need and risk with the plan that they are in.
  [
    'posthog/flag',
    [
      'test/posthog/flag/**/*.test.ts',
      'test/posthog/planning/**/*.test.ts',
      'test/posthog/three-way.test.ts',
      'test/core/manifest/!(scale|docs|published-schema).test.ts',
    ],
  ],
  // Each family replays the log of its resources.
  ['posthog/authors', ['test/posthog/authors/**/*.test.ts', 'test/posthog/*/attribution.test.ts']],
  // What other projects have had is read by the command, and what a policy takes is the configuration's.
  [
    'review/policy',
    [
      'test/{review/policy,config}/**/*.test.ts',
      'test/docs/{exceptions,policies}.test.ts',
      'test/report/words/findings.test.ts',
      'test/cli/soaked.test.ts',
    ],
  ],
  ['service', ['service/test/**/*.test.ts']],
  // What the commands do is in `cli/actions`, and its tests would all run for a fault in a declaration.
  [
    'cli/commands',
    ['test/cli/commands/declarations.test.ts', 'test/cli/{access,activity,docs,resources,resources-docs}.test.ts'],
  ],
]);

/**
 * Tests of the parts of the command, which run it in this process: those of the folder of the part, and these. All of them together take longer for
 * one fault than a night has.
 */
export const OF_COMMAND: ReadonlyMap<string, readonly string[]> = new Map([
  ['cli', ['deadline', 'run', 'line/program', 'session/failure']],
  [
    'cli/actions',
    [
      'commands/**/*',
      '{doctor,generate,journal,next-notes,off,off-lies,run-order,three-way,undo-encrypted}',
      '{policies,policies-validate,rollouts-approvals,rollouts-schedules,safety}',
    ],
  ],
  [
    'cli/applied',
    [
      '{base,fail-closed,policies-of-base,repositories,safety-of-base,what-is-recorded}',
      'rollouts-{approvals,at-record,attacks}',
    ],
  ],
  ['cli/code', ['commands/{refs,stale}', '{hidden-code,readers}']],
  ['cli/doctor', ['doctor']],
  ['cli/line', ['docs']],
  ['cli/manifests', ['overlays', 'commands/{accept,export,export-cohorts,export-merge,export-selection,init,promote}']],
  [
    'cli/plan',
    [
      '{deadline,exceptions,impact,named-people,policies,prune,run-order,safety,scheduled-changes}',
      'rollouts-{at,guards,impact}',
      'commands/{drift,plan,plan-against,validate}',
    ],
  ],
  ['cli/project', ['commands/{parity,plan,serve-manifests,test}', '{places,prune,read-once,targeted-reads}']],
  ['cli/resources', ['{access,activity,resources,resources-docs}']],
  ['cli/runs', ['{healing,journal,undo-encrypted}']],
]);

/** One table tests the words of all rooms. */
const WORDS = 'test/report/words/diagnostics.test.ts';

/** What a test imports that starts the built command, in which Stryker cannot change anything. */
const STARTS_BUILT_COMMAND =
  /helpers\/(?:cli|fork|killed-run|pipeline)\.ts|scripts\/demo\.mjs|dist\/cli(?!\/help\.json)/;

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
    include: [...testsFor(room)],
    // A browser, the published files beside the build, the built package, and documents so large that one fault takes a minute.
    exclude: [
      'test/report/formats/{browser,documents,sizes}.test.ts',
      'test/base/schemas.test.ts',
      'service/test/{durability,store/libsql}.test.ts',
      ...startsOfCommand(),
    ],
    // Those of `vitest.config.ts` choose nothing here.
    strictTags: false,
    setupFiles: ['test/helpers/seeded.ts', 'test/helpers/load-room.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 30_000, interval: 10 } },
    // Short property runs: a mutant that only a rare case kills counts as a survivor.
    env: { PROPERTY_RUNS: '0.2', ...temporaryFiles() },
  },
});

/** Globs. Without a room, those of what `npm run mutate` changes. */
export function testsFor(measured: string | undefined): readonly string[] {
  if (measured === undefined)
    return [
      'test/{core/engine,posthog,loop/apply,loop/journal,convergence}/**/*.test.ts',
      'test/faults/editors.test.ts',
    ];
  const own = OWN_TESTS.get(measured);
  if (own !== undefined) return [...own, WORDS];
  const further = (OF_COMMAND.get(measured) ?? []).map((test) => `test/cli/${test}.test.ts`);
  return [...(measured === 'cli' ? [] : [`test/${measured}/**/*.test.ts`]), ...further, WORDS];
}

/** Tests that start the built command, in which a fault of this process is not. */
function startsOfCommand(): readonly string[] {
  return readdirSync('test/cli', { recursive: true, encoding: 'utf8' })
    .map((file) => `test/cli/${file}`)
    .filter((file) => file.endsWith('.test.ts') && STARTS_BUILT_COMMAND.test(readFileSync(file, 'utf8')));
}
