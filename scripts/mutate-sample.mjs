// Measures, room by room, how many faults a room's own tests catch: draws files of each room at random, changes them with Stryker, and
// prints a table. A sample of a night is small; the seed of a night draws other files than the one before.
// Usage: node scripts/mutate-sample.mjs [--seed TEXT] [--lines NUMBER] [ROOM…], where a room is a folder of src that test/ has too, or `service`.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

/** The command's tests start processes of the built modules, in which Stryker cannot change anything. */
const UNMEASURED = new Set(['cli']);
/** Rooms so large that their parts are measured one by one. */
const DIVIDED = new Set(['posthog']);
/** The embedded service, whose tests are beside it. */
const SERVICE = 'service';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    lines: { type: 'string', default: '250' },
  },
});
const rooms = positionals.length === 0 ? listRooms() : positionals;
const rows = rooms.map((room) => measure(room));
const table = [
  '| room | caught | faults | share |',
  '|---|---|---|---|',
  ...rows.map(({ room, caught, all, note }) =>
    note === undefined
      ? `| ${room} | ${caught} | ${all} | ${all === 0 ? '–' : `${Math.round((100 * caught) / all)} %`} |`
      : `| ${room} | – | – | ${note} |`,
  ),
].join('\n');
const heading = `Faults that the tests of each room catch (seed ${values.seed}, about ${values.lines} lines a room)`;
process.stdout.write(`\n${heading}\n\n${table}\n`);
const { GITHUB_STEP_SUMMARY: summary } = process.env;
if (summary) appendFileSync(summary, `## ${heading}\n\n${table}\n`);
process.exitCode = rows.some(({ note }) => note !== undefined) ? 1 : 0;

function listRooms() {
  const folders = listFolders('src').filter((name) => !UNMEASURED.has(name));
  const ofSources = folders
    .flatMap((name) =>
      DIVIDED.has(name) ? [name, ...listFolders(join('src', name)).map((part) => join(name, part))] : [name],
    )
    .filter((room) => existsSync(join('test', room)));
  return [...ofSources, SERVICE];
}

function listFolders(parent) {
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function measure(room) {
  const files = draw(listFiles(room), Number(values.lines));
  if (files.length === 0) return { room, note: 'no files' };
  process.stdout.write(`== ${room}: ${files.join(' ')}\n`);
  const report = 'reports/mutation/mutation.json';
  // Results of an earlier room would count among this one's.
  const kept = 'reports/mutation/sample.json';
  for (const file of [report, kept]) rmSync(file, { force: true });
  const stryker = join('node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const options = ['--incrementalFile', kept, '--mutate', files.join(',')];
  const run = spawnSync(process.execPath, [stryker, 'run', ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATED_ROOM: room },
  });
  if (run.status !== 0 || !existsSync(report)) return { room, note: 'the run failed' };
  const found = Object.values(JSON.parse(readFileSync(report, 'utf8')).files).flatMap(({ mutants }) => mutants);
  const counted = found.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
  const caught = counted.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  return { room, caught, all: counted.length };
}

/** A divided room's own files are those directly in it. */
function listFiles(room) {
  const folder = room === SERVICE ? 'service/src' : join('src', room);
  return readdirSync(folder, { recursive: !DIVIDED.has(room), withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('generated'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** In the order of their hashes with the seed, until the lines are enough. */
function draw(files, lines) {
  const order = new Map(
    files.map((file) => [file, createHash('sha256').update(`${values.seed} ${file}`).digest('hex')]),
  );
  const drawn = [];
  let left = lines;
  for (const file of files.toSorted((a, b) => (order.get(a) < order.get(b) ? -1 : 1))) {
    if (left <= 0) break;
    drawn.push(file);
    left -= readFileSync(file, 'utf8').split('\n').length;
  }
  return drawn;
}
