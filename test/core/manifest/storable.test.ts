/** Strings that the service cannot store are refused. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonArray, isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import { holds } from '../../helpers/runs.ts';
import { check } from './check.ts';

/** Whether UTF-8 and the service's database can store every name and string of a value. */
function isStorable(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return !value.includes('\0') && Buffer.from(value).toString() === value;
  if (isJsonArray(value)) return value.every(isStorable);
  return (
    !isJsonObject(value) || Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member))
  );
}

// Lone surrogates are rare enough that most values are valid.
const string = fc.string({
  unit: fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom('a', 'é', '😀', '\\', '\n', '\u2028', '\ufeff') },
    { weight: 1, arbitrary: fc.constantFrom('\0', '\ud83d', '\ude00', '\udfff') },
  ),
  maxLength: 8,
});
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    string,
    fc.constantFrom(1, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(string, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

it('refuses exactly the names and strings that the service cannot store, at any place', () => {
  holds(500, [json, string, string], (payload, description, tag) => {
    const flag = {
      description,
      tags: [tag],
      filters: {
        groups: [{ properties: [{ key: 'a', operator: 'exact', value: [description] }] }],
        payloads: { true: payload },
      },
    };
    const asText = { ...flag, filters: { ...flag.filters, payloads: { true: JSON.stringify(payload) } } };
    for (const written of [flag, asText]) {
      const expected = isStorable(payload) && isStorable(description) && isStorable(tag) ? [] : ['character-forbidden'];
      // A payload that is a string must be JSON text, which is not tested here.
      const found = check(JSON.stringify({ flags: { f: written } })).diagnostics.filter(
        ({ code, severity }) => code !== 'payload-not-json' && severity === 'error',
      );
      expect([...new Set(found.map(({ code }) => code))]).toEqual(expected);
      expect(found.every(({ place, path }) => place !== undefined && path?.startsWith('/flags/f'))).toBe(true);
    }
  });
});
