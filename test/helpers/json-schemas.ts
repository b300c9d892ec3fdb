/** JSON Schemas as users write them, of either draft, and values that some of them accept. */

import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';

const NAMES = ['a', 'b', 'steps', 'constructor', 'a/~b', 'x y'];
const TEXTS = ['', 'a', 'one-page', '😀', '__proto__', "it's"];
const NUMBERS = [0, 1, -1, 2, 2.5, 3, 100];

const name = fc.constantFrom(...NAMES);
const count = fc.constantFrom(0, 1, 2);

export const anyPayload: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false, ...NUMBERS, ...TEXTS),
    fc.array(tie('value'), { maxLength: 3 }),
    record(tie('value'), 3),
  ),
})).value;

function record(values: fc.Arbitrary<JsonValue>, maxLength: number): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.tuple(name, values), { maxLength, selector: ([own]) => own })
    .map((members) => Object.fromEntries(members));
}

export type Draft = 'draft-07' | '2020-12';

/** References lead to `$defs`, and each into a member or an element, so that none is a circle. */
export function anySchema(draft: Draft): fc.Arbitrary<JsonValue> {
  const inner = fc.letrec<{ schema: JsonValue }>((tie) => ({
    schema: fc.oneof({ maxDepth: 4 }, fc.constantFrom<JsonValue>(true, false, {}), ofKeywords(tie('schema'), draft)),
  })).schema;
  return fc.tuple(inner, inner).map(([top, shared]) => {
    const root = typeof top === 'boolean' ? { allOf: [top] } : (top as JsonObject);
    const dialect =
      draft === '2020-12' ? 'https://json-schema.org/draft/2020-12/schema' : 'http://json-schema.org/draft-07/schema#';
    return {
      ...root,
      $schema: dialect,
      definitions: { shared, list: { type: 'array', items: { $ref: '#/definitions/list' } } },
    };
  });
}

function ofKeywords(schema: fc.Arbitrary<JsonValue>, draft: Draft): fc.Arbitrary<JsonValue> {
  const list = fc.array(schema, { minLength: 1, maxLength: 2 });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
  const objects = fc.record(
    {
      type: fc.constant('object'),
      properties: record(schema, 3),
      ...{ required: names, additionalProperties: schema, minProperties: count, maxProperties: count },
      patternProperties: record(schema, 1).map((all) =>
        Object.keys(all).length === 0 ? {} : { '^[ab]': Object.values(all)[0] },
      ),
      propertyNames: fc.constantFrom<JsonValue>({ maxLength: 1 }, { pattern: '^a' }),
      ...(draft === '2020-12' ? { dependentRequired: fc.constant({ a: ['b'] }) } : {}),
    },
    { requiredKeys: ['type', 'properties'] },
  );
  const arrays = fc.record(
    {
      type: fc.constant('array'),
      items: draft === '2020-12' ? schema : fc.oneof(schema, list),
      [draft === '2020-12' ? 'prefixItems' : 'additionalItems']: draft === '2020-12' ? list : schema,
      ...{ minItems: count, maxItems: count, uniqueItems: fc.boolean() },
    },
    { requiredKeys: ['type'] },
  );
  const scalars = fc.record(
    {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      ...{ enum: fc.array(anyPayload, { minLength: 1, maxLength: 3 }), const: anyPayload },
      ...{ minLength: count, maxLength: count, pattern: fc.constantFrom('^o', 'a$') },
      ...{ minimum: count, maximum: count, exclusiveMinimum: count, exclusiveMaximum: count },
      multipleOf: fc.constantFrom(1, 2, 0.5),
      format: fc.constant('email'),
      description: fc.constant('What it is'),
    },
    { requiredKeys: [] },
  );
  const joined = fc.record(
    { anyOf: list, oneOf: list, allOf: list, not: schema, if: schema, then: schema, else: schema },
    { requiredKeys: [] },
  );
  const few = (one: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonValue> =>
    fc
      .tuple(one, fc.uniqueArray(fc.nat(20), { maxLength: 3 }))
      .map(([all, kept]) =>
        Object.fromEntries(
          Object.entries(all).filter(([own], index) => own === 'type' || own === 'properties' || kept.includes(index)),
        ),
      );
  return fc.oneof(
    ...[objects, arrays, scalars, joined].map((one) => few(one as fc.Arbitrary<JsonObject>)),
    fc.constantFrom<JsonValue>({ $ref: '#/definitions/list' }),
    fc
      .tuple(few(objects as fc.Arbitrary<JsonObject>), few(joined as fc.Arbitrary<JsonObject>))
      .map(([a, b]) => ({ ...(a as JsonObject), ...(b as JsonObject) })),
    fc.constantFrom<JsonValue>({ type: 'array', items: { $ref: '#/definitions/shared' } }),
  );
}
