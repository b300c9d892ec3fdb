import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { defineConfig } from 'vitest/config';
import { temporaryFiles } from './test/helpers/temporary.ts';

/** What is known of each file; see `startsProcesses`. */
const starting = new Map<string, boolean>();

/** A guard against a test that hangs. No test relies on it, so it is far longer than any test takes on a loaded machine. */
const HANGS_MS = 180_000;

/**
 * Most functions run a few times in a test, and a fifth of the suite's CPU would go to optimising them: V8 does so later. Later releases
 * of Node count otherwise, as in `src/cli/session/compile-cache.ts`.
 */
const OPTIMISE_LATE = process.versions.node.startsWith('20.') ? ['--interrupt-budget=2000000'] : [];

/**
 * Files whose tests leave nothing behind in their process: they share a worker's modules, which saves loading them for each file.
 * The excluded ones replace modules, watch the process, or only start programs, for which a small process is best.
 */
const SHARED = [
  'service/test/**/*.test.ts',
  'test/!(docs|examples|testing)/**/!(interrupts|look-ups|serve-manifests|snapshot).test.ts',
  'test/docs/{clicks,doctor,effects,guides,interface,numbers,policies,schema-catalog,security,site,upgrading}.test.ts',
  'test/*.test.ts',
];

/**
 * Of these, the ones that start processes: the larger a process, the longer it takes to start another, so they have workers of their own.
 */
const STARTING = globSync(SHARED).filter((file) => startsProcesses(path.resolve(file)));

/** Whether the file does so itself or through a helper. */
function startsProcesses(file: string): boolean {
  const known = starting.get(file);
  if (known !== undefined) return known;
  starting.set(file, false);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const helpers = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) => path.resolve(path.dirname(file), to));
  const starts = text.includes("'node:child_process'") || helpers.filter(isOfTests).some(startsProcesses);
  starting.set(file, starts);
  return starts;
}

function isOfTests(file: string): boolean {
  return /^(?:service\/)?test\//.test(path.relative(import.meta.dirname, file).replaceAll(path.sep, '/'));
}

/** What the second run of CI leaves out, which is about time: what waits for processes, git or a browser, and large documents without a clock. */
const UNTIMELY = [
  'test/cli/{approvals,base,busy-project,clones,container,demo,doctor,doctor-built,early-access,fail-closed,fork-comments,forks,hostile-repositories}.test.ts',
  'test/cli/{pipelines,places,readers,repositories,reviewed,what-is-recorded}.test.ts',
  // Those of days, moments and time zones stay.
  'test/cli/rollouts-{approvals,impact,review}.test.ts',
  'test/cli/{cohort-aliases,cohort-drift,policies,policies-built,policies-of-base,safety-of-base,three-way}.test.ts',
  'test/cli/commands/{accept,early-access,export-legacy,export-merge,refs,stale,test-bad-input}.test.ts',
  'test/report/formats/{browser,sizes}.test.ts',
];
/** Files that share a worker must leave nothing for the next one. */
const LEFTOVERS = ['test/helpers/leftovers.ts'];
const skipped = process.env['ONLY_TIMELY'] === undefined ? [] : UNTIMELY;

export default defineConfig({
  test: {
    setupFiles: ['test/helpers/seeded.ts'],
    env: temporaryFiles(),
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    execArgv: OPTIMISE_LATE,
    expect: { poll: { timeout: HANGS_MS, interval: 10 } },
    // Many tests wait for a process or a server, so more workers than cores pay off.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // A file that did not change is not transformed again in the next run.
    experimental: { fsModuleCache: true },
    coverage: { provider: 'v8', include: ['src/**', 'service/src/**'], exclude: ['src/**/generated/**'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          setupFiles: LEFTOVERS,
          include: SHARED,
          exclude: [...STARTING, ...skipped],
        },
      },
      { extends: true, test: { name: 'starting', isolate: false, include: STARTING, exclude: skipped } },
      {
        extends: true,
        test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: [...SHARED, ...STARTING, ...skipped] },
      },
    ],
  },
});
