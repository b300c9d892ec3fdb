/** Every payload that a schema accepts has the type that is made of the schema; the compiler says so. */

import { writeString, writeType } from '../../../src/code/generate/typescript.ts';
import '../../helpers/seeded.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import { compileSchema } from '../../../src/base/shape/compile.ts';
import { typeOfSchema } from '../../../src/code/generate/type.ts';
import { compile } from '../../helpers/compile.ts';
import { anyPayload, anySchema } from '../../helpers/json-schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

function typeText(schema: JsonValue): string {
  return writeType(typeOfSchema(schema).type, 0).replace(/\s+/g, ' ');
}

const nested = (levels: number): JsonValue => (levels === 0 ? 1 : [nested(levels - 1)]);

describe('the type of a schema', () => {
  const steps = { type: 'integer', minimum: 1 };
  it.each<[name: string, schema: JsonValue, type: string]>([
    [
      'of members says which are optional',
      { type: 'object', properties: { steps, hint: { type: 'string' } }, required: ['steps'] },
      '{ readonly hint?: string; readonly steps: number; }',
    ],
    ['that requires a member without a schema has it', { type: 'object', required: ['a'] }, '{ readonly a: unknown; }'],
    [
      'with optional members only may have others',
      { type: 'object', properties: { a: steps } },
      '{ readonly a?: number; readonly [name: string]: unknown; }',
    ],
    [
      'that is closed has no others',
      { type: 'object', properties: { a: steps }, additionalProperties: false },
      '{ readonly a?: number; }',
    ],
    [
      'does not promise what an object may inherit',
      { type: 'object', properties: { a: steps, constructor: steps }, required: ['a'] },
      '{ readonly a: number; readonly constructor?: unknown; }',
    ],
    ['of a map', { type: 'object', additionalProperties: steps }, '{ readonly [name: string]: number }'],
    ['of an enumeration', { enum: ['a', 'b', 1, true, null] }, "'a' | 'b' | 1 | true | null"],
    ['of a constant', { const: -1.5 }, '-1.5'],
    ['of a constant that is too deep', { const: nested(40) }, 'unknown'],
    ['of a list', { type: 'array', items: { enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
    [
      'of a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, steps], items: false },
      'readonly (string | number)[]',
    ],
    ['of several types', { type: ['string', 'null'] }, 'string | null'],
    [
      'of alternatives keeps them apart',
      {
        oneOf: [
          { type: 'object', properties: { kind: { const: 'a' }, x: steps }, required: ['kind', 'x'] },
          { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
        ],
      },
      "{ readonly kind: 'a'; readonly x: number; } | { readonly kind: 'b'; }",
    ],
    [
      'that joins others has the members of all',
      {
        allOf: [
          { type: 'object', properties: { a: steps }, required: ['a'] },
          { type: 'object', properties: { b: steps } },
        ],
      },
      '{ readonly a: number; readonly b?: number; }',
    ],
    [
      'that joins maps has what both allow',
      {
        allOf: [
          { type: 'object', additionalProperties: { type: ['string', 'number'] } },
          { type: 'object', additionalProperties: { type: ['number', 'null'] } },
        ],
      },
      '{ readonly [name: string]: number }',
    ],
    [
      'that joins lists has elements that both allow',
      {
        allOf: [
          { type: 'array', items: { enum: ['a', 'b', 1] } },
          { type: 'array', items: { type: 'string' } },
        ],
      },
      "readonly ('a' | 'b')[]",
    ],
    [
      'that joins a list of anything',
      { allOf: [{ type: 'array' }, { type: 'array', items: steps }] },
      'readonly number[]',
    ],
    ['that joins values has the common ones', { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }, "'b'"],
    ['that joins what nothing has', { allOf: [{ type: 'string' }, { type: 'number' }] }, 'never'],
    [
      'of alternatives has no part of a wider one',
      { anyOf: [{ const: 'a' }, { type: 'string' }, { const: 1 }] },
      'string | 1',
    ],
    ['of all types', { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] }, 'unknown'],
    ['of a reference', { $ref: '#/$defs/a%20b', $defs: { 'a b': { type: 'string' } } }, 'string'],
    ['narrows a type by its values', { type: ['string', 'number'], enum: ['a', null] }, "'a'"],
    ['of anything', {}, 'unknown'],
    ['of nothing', false, 'never'],
  ])('%s', (_name, schema, type) => {
    expect(typeText(schema)).toBe(type);
    expect(typeOfSchema(schema).wider.filter((keyword) => keyword !== 'prefixItems')).toEqual([]);
  });

  it.each<[name: string, schema: JsonValue, type: string, wider: readonly string[]]>([
    [
      'refers to itself',
      { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] },
      '{ readonly next: { readonly next: unknown; }; }',
      ['$ref'],
    ],
    ['excludes values', { type: 'string', not: { const: 'a' } }, 'string', ['not']],
    ['depends on the value', { type: 'string', if: true, then: { minLength: 1 } }, 'string', ['if']],
  ])('is wider where a schema %s, and says so', (_name, schema, type, wider) => {
    expect(typeText(schema)).toBe(type);
    expect(typeOfSchema(schema).wider).toEqual(wider);
  });

  it('ends for a schema that doubles with each reference', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        { type: 'object', properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } } },
      ]),
    );
    expect(typeOfSchema({ $ref: '#/$defs/d0', $defs: { ...defs, d40: true } }).wider).toEqual(['$ref']);
  });
});

it('every accepted payload is assignable to the type, of schemas of both drafts', () => {
  const schemas = fc.sample(fc.oneof(anySchema('2020-12'), anySchema('draft-07')), { numRuns: 400, seed: 7 });
  const payloads = fc.sample(anyPayload, { numRuns: 250, seed: 8 });
  const special: readonly JsonValue[] = [
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
    { type: 'object', properties: { a: { type: 'string' } } },
  ];
  const all = [...payloads, JSON.parse('{"__proto__":"a"}') as JsonValue];
  let accepted = 0;
  const values = all.map(
    (value, at) => `const v${at} = ${literal(value)}${isJsonArray(value) || isJsonObject(value) ? ' as const' : ''};\n`,
  );
  const checks = [...schemas, ...special].map((schema, index) => {
    const check = compileSchema(schema);
    const fitting = all.flatMap((value, at) => (check(value)?.length === 0 ? [`v${at}`] : []));
    accepted += fitting.length;
    const type = `export type T${index} = ${writeType(typeOfSchema(schema).type, 0)};\n`;
    return `${type}export const c${index}: readonly T${index}[] = [${fitting.join(', ')}];\n`;
  });
  expect(accepted).toBeGreaterThan(2_000);
  const workspace = createWorkspace({ 'payloads.ts': [...values, ...checks].join('') });
  expect(compile(workspace)).toBe('');
});

/** `__proto__:` would set the prototype. */
function literal(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (!isJsonObject(value)) return typeof value === 'string' ? writeString(value) : stringifyJson(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `[${writeString(name)}]: ${literal(member as JsonValue)}`)
    .join(', ')} }`;
}
