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
/** Folders whose parts still import each other. */
const UNLAYERED: ReadonlySet<string> = new Set(['src/posthog']);

type Import = readonly [from: string, to: string];

function listImports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s[^;]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm);
  return [...statements].map(([, fixed, lazy]) => [
    file,
    relative(root, resolve(join(root, dirname(file)), fixed ?? lazy ?? '')),
  ]);
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
  for (const entry of imports) {
    const [from, to] = entry.map((file) => findPart(file, folder));
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
  return [...arrows.values()].flatMap((to) => [...to.values()].map(([from, target]) => `${from} imports ${target}`));
}

describe('the folders inside', () => {
  it.each([...parents].filter((folder) => !UNLAYERED.has(folder)))('%s form layers', (folder) => {
    expect(listCircles(folder)).toEqual([]);
  });
});
