/** A schema that a user wrote judges as ajv does, or is refused: no keyword is ignored. */

import '../../helpers/seeded.ts';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { findSchemaFaults } from '../../../src/base/shape/user-schema.ts';
import { compileSchema } from '../../../src/base/shape/compile.ts';
import { anyPayload, anySchema, type Draft } from '../../helpers/json-schemas.ts';

const DRAFTS: Readonly<Record<Draft, typeof Ajv | typeof Ajv2020>> = { 'draft-07': Ajv, '2020-12': Ajv2020 };
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

function acceptedBy(schema: JsonValue): (value: JsonValue) => boolean {
  const check = compileSchema(schema);
  return (value) => check(value)?.length === 0;
}

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
      const accepts = acceptedBy(schema);
      for (const value of values) {
        const isValid = accepts(value);
        expect([value, isValid]).toEqual([value, ajv(value)]);
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
  expect(acceptedBy({ multipleOf })(value)).toBe(expected);
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
    [
      'with a member that ajv passes over',
      JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'),
      [' keyword-value properties'],
    ],
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
  const accepts = acceptedBy(schema);
  expect([['a', 1], ['a'], [1, 'a']].map((value) => accepts(value))).toEqual([true, true, false]);
});

it('has values of every type in a list of values', () => {
  const accepts = acceptedBy({ enum: ['a', null, { b: [1] }, [2]] });
  const values = ['a', null, { b: [1] }, [2], 'b', { b: [2] }, [1], {}];
  expect(values.map((value) => accepts(value))).toEqual([true, true, true, true, false, false, false, false]);
});

it('has no member that every object has, and one with the name __proto__', () => {
  const accepts = acceptedBy({ required: ['__proto__', 'constructor'] });
  const values = ['{}', '{"__proto__": 1}', '{"__proto__": 1, "constructor": 1}'].map((text) => JSON.parse(text));
  expect(values.map((value) => accepts(value))).toEqual([false, false, true]);
});

it('compares values whose members have the names of functions', () => {
  const accepts = acceptedBy({ anyOf: [{ const: { valueOf: { a: 1 } } }, { enum: [{ toString: 1 }] }] });
  const texts = ['{"valueOf": {"a": 1}}', '{"toString": 1}', '{"valueOf": 1}', '{"constructor": {}}'];
  const values = texts.map((text): JsonValue => JSON.parse(text));
  expect(values.map((value) => accepts(value))).toEqual([true, true, false, false]);
  expect(acceptedBy({ uniqueItems: true })([{ valueOf: 1 }, { valueOf: 2 }, { constructor: {} }])).toBe(true);
});

it('is no code, whatever its names and values are', () => {
  const text = `'"\`\\\n*/\u2028}); globalThis.entered = true; ({//\${globalThis.entered = true}`;
  const schema = {
    properties: { [text]: { const: text } },
    required: [text],
    patternProperties: {
      '^\'"`\\\\\n|"\\); globalThis.entered = true; //`': {
        enum: [text],
        $ref: `#/$defs/${encodeURIComponent(text.replaceAll('/', '~1'))}`,
      },
    },
    dependentRequired: { [text]: [text] },
    additionalProperties: false,
    description: text,
    $comment: text,
    $defs: { [text]: { $comment: text, pattern: 'entered', maxLength: 1000 } },
  };
  expect(findSchemaFaults(schema)).toEqual([]);
  const accepts = acceptedBy(schema);
  expect([{ [text]: text }, { [text]: 1 }, {}].map((value) => accepts(value))).toEqual([true, false, false]);
  expect(globalThis).not.toHaveProperty('entered');
});

it('may name a definition as a keyword, and have anything in its examples', () => {
  const schema = {
    $id: 'no address',
    $defs: { $id: { type: 'string' }, $ref: { const: 1 }, items: true },
    examples: { $id: 'no address', $anchor: '?', $ref: '#/nothing', id: 'x' },
    prefixItems: [{ $ref: '#/$defs/$id' }, { $ref: '#/$defs/$ref' }],
  };
  expect(findSchemaFaults(schema)).toEqual([]);
  const accepts = acceptedBy(schema);
  expect([['a', 1], [1], ['a', 2]].map((value) => accepts(value))).toEqual([true, false, false]);
});

describe('the work for a schema is bounded', () => {
  const named = (count: number, part: (index: number) => JsonValue): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}`, part(index)]));

  it('a chain of references is followed', () => {
    const $defs = named(900, (index) => ({ $ref: `#/$defs/d${index + 1}` }));
    const accepts = acceptedBy({ $ref: '#/$defs/d0', $defs: { ...$defs, d900: { type: 'string' } } });
    expect(['a', 1].map((value) => accepts(value))).toEqual([true, false]);
  });

  it('a large one is refused', () => {
    expect(findSchemaFaults({ properties: named(999, () => true) })).toEqual([]);
    expect(findSchemaFaults({ properties: named(1_000, () => true) })).toEqual([{ at: '', fault: 'too-large' }]);
  });

  it('a part that many references lead to counts once', () => {
    const shared = { properties: named(100, () => ({ type: 'string' })) };
    const schema = { properties: named(800, () => ({ $ref: '#/$defs/shared' })), $defs: { shared } };
    expect(findSchemaFaults(schema)).toEqual([]);
    const accepts = acceptedBy(schema);
    expect([named(800, () => ({ d1: 'a' })), { d799: { d1: 1 } }].map((value) => accepts(value))).toEqual([
      true,
      false,
    ]);
  });

  it('parts that references repeat are given up', () => {
    const leaf = { properties: named(900, () => ({ type: 'string' })) };
    const nested = Array.from({ length: 40 }).reduce<JsonObject>((inner) => ({ properties: { a: inner } }), leaf);
    const pointers = Array.from({ length: 40 }, (_, index) => ({
      $ref: `#/$defs/top${'/properties/a'.repeat(index)}`,
    }));
    const schema = { $defs: { top: nested }, allOf: pointers };
    expect(findSchemaFaults(schema)).toEqual([]);
    expect(compileSchema(schema)({})).toBeUndefined();
  });

  it.each(['anyOf', 'oneOf'])('%s has as many alternatives as a schema may have parts', (keyword) => {
    const accepts = acceptedBy({ [keyword]: Array.from({ length: 999 }, (_, index) => ({ const: index })) });
    expect([998, 999].map((value) => accepts(value))).toEqual([true, false]);
  });
});

it('follows references with encoded characters, and into a value of its own form', () => {
  const schema = {
    $ref: '#/definitions/A%3Cstring%3E',
    definitions: { 'A<string>': { type: 'array', items: { $ref: '#' } } },
  };
  expect(findSchemaFaults(schema)).toEqual([]);
  const accepts = acceptedBy(schema);
  expect([[[[]]], [[1]]].map((value) => accepts(value))).toEqual([true, false]);
});
