// Measures, room by room, how many faults a room's own tests catch: draws lines of each room at random, changes them with Stryker, and
// prints a table. A sample of a night is small; the seed of a night draws other lines than the one before. A fault that takes
// away a block of several lines is not drawn: such faults are the easiest to catch.
// Usage: node scripts/mutate-sample.mjs [--seed TEXT] [--lines NUMBER] [ROOM…], where a room is a folder of src, or `service`; without
// one, all are measured. With --rooms it prints a JSON list of all instead.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

/** Rooms so large that their parts are measured one by one. */
const DIVIDED = new Set(['cli', 'code', 'core', 'loop', 'posthog', 'review']);
/** The embedded service, whose tests are beside it. */
const SERVICE = 'service';
/** It is the process itself: the tests of the built command run it, and no test in which Stryker can change it. */
const PROCESS = join('src', 'cli', 'bin.ts');
/** A fault that stops a module from loading ends all tests of it (`vitest.mutate.config.ts`), which Stryker calls an error. */
const CAUGHT = new Set(['Killed', 'Timeout', 'RuntimeError']);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    lines: { type: 'string', default: '250' },
    rooms: { type: 'boolean', default: false },
  },
});
const rooms = positionals.length === 0 ? listRooms() : positionals;
const strange = rooms.filter((room) => !listRooms().includes(room));
if (strange.length > 0) throw new Error(`No room is called ${strange.join(', ')}: --rooms lists them all.`);
if (values.rooms) process.stdout.write(`${JSON.stringify(rooms)}\n`);
else report(rooms.map((room) => measure(room)));

function report(rows) {
  const table = [
    '| room | caught | faults | share |',
    '|---|---|---|---|',
    ...rows.map(({ room, caught, all, note }) =>
      note === undefined
        ? `| ${room} | ${caught} | ${all} | ${all === 0 ? '–' : `${Math.round((100 * caught) / all)} %`} |`
        : `| ${room} | – | – | ${note} |`,
    ),
  ].join('\n');
  const heading = `Faults that the tests of each room catch (seed ${values.seed}, ${values.lines} lines a room)`;
  process.stdout.write(`\n${heading}\n\n${table}\n`);
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  if (summary) appendFileSync(summary, `## ${heading}\n\n${table}\n`);
  process.exitCode = rows.some(({ note }) => note !== undefined) ? 1 : 0;
}

function listRooms() {
  const rooms = listFolders('src').flatMap((name) =>
    DIVIDED.has(name) ? [name, ...listFolders(join('src', name)).map((part) => join(name, part))] : [name],
  );
  return [...rooms, SERVICE];
}

function listFolders(parent) {
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function measure(room) {
  const lines = draw(listFiles(room).flatMap(listLines), Number(values.lines));
  if (lines.length === 0) return { room, note: 'no files' };
  process.stdout.write(`== ${room}: ${lines.length} lines\n`);
  const report = 'reports/mutation/mutation.json';
  // Results of an earlier room would count among this one's.
  const kept = 'reports/mutation/sample.json';
  for (const file of [report, kept]) rmSync(file, { force: true });
  const stryker = join('node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const options = ['--incrementalFile', kept, '--mutate', lines.join(',')];
  const run = spawnSync(process.execPath, [stryker, 'run', ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATED_ROOM: room },
  });
  if (run.status !== 0 || !existsSync(report)) return { room, note: 'the run failed' };
  const own = `reports/mutation/${room.replaceAll('/', '-')}.json`;
  copyFileSync(report, own);
  process.stdout.write(`${room}: each fault and what became of it is in ${own}\n`);
  const found = Object.values(JSON.parse(readFileSync(report, 'utf8')).files).flatMap(({ mutants }) => mutants);
  const counted = found.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
  const caught = counted.filter(({ status }) => CAUGHT.has(status)).length;
  return { room, caught, all: counted.length };
}

/** A divided room's own files are those directly in it. */
function listFiles(room) {
  const folder = room === SERVICE ? 'service/src' : join('src', room);
  return readdirSync(folder, { recursive: !DIVIDED.has(room), withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('generated'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => file !== PROCESS);
}

/** As Stryker names them. */
function listLines(file) {
  const count = readFileSync(file, 'utf8').split('\n').length;
  return Array.from({ length: count }, (_, index) => `${file}:${index + 1}-${index + 1}`);
}

/** The first ones in the order of their hashes with the seed. */
function draw(lines, count) {
  const hashOf = (line) => createHash('sha256').update(`${values.seed} ${line}`).digest('hex');
  const order = new Map(lines.map((line) => [line, hashOf(line)]));
  return lines.toSorted((a, b) => (order.get(a) < order.get(b) ? -1 : 1)).slice(0, count);
}
