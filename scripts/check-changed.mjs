// Checks what changed since the last commit, or since another one: builds if the sources changed, checks the types of everything, and lints and formats the changed files.
// What the whole repository is asked (dead code, the package) is for `npm run check`. Usage: node scripts/check-changed.mjs [COMMIT].

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const commit = process.argv[2] ?? 'HEAD';
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', commit),
  ...git('ls-files', '--others', '--exclude-standard'),
];
const modules = changed.filter((file) => /\.(?:ts|mjs|cjs)$/.test(file));

const passed = await Promise.all([
  // The types need the validators that the build makes.
  check('build', 'scripts/build.mjs', '--if-changed').then(
    async (isBuilt) =>
      isBuilt && (await Promise.all(readTypeChecks().map((args) => check('types', ...args)))).every(Boolean),
  ),
  modules.length === 0 || check('lint', 'node_modules/oxlint/bin/oxlint', '--deny-warnings', ...modules),
  changed.length === 0 ||
    check('format', 'node_modules/prettier/bin/prettier.cjs', '--check', '--ignore-unknown', ...changed),
]);
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** The arguments of Node in the script `types` of package.json: what runs in a browser has types of its own. */
function readTypeChecks() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return scripts.types.split(' && ').map((command) => command.replace(/^node /, '').split(' '));
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter(Boolean);
}

/** Whether the program ends well. One line says so, with its time; after a failure, what it printed follows. */
async function check(name, ...args) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok' : 'FAILED'}  ${name} (${seconds} s)\n`);
  if (code !== 0) process.stdout.write(`${Buffer.concat(printed).toString()}\n`);
  return code === 0;
}
