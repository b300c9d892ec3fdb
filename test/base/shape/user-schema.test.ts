/** A schema that a user wrote judges as ajv does, or is refused: no keyword is ignored. */

import '../../helpers/seeded.ts';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { findSchemaFaults } from '../../../src/base/shape/user-schema.ts';
import { createValidator } from '../../../src/base/shape/validator.ts';
import { anyPayload, anySchema, type Draft } from '../../helpers/json-schemas.ts';

const DRAFTS: Readonly<Record<Draft, typeof Ajv | typeof Ajv2020>> = { 'draft-07': Ajv, '2020-12': Ajv2020 };
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

it.each<Draft>(['draft-07', '2020-12'])('of %s accepts what ajv accepts', (draft) => {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(anySchema(draft), fc.array(anyPayload, { minLength: 1, maxLength: 12 }), (schema, values) => {
      expect(findSchemaFaults(schema)).toEqual([]);
      const ajv = new DRAFTS[draft]({
        strict: false,
        ownProperties: true,
        validateFormats: false,
        logger: false,
      }).compile(schema as object);
      const own = createValidator(() => schema as never);
      for (const value of values) {
        const isValid = own(value);
        expect([value, isValid]).toEqual([value, ajv(value)]);
        expect(own.errors === null).toBe(isValid);
        seen[isValid ? 'accepted' : 'refused'] += 1;
      }
    }),
    { numRuns: 60 },
  );
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(30);
});

it.each<[step: number, value: number, expected: boolean]>([
  [0.01, 19.99, true],
  [0.1, 0.3, true],
  [0.1, 0.35, false],
  [1e-7, 3e-7, true],
  [3, 1e21, false],
  [2, -4, true],
  [2, 0, true],
])('multipleOf %s of %s is %s, as the decimals say', (multipleOf, value, expected) => {
  expect(createValidator(() => ({ multipleOf }))(value)).toBe(expected);
});

describe('a schema is refused', () => {
  it.each<[name: string, schema: JsonValue, faults: readonly string[]]>([
    ['with an unknown keyword', { minimun: 1 }, [' keyword-unknown minimun']],
    [
      'with a keyword that is not supported',
      { unevaluatedProperties: false },
      [' keyword-unknown unevaluatedProperties'],
    ],
    [
      'with it deep inside',
      { properties: { a: { items: { contains: true } } } },
      ['/properties/a/items keyword-unknown contains'],
    ],
    ['with it where nothing refers to', { $defs: { a: { $anchor: 'x' } } }, ['/$defs/a keyword-unknown $anchor']],
    ['with a keyword of the other draft', { $schema: DRAFT_7, prefixItems: [true] }, [' keyword-unknown prefixItems']],
    ['with a list of items in the newer draft', { items: [true] }, [' keyword-value items']],
    [
      'with what draft 7 ignores beside $ref',
      { $schema: DRAFT_7, $ref: '#/definitions/a', minimum: 1, definitions: { a: true } },
      [' ignored minimum'],
    ],
    ['of another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, [' dialect $schema']],
    [
      'with an address of its own inside',
      { properties: { a: { $id: 'https://x.test/a' } } },
      ['/properties/a keyword-unknown $id'],
    ],
    ['as a string', 'object', [' not-a-schema']],
    ['with a part that is no schema', { properties: { a: 'string' } }, ['/properties/a not-a-schema']],
    ['with an unknown type', { type: 'text' }, [' keyword-value type']],
    ['with no type', { type: [] }, [' keyword-value type']],
    ['with a limit that is no number', { minimum: '1' }, [' keyword-value minimum']],
    ['with a length that is no count', { maxLength: -1 }, [' keyword-value maxLength']],
    ['with an invalid pattern', { pattern: '(' }, [' keyword-value pattern']],
    ['with an invalid pattern of names', { patternProperties: { '(': true } }, [' keyword-value patternProperties']],
    ['with alternatives that are no list', { oneOf: {} }, [' keyword-value oneOf']],
    ['with names that are no list', { required: 'a' }, [' keyword-value required']],
    ['with a reference to nothing', { $ref: '#/$defs/none' }, [' reference $ref']],
    ['with a reference to what is no schema', { $ref: '#/properties', properties: {} }, [' reference $ref']],
    ['with a reference to another file', { $ref: 'other.json' }, [' reference $ref']],
    ['with a broken reference', { $ref: '#/%' }, [' reference $ref']],
    ['that refers to itself', { $ref: '#' }, [' circle $ref']],
    [
      'whose definitions form a circle',
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
      ['/$defs/a circle $ref'],
    ],
    ['that is nested too deeply', JSON.parse(`${'{"not":'.repeat(200)}true${'}'.repeat(200)}`), [' too-deep']],
  ])('%s', (_name, schema, faults) => {
    expect(
      findSchemaFaults(schema).map(({ at, fault, keyword }) =>
        [at, fault, keyword].filter((part) => part !== undefined).join(' '),
      ),
    ).toEqual(faults);
  });
});

it('has a list of items in draft 7, one for each place', () => {
  const schema = { $schema: DRAFT_7, items: [{ type: 'string' }, { type: 'number' }] };
  expect(findSchemaFaults(schema)).toEqual([]);
  const validate = createValidator(() => schema);
  expect([['a', 1], ['a'], [1, 'a']].map((value) => validate(value))).toEqual([true, true, false]);
});

it('has values of every type in a list of values', () => {
  const validate = createValidator(() => ({ enum: ['a', null, { b: [1] }, [2]] }));
  const values = ['a', null, { b: [1] }, [2], 'b', { b: [2] }, [1], {}];
  expect(values.map((value) => validate(value))).toEqual([true, true, true, true, false, false, false, false]);
});

it('has no member that every object has, and one with the name __proto__', () => {
  const schema = JSON.parse('{"properties": {"__proto__": {"type": "string"}}, "required": ["__proto__"]}');
  expect(findSchemaFaults(schema)).toEqual([]);
  const validate = createValidator(() => schema);
  const values = ['{}', '{"__proto__": 1}', '{"__proto__": "a"}'].map((text) => JSON.parse(text));
  expect(values.map((value) => validate(value))).toEqual([false, false, true]);
});

it('follows references with encoded characters, and into a value of its own form', () => {
  const schema = {
    $ref: '#/definitions/A%3Cstring%3E',
    definitions: { 'A<string>': { type: 'array', items: { $ref: '#' } } },
  };
  expect(findSchemaFaults(schema)).toEqual([]);
  const validate = createValidator(() => schema);
  expect([[[[]]], [[1]]].map((value) => validate(value))).toEqual([true, false]);
});
