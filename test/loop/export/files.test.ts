import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/base/json.ts';
import { writeFiles, type ChosenFlag } from '../../../src/loop/export/files.ts';
import { lookupNames } from '../../../src/posthog/flag/model/references.ts';
import { NAMES } from './loaded-back.ts';

function chosen(key: string, id: number): ChosenFlag {
  return { flag: { id, key, name: 'x'.repeat(100) }, form: 'checked', reasons: [] };
}

const input = { flags: [], roleAccess: undefined, names: NAMES };
const names = lookupNames([], NAMES);

test('a file that would exceed the size limit is split', () => {
  const flags = ['a', 'b', 'c', 'flags-2', 'e'].map(chosen);
  const files = writeFiles(flags, { input, names, options: { groupBy: 'single' } }, 300);
  expect(files.map(({ path, text }) => [path, Object.keys((parse(text) as { flags: JsonObject }).flags)])).toEqual([
    ['flags-2.yaml', ['c']],
    ['flags-3.yaml', ['e', 'flags-2']],
    ['flags.yaml', ['a', 'b']],
  ]);
});

test('parts have unique names', () => {
  const flags = ['C', 'c', 'c-2'].map(chosen);
  const files = writeFiles(flags, { input, names, options: { groupBy: 'flag' } }, 150);
  expect(files.map(({ path, text }) => [path, Object.keys((parse(text) as { flags: JsonObject }).flags)])).toEqual([
    ['c-2.yaml', ['c-2']],
    ['c-3.yaml', ['c']],
    ['c.yaml', ['C']],
  ]);
});

test('a single flag is one file, however large', () => {
  expect(writeFiles([chosen('a', 1)], { input, names, options: {} }, 10)).toHaveLength(1);
});
