import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A guard against a test that hangs. No test relies on it, so it is far longer than any test takes on a loaded machine. */
const HANGS_MS = 180_000;

/**
 * Files whose tests leave nothing behind in their process: they share a worker's modules, which saves loading them for each file.
 * The excluded ones replace modules or watch the process.
 */
const SHARED = [
  'service/test/**/*.test.ts',
  'test/{apply,base,ci,cli,config,convergence,editing,effects,engine,evaluation,expectations,export,git,impact,journal,manifest,policy,posthog,report,security}/**/!(snapshot|interrupts|serve-manifests|docs).test.ts',
];

/** Of these, the ones that start many processes: the larger a process, the longer it takes to start another, so they have workers of their own. */
const STARTING = [
  'test/{ci,git}/**/*.test.ts',
  'test/cli/{approvals,base,bin,busy-project,clones,cohort-drift,doctor,fork-comments,forks,hostile-repositories,journal-process,killed-writes,live-people,pipelines,places}.test.ts',
  'test/cli/{policies,policies-built,policies-of-base,repositories,resume-parallel,reviewed,safety-of-base,three-way}.test.ts',
];

/** What the second run of CI leaves out, which is about time: what waits for processes, git or a browser, and large documents without a clock. */
const UNTIMELY = [
  'test/cli/{approvals,base,busy-project,clones,demo,doctor,fork-comments,forks,hostile-repositories,live-people}.test.ts',
  'test/cli/{pipelines,places,repositories,reviewed}.test.ts',
  'test/cli/{cohort-aliases,cohort-drift,policies,policies-built,policies-of-base,safety-of-base,three-way}.test.ts',
  'test/cli/commands/{accept,export-legacy,export-merge,test-bad-input}.test.ts',
  'test/report/formats/{browser,sizes}.test.ts',
];
const skipped = process.env['ONLY_TIMELY'] === undefined ? [] : UNTIMELY;

export default defineConfig({
  test: {
    setupFiles: ['test/helpers/seeded.ts'],
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    expect: { poll: { timeout: HANGS_MS, interval: 10 } },
    // Many tests wait for a process or a server, so more workers than cores pay off.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // A file that did not change is not transformed again in the next run.
    experimental: { fsModuleCache: true },
    coverage: { provider: 'v8', include: ['src/**', 'service/src/**'], exclude: ['src/**/generated/**'] },
    projects: [
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: SHARED, exclude: [...STARTING, ...skipped] },
      },
      { extends: true, test: { name: 'starting', isolate: false, include: STARTING, exclude: skipped } },
      {
        extends: true,
        test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: [...SHARED, ...STARTING, ...skipped] },
      },
    ],
  },
});
