/** Files of `src` import each other without circles; of types, only the kinds and the state that is a table over them do. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { cyclicParts } from '../../src/base/graph.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.endsWith('generated'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

/** The state of a project and the changes of a plan are tables over the kinds, whose code takes them: types refer to each other there. */
const TABLES = 'src/posthog/kind-types.ts';

const imports = new Map(files.map((file) => [file, importsOf(file)]));

it('values form no circle', () => {
  expect(circlesOf(({ typeOnly }) => !typeOnly)).toEqual([]);
});

it('types form one, through the table of the kinds', () => {
  const circles = circlesOf(() => true);
  expect(circles.filter((files) => !files.includes(TABLES))).toEqual([]);
  expect(circles.flat().filter((file) => !file.startsWith('src/posthog/'))).toEqual([]);
});

interface Statement {
  readonly to: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): Statement[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?([^;'"]*?)\s*from\s+'(\.[^']+)'/gm);
  return [...statements].map(([, type, names = '', to = '']) => ({
    to: relative(root, resolve(root, dirname(file), to)),
    typeOnly: type !== undefined || (names.startsWith('{') && membersOf(names).every((one) => one.startsWith('type '))),
  }));
}

function membersOf(names: string): string[] {
  return names
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The files of each circle. */
function circlesOf(isMeant: (one: Statement) => boolean): string[][] {
  const graph = new Map([...imports].map(([file, to]) => [file, to.filter(isMeant).map((one) => one.to)]));
  const circles = new Map<number, string[]>();
  for (const [file, part] of cyclicParts(graph)) circles.set(part, [...(circles.get(part) ?? []), file]);
  return [...circles.values()];
}
