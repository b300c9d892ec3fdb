/** The folders of a folder form layers: no two of them import each other, directly or through others. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const roots = ['src', 'service/src'];
const entries = roots.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }));
const files = entries
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.endsWith('generated'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const imports = files.flatMap(listImports);
const parents = new Set(
  files
    .map((file) => dirname(file))
    .filter((folder) => !roots.includes(folder))
    .map((folder) => dirname(folder)),
);
/**
 * Where only imports of values count: the state of a project and the changes of a plan are tables over the kinds, and the kinds' code takes
 * them, so each names types of the other (`circles.test.ts`).
 */
const LAYERS_OF_VALUES: ReadonlySet<string> = new Set(['src/posthog']);

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function listImports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s+)?([^;']*?)\s*from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm,
  );
  return [...statements].map(([, type, names = '', fixed, lazy]) => ({
    from: file,
    to: relative(root, resolve(join(root, dirname(file)), fixed ?? lazy ?? '')),
    typeOnly: type !== undefined || /^\{(?:\s*type\s[^,}]*,?)+\s*\}$/.test(names),
  }));
}

/** The part of a folder that contains a file: a subfolder, or `.` for a file directly in the folder. */
function findPart(file: string, folder: string): string | undefined {
  const path = relative(folder, file);
  if (path.startsWith('..')) return undefined;
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '.';
}

/** One import for each pair of parts of which one imports the other. */
function listArrows(folder: string): ReadonlyMap<string, ReadonlyMap<string, Import>> {
  const arrows = new Map<string, Map<string, Import>>();
  const counted = LAYERS_OF_VALUES.has(folder) ? imports.filter(({ typeOnly }) => !typeOnly) : imports;
  for (const entry of counted) {
    const [from, to] = [findPart(entry.from, folder), findPart(entry.to, folder)];
    if (from === undefined || to === undefined || from === to) continue;
    arrows.set(from, (arrows.get(from) ?? new Map<string, Import>()).set(to, entry));
  }
  return arrows;
}

/** The imports between parts that remain when parts without arrows to others are removed one by one. */
function listCircles(folder: string): string[] {
  const arrows = new Map([...listArrows(folder)].map(([from, to]) => [from, new Map(to)]));
  for (let size = -1; size !== arrows.size;) {
    size = arrows.size;
    for (const [from, to] of arrows) {
      for (const part of to.keys()) if (!arrows.has(part)) to.delete(part);
      if (to.size === 0) arrows.delete(from);
    }
  }
  return [...arrows.values()].flatMap((to) => [...to.values()].map((entry) => `${entry.from} imports ${entry.to}`));
}

describe('the folders inside', () => {
  it.each([...parents])('%s form layers', (folder) => {
    expect(listCircles(folder)).toEqual([]);
  });
});

it('the rooms of `posthog/` are in ARCHITECTURE.md from the top to the bottom', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [, table = ''] = /^\| room of `posthog\/` .*\n\|.*\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const rows = table.split('\n').map((row) => row.split('|')[1] ?? '');
  const levels = new Map(
    rows.flatMap((cell, level) =>
      cell.includes('files at the top')
        ? [['.', level] as const]
        : [...cell.matchAll(/`([a-z-]+)\/`/g)].map(([, room = '']) => [room, level] as const),
    ),
  );
  const arrows = listArrows('src/posthog');
  expect([...arrows.keys()].filter((room) => !levels.has(room))).toEqual([]);
  const upward = [...arrows].flatMap(([from, to]) =>
    [...to]
      .filter(([room]) => (levels.get(room) ?? -1) <= (levels.get(from) ?? -1))
      .map(([, entry]) => `${entry.from} imports ${entry.to}`),
  );
  expect(upward).toEqual([]);
});
