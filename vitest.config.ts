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

/** Files that share a worker must leave nothing for the next one. */
const LEFTOVERS = ['test/helpers/leftovers.ts'];

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
    // The second run of CI, which is about time, leaves these out by `--tags-filter '!untimely'`. A file has the tag in a comment.
    tags: [
      {
        name: 'untimely',
        description: 'Waits for processes, git or a browser, or has large documents without a clock.',
      },
    ],
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
          exclude: STARTING,
        },
      },
      { extends: true, test: { name: 'starting', isolate: false, include: STARTING } },
      {
        extends: true,
        test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: [...SHARED, ...STARTING] },
      },
    ],
  },
});
