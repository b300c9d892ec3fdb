/** Random input of an attacker: mostly valid, with some values wrong, huge or strange. */

import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { HOSTILE } from './hostile.ts';
import { ANY_CHARACTER } from '../helpers/any-character.ts';

/** For long runs: `FUZZ_RUNS=20000 npx vitest run test/security/fuzz`. */
export const RUNS: number = Number(process.env['FUZZ_RUNS'] ?? 150);

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '0',
  '-1',
  '',
  ' ',
  HOSTILE,
];

const FIELDS = [
  'flags',
  'role_access',
  'key',
  'id',
  'name',
  'description',
  'active',
  'deleted',
  'filters',
  'groups',
  'properties',
  'type',
  'operator',
  'value',
  'rollout_percentage',
  'variant',
  'multivariate',
  'variants',
  'payloads',
  'true',
  'projects',
  'fields',
  'previous_keys',
  'only_in',
  'tags',
  'aggregation_group_type_index',
  'group_type_index',
  'results',
  'count',
  'next',
  'role',
  'version',
  'super_groups',
  'holdout',
  'manifests',
  'host',
  'project_id',
  'api_key_env',
  'scope',
  'include',
  'limits',
  'deletes',
  'protected',
  'service',
  'roles',
  'cohorts',
  'detail',
  'code',
  'attr',
  'changes',
  'hazards',
  'fingerprint',
  'ref',
  'needs',
  'body',
  'base',
  'rules',
  'match',
  'then',
  'status',
  'times',
  'persons',
  'distinct_ids',
  'created_at',
  'x-common',
  '<<',
];

const WORDS = [
  'a',
  'b',
  'checkout',
  'person',
  'cohort',
  'flag',
  'group',
  'exact',
  'regex',
  'flag_evaluates_to',
  'between',
  'is_date_before',
  'control',
  'engineering',
  'production',
  'embedded',
  'https://us.posthog.com',
  '1',
  '-7d',
  '1.2.3',
  '*',
  '{a,b}*',
  '(a',
  '[',
  '{"a":1}',
  '2024-01-01T00:00:00Z',
  '********* (encrypted)',
  '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11',
  'http://x/?limit=1&offset=1',
  'x'.repeat(500),
];

export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 20 }) },
);

export const name: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...FIELDS) },
  { weight: 2, arbitrary: fc.constantFrom(...WORDS, ...NAMES) },
  { weight: 1, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 8 }) },
);

const number = fc.constantFrom(0, 1, 2, 42, 50, 100, -1, 0.1, 33.3, 1e9, 2 ** 53, -(2 ** 31), 1e308, 5e-324);

const leaf: fc.Arbitrary<JsonValue> = fc.oneof(text, number, fc.boolean(), fc.constant(null));

/** Any JSON, with names that flagwright reads. */
export const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value;

/** A valid document with some values replaced, removed or duplicated. */
export function mutated(document: JsonValue): fc.Arbitrary<JsonValue> {
  const step = fc.record({
    at: fc.nat(),
    what: fc.constantFrom<'replace' | 'remove' | 'add'>('replace', 'replace', 'remove', 'add'),
    name,
    value: fc.oneof(leaf, json),
  });
  return fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => {
    const copy = structuredClone(document);
    for (const { at, what, name: member, value } of steps) {
      const places = placesIn(copy);
      const place = places[at % Math.max(1, places.length)];
      if (place === undefined) continue;
      const { holder, key } = place;
      if (what === 'remove') remove(holder, key);
      else define(holder, what === 'add' && !Array.isArray(holder) ? member : key, value);
    }
    return copy;
  });
}

type Holder = Record<string, JsonValue>;

function placesIn(value: JsonValue): { holder: Holder; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key] ?? null)]);
}

function remove(holder: Holder, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}

function define(holder: Holder, key: string, value: JsonValue): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}

const FRAGMENTS = [
  'flags:',
  'role_access:',
  '\n',
  '\n  ',
  '\n    ',
  '- ',
  '? ',
  ': ',
  '&a ',
  '*a',
  '<<: ',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  "'",
  '|',
  '>-',
  '#',
  '---',
  '...',
  '!!str ',
  '!!binary ',
  '!<tag:x> ',
  '%YAML 1.1',
  '\t',
  '\r',
  '\u0000',
  '\ufeff',
  '\u2028',
  '0x1F',
  '1e999',
  '.inf',
  '.nan',
  '0o17',
  '~',
  'null',
  'true',
  '12345678901234567890',
  '\\',
  '\\u12',
];

/** Text that is rarely valid YAML. */
export const yamlText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.constantFrom(...FIELDS), text), { maxLength: 60 })
  .map((pieces) => pieces.join(''));

export const object: fc.Arbitrary<JsonObject> = fc.dictionary(name, json, { maxKeys: 6, noNullPrototype: true });
