/** Loads and plans exported manifests, and reports which live flags they do not reproduce. */

import { expect, test } from 'vitest';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { ExportCheck } from '../../../src/loop/export/prove.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { readBack, writeManifests } from '../../../src/loop/export/write-manifests.ts';
import { NAMES } from './loaded-back.ts';

const FLAG: Flag = { id: 1, key: 'a', active: true, name: 'A' };

function read(text: string, flags: readonly Flag[] = [FLAG]): ExportCheck {
  return readBack([{ path: 'a.yaml', text }], flags, { input: { flags, roleAccess: undefined, names: NAMES } });
}

test.each([
  ['as it is', 'flags: { a: { active: true, description: A } }', []],
  ['less of it', 'flags: { a: {} }', []],
  ['a warning', 'flags: { a: { projects: { exported: null } } }', []],
  ['another value', 'flags: { a: { active: false } }', ['reads-differently']],
  ['nothing', 'flags: {}', ['reads-differently']],
  ['a tombstone', 'flags: { a: { deleted: true } }', ['reads-differently']],
  ['a mistake', 'flags: { a: { activ: true } }', ['property-unknown']],
  ['two mistakes, one of them twice', 'flags: { a: { tags: [1, 2], activ: 1 } }', ['property-unknown', 'type-wrong']],
])('%s', (_what, text, reasons) => {
  expect(read(text)).toEqual({ reasons: new Map(reasons.length === 0 ? [] : [['a', reasons]]), unplaced: [] });
});

test('a file that cannot be read has problems of no flag', () => {
  expect(read('flags: { a: [').unplaced).toEqual(['yaml-syntax']);
});

test('so does a file that is too large', () => {
  expect(read(`flags: { a: {} } # ${'x'.repeat(10_000_000)}`)).toEqual({
    reasons: new Map([['a', ['reads-differently']]]),
    unplaced: ['file-too-large'],
  });
});

test('values that look like a slip are exported with the places that are intended, and load without an error', () => {
  const property = (operator: string, value: JsonValue): JsonObject => ({ key: 'k', type: 'person', operator, value });
  const properties = [
    property('is_not', []),
    property('exact', []),
    property('icontains', ''),
    property('exact', [' a\u00a0']),
  ];
  const filters = {
    groups: [
      { properties, rollout_percentage: 100 },
      { properties: [{ ...property('is_set', 'is_set'), key: '“k”' }] },
    ],
  };
  const flags = [{ ...FLAG, filters }] as unknown as readonly Flag[];
  const { files, unchecked, notExported } = writeManifests({ flags, roleAccess: undefined, names: NAMES });
  expect([unchecked, notExported]).toEqual([[], []]);
  const text = files.map((file) => file.text).join('');
  expect(text).toMatch(
    /intended:\n +- \/filters\/groups\/0\/properties\/0\/value\n +- .*properties\/2\/value\n +- \/filters\/groups\/1\/properties\/0\/key/,
  );
  expect(text).toContain('filters:\n');
  expect(read(text, flags)).toEqual({ reasons: new Map(), unplaced: [] });
});
