import { describe, expect, it } from 'vitest';
import { charactersOf, checkShape, type ShapeError, type Validator } from '../../../src/base/shape/check.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { readShape } from '../../helpers/schema-shape.ts';

const place = { file: 'a.yaml', line: 1, column: 1 };
const places = { place, children: { a: { place: { ...place, line: 2 } } } };

function problemsOf(error: ShapeError, value: JsonValue = {}): unknown[] {
  const validator: Validator = Object.assign(() => false, { errors: [error] });
  return checkShape(validator, value, places).map(({ code, path, place: where, args }) => [
    code,
    path,
    where?.line,
    args,
  ]);
}

describe('a text in place of another type suggests what it means', () => {
  it.each<[type: string, text: string, example: string | undefined]>([
    ['number', '10%', '10'],
    ['number', ' 12.50 %', '12.50'],
    ['number', '10% ', undefined],
    ['number', '10% of all', undefined],
    ['number', 'about 10%', undefined],
    ['number', '1.%', undefined],
    ['number', '.5%', undefined],
    ['number', 'x%', undefined],
    ['string', '10%', undefined],
    ['object', 'active:true', 'active: true'],
    ['object', 'active:', undefined],
    ['object', 'a:b, c:d', 'a: b'],
    ['object', '1a:b', undefined],
    ['array', 'a:b', undefined],
    ['array', 'core', '[core]'],
    ['array', 'core, web.app,x-1', '[core, web.app,x-1]'],
    ['array', 'core,', undefined],
    ['array', 'two words', undefined],
  ])('%s: %s', (type, data, example) => {
    const [found] = problemsOf({ keyword: 'type', instancePath: '/a', params: { type }, data });
    expect(found).toEqual([
      'type-wrong',
      '/a',
      2,
      { expected: [type], found: 'string', ...(example === undefined ? {} : { example }) },
    ]);
  });
});

describe('an error of a schema', () => {
  it.each<[string, ShapeError, unknown[]]>([
    [
      'type',
      { keyword: 'type', instancePath: '/a', params: { type: ['string', 'null'] }, data: [] },
      ['type-wrong', '/a', 2, { expected: ['string', 'null'], found: 'array' }],
    ],
    [
      'a number that a double cannot hold',
      { keyword: 'type', instancePath: '/a', params: { type: ['number', 'null'] }, data: 9_007_199_254_740_993n },
      ['number-imprecise', '/a', 2, { found: '9007199254740993' }],
    ],
    [
      'a long number in place of a string',
      { keyword: 'type', instancePath: '/a', params: { type: 'string' }, data: 9_007_199_254_740_993n },
      ['type-wrong', '/a', 2, { expected: ['string'], found: 'number' }],
    ],
    [
      'additionalProperties',
      {
        keyword: 'additionalProperties',
        instancePath: '',
        params: { additionalProperty: 'acti' },
        parentSchema: { properties: { aab: {}, activ: {} } },
      },
      ['property-unknown', '/acti', 1, { property: 'acti', suggestion: 'activ' }],
    ],
    [
      'maximum',
      { keyword: 'maximum', instancePath: '/a', params: {}, data: 101, parentSchema: { minimum: 0, maximum: 100 } },
      ['value-out-of-range', '/a', 2, { found: 101, minimum: 0, maximum: 100 }],
    ],
    [
      'minimum alone',
      { keyword: 'minimum', instancePath: '/a', params: {}, data: -1, parentSchema: { minimum: 0 } },
      ['value-out-of-range', '/a', 2, { found: -1, minimum: 0 }],
    ],
    [
      'a string that is too short',
      { keyword: 'minLength', instancePath: '/a', params: {}, data: '', parentSchema: { minLength: 1, maxLength: 5 } },
      ['length-out-of-range', '/a', 2, { found: 0, minimum: 1, maximum: 5 }],
    ],
    [
      'a string that is too long, in characters',
      {
        keyword: 'maxLength',
        instancePath: '/a',
        params: {},
        data: '😀😀',
        parentSchema: { maxLength: 1, maxItems: 9 },
      },
      ['length-out-of-range', '/a', 2, { found: 2, maximum: 1 }],
    ],
    [
      'a list that is too long',
      {
        keyword: 'maxItems',
        instancePath: '/a',
        params: {},
        data: [1, 2, 3],
        parentSchema: { maxItems: 2, maxLength: 9 },
      },
      ['length-out-of-range', '/a', 2, { found: 3, maximum: 2 }],
    ],
    [
      'a list that is too short',
      { keyword: 'minItems', instancePath: '/a', params: {}, data: [], parentSchema: { minItems: 1 } },
      ['length-out-of-range', '/a', 2, { found: 0, minimum: 1 }],
    ],
    [
      'a name',
      { keyword: 'pattern', instancePath: '', params: { pattern: '^b$' }, propertyName: 'a', data: 'a' },
      ['value-pattern', '/a', 2, { found: 'a', pattern: '^b$' }],
    ],
    [
      'enum',
      { keyword: 'enum', instancePath: '/a', params: { allowedValues: ['person', null] }, data: 'persn' },
      ['value-not-allowed', '/a', 2, { found: 'persn', allowed: ['person'], suggestion: 'person' }],
    ],
  ])('%s', (_, error, expected) => {
    expect(problemsOf(error)).toEqual([expected]);
  });
});

it.each([
  ['', 0],
  ['aü', 2],
  ['😀a😀', 3],
  ['\ud83d', 1],
  ['\ude00\ud83d', 2],
])('%j has %i characters', (text, count) => expect(charactersOf(text)).toBe(count));

it('has a diagnostic for every keyword that the schemas use', () => {
  const silent = [
    '$schema',
    '$id',
    '$ref',
    '$defs',
    '$comment',
    'title',
    'description',
    'examples',
    'default',
    'items',
    'properties',
    'patternProperties',
    'propertyNames',
    // What decides which schema holds is no mistake of its own.
    'if',
    'then',
    'else',
  ];
  const heard = [
    'type',
    'additionalProperties',
    'required',
    'enum',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'minLength',
    'maxLength',
    'pattern',
  ];
  for (const name of ['manifest', 'config']) {
    const used = keywordsOf(readShape(name));
    expect([...used].filter((keyword) => !silent.includes(keyword) && !heard.includes(keyword))).toEqual([]);
  }
  for (const keyword of heard) {
    expect(problemsOf({ keyword, instancePath: '', params: {}, data: '', parentSchema: {} })).toHaveLength(1);
  }
});

/** The keywords of a schema and of all schemas within it. */
function keywordsOf(schema: unknown, into = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return into;
  for (const [keyword, value] of Object.entries(schema)) {
    into.add(keyword);
    const named = ['properties', 'patternProperties', '$defs'].includes(keyword);
    if (named) for (const each of Object.values(value as object)) keywordsOf(each, into);
    else if (['items', 'additionalProperties', 'propertyNames', 'then', 'else'].includes(keyword))
      keywordsOf(value, into);
  }
  return into;
}
