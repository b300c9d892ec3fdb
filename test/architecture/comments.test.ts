/** Doc comments say what a thing is: they begin with a subject, and not with a fragment such as "By key." */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

const FRAGMENT =
  /^(?:about|across|after|against|among|around|as|at|before|behind|below|beside|besides|between|beyond|by|during|for|from|in|inside|into|like|of|off|on|onto|outside|over|per|through|to|toward|towards|under|until|upon|via|with|within|without)\b/i;

/** The beginnings of doc comments that are fragments, with the lines on which they stand. */
function fragmentsIn(text: string): string[] {
  return [...text.matchAll(/\/\*\*\s+(?:\*\s+)?([^\n]*)/g)].flatMap(({ index, 1: first = '' }) =>
    FRAGMENT.test(first) ? [`${text.slice(0, index).split('\n').length}: ${first}`] : [],
  );
}

it('begins no doc comment with a preposition', () => {
  const files = ['service/src', 'src'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(
    files.flatMap((file) => fragmentsIn(readFileSync(path.join(root, file), 'utf8')).map((one) => `${file}:${one}`)),
  ).toEqual([]);
});

it('notices a fragment on one line and on several', () => {
  const text = '/** The flags by key. */\n/** By key. */\n\n  /**\n   * Of one evaluation.\n   */\n/** Forms. */';
  expect(fragmentsIn(text)).toEqual(['2: By key. */', '4: Of one evaluation.']);
});
