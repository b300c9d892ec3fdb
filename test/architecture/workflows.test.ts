/** The workflows of this repository itself: which code of others they run, and what they keep between runs. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { OF_COMMAND, OWN_TESTS, testsFor } from '../../vitest.mutate.config.ts';

const FOLDER = path.join(import.meta.dirname, '../../.github/workflows');
const FILES = readdirSync(FOLDER);
const read = (file: string): string => readFileSync(path.join(FOLDER, file), 'utf8');

test.each(FILES)('%s names each action by its hash, with its version beside it', (file) => {
  const used = read(file).match(/uses: .*/g) ?? [];
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test.each(FILES)('%s leaves no token in its checkouts', (file) => {
  const text = read(file);
  expect(text.match(/persist-credentials: false/g)?.length).toBe(text.match(/uses: actions\/checkout@/g)?.length);
});

test('the workflow that publishes takes nothing from a cache', () => {
  expect(read('publish.yml')).not.toMatch(/^\s*(?:with:.*)?\bcache\b/m);
});

describe('the sample of mutants of each night', () => {
  const ROOT = path.join(FOLDER, '../..');
  const rooms = JSON.parse(
    execFileSync(process.execPath, ['scripts/mutate-sample.mjs', '--rooms'], { cwd: ROOT, encoding: 'utf8' }),
  ) as string[];

  test('has every room: each module of src is in the room of one of the folders around it', () => {
    const modules = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .map((file) => file.split(path.sep).join('/'))
      .filter((file) => file.endsWith('.ts') && file.includes('/') && !file.includes('generated'));
    expect(modules.filter((file) => !rooms.some((room) => file.startsWith(`${room}/`)))).toEqual([]);
    expect(rooms).toEqual(
      expect.arrayContaining(['cli/plan', 'posthog/flag', 'code/references', 'core/rollout', 'service']),
    );
    expect(new Set(rooms).size).toBe(rooms.length);
  });

  test.each([undefined, ...rooms])('runs tests that exist against the faults of %s', (room) => {
    const globs = testsFor(room).flatMap(alternatives);
    expect(globs.filter((glob) => globSync(glob, { cwd: ROOT }).length === 0)).toEqual([]);
  });

  test('knows tests of rooms only that there are', () => {
    expect([...OWN_TESTS.keys(), ...OF_COMMAND.keys()].filter((room) => !rooms.includes(room))).toEqual([]);
  });

  test('takes the rooms from that list, one job for each', () => {
    const text = read('ci.yml');
    expect(text).toContain('mutate-sample.mjs --rooms');
    expect(text).toContain('room: ${{ fromJSON(needs.rooms.outputs.names) }}');
    expect(text).toContain('npm run mutate:sample -- "$ROOM"');
  });
});

/** `{a,b}.ts` is `a.ts` and `b.ts`. */
function alternatives(glob: string): string[] {
  const [whole, list] = /\{([^{}]*)\}/.exec(glob) ?? [];
  return whole === undefined
    ? [glob]
    : (list ?? '').split(',').flatMap((one) => alternatives(glob.replace(whole, one)));
}
