/**
 * Precision and recall on lines of three public code bases. Somebody read each line that has the words of a key in any casing, and noted the
 * keys of the flags that code names there, before the search ran on them.
 */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { search } from './support.ts';

interface Labelled {
  readonly keys: readonly string[];
  readonly files: Readonly<Record<string, readonly { line: number; text: string; names?: readonly string[] }[]>>;
}

const folder = path.join(import.meta.dirname, 'labelled');
const all = readdirSync(folder).map((file) => {
  const labelled = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Labelled;
  return { name: file, ...measure(labelled) };
});

interface Measured {
  readonly named: readonly string[];
  readonly found: readonly string[];
  /** With what is not certain. */
  readonly mentioned: readonly string[];
}

function measure({ keys, files }: Labelled): Measured {
  const named = Object.entries(files).flatMap(([file, lines]) =>
    lines.flatMap(({ line, names = [] }) => names.map((key) => `${file}:${line} ${key}`)),
  );
  const texts = Object.entries(files).map(([file, lines]) => {
    const text: string[] = [];
    for (const one of lines) text[one.line - 1] = one.text;
    return [file, Array.from(text, (line) => line ?? '').join('\n')] as const;
  });
  const { references } = search(Object.fromEntries(texts), { keys });
  const places = references.map(({ key, place, certain }) => ({ id: `${place.file}:${place.line} ${key}`, certain }));
  const distinct = (some: readonly { readonly id: string }[]): string[] => [...new Set(some.map(({ id }) => id))];
  return { named, found: distinct(places.filter(({ certain }) => certain)), mentioned: distinct(places) };
}

it('at least 99 of 100 places that are found for certain name the flag, and 95 of 100 that name one are found', () => {
  const wrong = all.flatMap(({ found, named }) => found.filter((id) => !named.includes(id)));
  const missed = all.flatMap(({ found, named }) => named.filter((id) => !found.includes(id)));
  const found = all.reduce((sum, one) => sum + one.found.length, 0);
  const named = all.reduce((sum, one) => sum + one.named.length, 0);
  expect({ wrong, isPrecise: wrong.length <= 0.01 * found }).toMatchObject({ isPrecise: true });
  expect({ missed, isComplete: missed.length <= 0.05 * named }).toMatchObject({ isComplete: true });
  expect(named).toBeGreaterThan(150);
});

it.each(all)('no place of $name that names a flag is passed over', ({ named, mentioned }) => {
  expect(named.filter((id) => !mentioned.includes(id))).toEqual([]);
});
