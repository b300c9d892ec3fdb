// Runs the tests that are nearest to what changed, in a few seconds: those of the changed files, then those that import them, then those that
// import these, until the time is spent. What it leaves out it counts. A build takes longer than these tests: until it is made, those that run what is built are left out.
// Usage: node scripts/related-tests.mjs [--all] [--list] [--seconds NUMBER] [COMMIT], where the changes are those since COMMIT, or the last one.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { isBuilt } from './build-digest.mjs';

const DURATIONS = 'node_modules/.vite/vitest';
/** Of a test file that has not run on this machine. */
const USUAL_MS = 300;
/** On a busy machine the durations say little. */
const FEWEST = 5;
const MODULE = /\.(?:ts|mjs|cjs)$/;
const TEST = /\.test\.ts$/;
/** What a module loads; types are for the compiler. */
const LOADS = /(?:^(?:import|export)(?! type\b)[^'";]*?|\bimport\(\s*|\bnew URL\(\s*)['"](\.{1,2}\/[^'"]+)['"]/gm;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
  },
});

const modules = readModules();
const durations = readDurations();
const ranked = rank(changedSince(positionals[0] ?? 'HEAD'));
const unbuilt = values.all || isBuilt(process.cwd()) ? [] : ranked.filter(needsBuild);
const ready = ranked.filter((file) => !unbuilt.includes(file));
const chosen = values.all ? ranked : withinTime(ready, Number(values.seconds) * 1000);
const left = ranked.length - chosen.length;
if (left > 0) {
  const old = unbuilt.length === 0 ? '' : `, ${unbuilt.length} of them until the next build`;
  process.stdout.write(
    `${left} of ${ranked.length} tests that the changes reach are left out${old}; --all runs them.\n`,
  );
}
if (values.list) process.stdout.write(chosen.map((file) => `${file}\n`).join(''));
else if (ranked.length === 0) process.stdout.write('The changes reach no test.\n');
else if (chosen.length > 0) process.exitCode = run(chosen);

/** The text of each module of the repository, by path. */
function readModules() {
  const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter(
    (file) => MODULE.test(file) && existsSync(file),
  );
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

function changedSince(commit) {
  return [...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')];
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter(Boolean);
}

/** The tests that the changes reach, nearest first; of those as near, those in the folder of a change, then the short ones. */
function rank(changed) {
  const steps = stepsFrom(changed);
  const tests = [...steps.keys()].filter((file) => TEST.test(file));
  const rooms = new Set(changed.map((file) => path.dirname(file).replace(/^(?:src|test)\/?/, '')));
  const distance = (file) => 2 * steps.get(file) + (rooms.has(path.dirname(file).replace(/^test\/?/, '')) ? 0 : 1);
  return tests.toSorted((one, other) => distance(one) - distance(other) || msOf(one) - msOf(other));
}

/** How many imports lie between a change and each module that loads it. */
function stepsFrom(changed) {
  const loaders = loadersOf();
  const steps = new Map();
  for (const file of changed) if (!MODULE.test(file)) loaders.set(file, namersOf(file));
  let next = changed;
  for (let step = 0; next.length > 0; step += 1) {
    next = [...new Set(next)].filter((file) => !steps.has(file));
    for (const file of next) steps.set(file, step);
    next = next.flatMap((file) => loaders.get(file) ?? []);
  }
  return steps;
}

function loadersOf() {
  const loaders = new Map();
  for (const [file, text] of modules) {
    for (const loaded of loadedBy(file, text)) loaders.set(loaded, [...(loaders.get(loaded) ?? []), file]);
  }
  return loaders;
}

function loadedBy(file, text) {
  return [...text.matchAll(LOADS)].map(([, to]) => path.posix.join(path.dirname(file), to));
}

/** Who reads a document: the modules that name it. */
function namersOf(file) {
  const name = path.basename(file);
  return [...modules].filter(([, text]) => text.includes(name)).map(([module]) => module);
}

/** The nearest ones always; others until their time is spent. */
function withinTime(files, ms) {
  let spent = 0;
  return files.filter((file, index) => {
    spent += msOf(file);
    return index < FEWEST || spent <= ms;
  });
}

function msOf(file) {
  return durations.get(file) ?? USUAL_MS;
}

/** Of the last runs on this machine, as vitest keeps them. */
function readDurations() {
  return new Map(
    keptResults().flatMap((kept) =>
      JSON.parse(readFileSync(kept, 'utf8')).results.map(([name, { duration }]) => [
        name.slice(name.indexOf(':') + 1),
        duration,
      ]),
    ),
  );
}

function keptResults() {
  if (!existsSync(DURATIONS)) return [];
  return readdirSync(DURATIONS, { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name) === 'results.json')
    .map((name) => path.join(DURATIONS, name));
}

function run(files) {
  if (files.some(needsBuild)) {
    const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-changed'], { stdio: 'inherit' });
    if (status !== 0) return status ?? 1;
  }
  return spawnSync('npx', ['vitest', 'run', ...files], { stdio: 'inherit' }).status ?? 1;
}

/** Whether a test, or a helper that it loads, names what is built. */
function needsBuild(test) {
  const found = new Set([test]);
  for (const file of found) {
    for (const loaded of loadedBy(file, modules.get(file) ?? '')) {
      if (/(?:^|\/)test\//.test(loaded) && modules.has(loaded)) found.add(loaded);
    }
  }
  return [...found].some((file) => modules.get(file)?.includes('dist/') === true);
}
