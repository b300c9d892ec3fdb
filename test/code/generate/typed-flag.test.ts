import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { typeFlags, type TypedFlag } from '../../../src/code/generate/typed-flag.ts';
import { writeType } from '../../../src/code/generate/typescript.ts';
import type { DeclaredFlag } from '../../../src/posthog/desired.ts';
import { declaredFlag, project, withPayloads } from './support.ts';

const PLAIN = withPayloads({});
const RULE = {
  path: { text: 'variants', steps: [{ kind: 'member', name: 'filters' }] },
  ownership: { kind: 'observed' },
  source: { file: 'a.yaml', line: 1, column: 1 },
};

function typeOne(...fields: readonly JsonObject[]): TypedFlag | undefined {
  return typeFlags(fields.map((own, index) => project([declaredFlag('search', own)], `p${index}`)))[0];
}

function payloadOf(fields: JsonObject): string | undefined {
  const { payload } = typeOne(fields) ?? {};
  return payload === undefined ? undefined : writeType(payload, 0).replace(/\s+/g, ' ');
}

describe('the answers of a flag', () => {
  it.each<[name: string, fields: readonly JsonObject[], answers: TypedFlag['answers']]>([
    ['without variants is true', [PLAIN], [true]],
    ['with variants are these, sorted', [withPayloads({}, ['b', 'a'])], ['a', 'b']],
    ['do not depend on activity', [{ ...PLAIN, active: false }], [true]],
    ['join those of all projects', [withPayloads({}, ['b']), withPayloads({}, ['a', 'b'])], ['a', 'b']],
    ['join those with and without variants', [withPayloads({}, ['b']), PLAIN], ['b', true]],
    ['without filters are unknown', [{ active: false }], undefined],
    ['without filters in one project are unknown', [PLAIN, { active: false }], undefined],
    ['with filters of another format are unknown', [{ filters: { version: 2, rules: [] } }], undefined],
  ])('%s', (_name, fields, answers) => {
    expect(typeOne(...fields)?.answers).toEqual(answers);
  });

  it('are unknown where others own the variants', () => {
    const flag = { ...declaredFlag('search', withPayloads({ a: 1 }, ['a'])), ownership: [RULE] } as never;
    expect(typeFlags([project([flag])])[0]).toMatchObject({ payload: { kind: 'unknown' } });
    expect(typeFlags([project([flag])])[0]).not.toHaveProperty('answers');
  });
});

describe('the type of payloads', () => {
  it.each<[name: string, payloads: readonly JsonValue[], type: string | undefined]>([
    ['is absent without payloads', [], undefined],
    ['of one value', [7], 'number'],
    ['of JSON text is that of its value', ['{"steps": 1}'], '{ readonly steps: number; }'],
    ['of a string in JSON text', ['"red"'], 'string'],
    ['of mixed values is a union', [7, '"red"', null, true], 'string | number | boolean | null'],
    [
      'has optional members where some lack them',
      [{ a: 1, b: 2 }, { a: 'x' }],
      '{ readonly a: string | number; readonly b?: number; }',
    ],
    ['joins elements of arrays', [[1], ['x'], []], 'readonly (string | number)[]'],
    ['of empty arrays', [[]], 'readonly unknown[]'],
    ['of arrays in arrays', [[[1]]], 'readonly (readonly number[])[]'],
    ['of an empty object', [{}], '{ readonly [name: string]: unknown }'],
    [
      'quotes members that are no identifiers',
      [{ 'a-b': 1, "it's": 2 }],
      "{ readonly 'a-b': number; readonly 'it\\'s': number; }",
    ],
    ['of objects and arrays', [{ a: 1 }, [1]], 'readonly number[] | { readonly a: number; }'],
    ['has members that are null or not', [{ a: 1 }, { a: null }], '{ readonly a: number | null; }'],
    ['of numbers that a double cannot hold', ['12345678901234567890'], 'number'],
  ])('%s', (_name, payloads, type) => {
    const variants = payloads.map((_payload, index) => `v${index}`);
    const byVariant = Object.fromEntries(
      payloads.map((payload, index) => [`v${index}`, typeof payload === 'string' ? payload : JSON.stringify(payload)]),
    );
    expect(payloadOf(withPayloads(byVariant, variants))).toBe(type);
  });

  it('is joined over projects', () => {
    const [first, second] = [withPayloads({ true: 1 }), withPayloads({ true: '"x"' })];
    expect(typeOne(first, second)?.payload).toEqual({ kind: 'union', types: [{ kind: 'string' }, { kind: 'number' }] });
  });

  it('is never found from encrypted payloads, even if only one project encrypts them', () => {
    const secret = { ...withPayloads({ true: { password: 'hunter2' } }), has_encrypted_payloads: true };
    expect(typeOne(secret)).toMatchObject({ payload: { kind: 'unknown' }, untyped: 'encrypted' });
    expect(JSON.stringify(typeOne(withPayloads({ true: 1 }), secret))).not.toContain('password');
  });

  it.each<[name: string, path: string[], type: string]>([
    ['every payload', ['filters', 'payloads'], 'unknown'],
    ['the payload of one variant', ['filters', 'payloads', 'b'], 'unknown'],
    ['another field', ['tags'], 'number'],
  ])('is of nothing that others own: %s', (_name, path, kind) => {
    const steps = path.map((name) => ({ kind: 'member', name }));
    const rule = { ...RULE, path: { text: path.join('.'), steps } };
    const flag = { ...declaredFlag('search', withPayloads({ a: 1, b: 2 }, ['a', 'b'])), ownership: [rule] } as never;
    const [typed] = typeFlags([project([flag])]);
    expect(typed).toMatchObject({ answers: ['a', 'b'], payload: { kind } });
    expect(typed?.untyped).toBe(kind === 'unknown' ? 'of-others' : undefined);
  });

  it('is unknown where a schema has many parts', () => {
    const properties = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`m${index}`, { const: index }]));
    const payloadSchema = { file: 's.json', schema: { type: 'object', properties } };
    const flag = { ...declaredFlag('a', PLAIN), payloadSchema } as unknown as DeclaredFlag;
    expect(typeFlags([project([flag])])).toMatchObject([{ payload: { kind: 'unknown' }, untyped: 'large' }]);
  });

  it.each<[name: string, payload: JsonValue]>([
    ['many members', Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`m${index}`, index]))],
    ['many levels', Array.from({ length: 40 }).reduce<JsonValue>((inner) => [inner], 1)],
  ])('is unknown with %s', (_name, payload) => {
    expect(typeOne(withPayloads({ true: JSON.stringify(payload) }))).toMatchObject({ untyped: 'large' });
  });
});

describe('flags', () => {
  it('have the tags of all projects, each once and sorted, and the first description', () => {
    const typed = typeFlags([
      project([declaredFlag('a', { ...PLAIN, tags: ['b', 'a'], name: '' })], 'production'),
      project([declaredFlag('a', { ...PLAIN, tags: ['c', 'a', 5], name: 'What it is for' })], 'staging'),
      project([declaredFlag('a', { ...PLAIN, tags: null })], 'local'),
    ]);
    expect(typed).toMatchObject([{ key: 'a', tags: ['a', 'b', 'c'], description: 'What it is for' }]);
    expect(typeFlags([project([declaredFlag('a', PLAIN)])])[0]).toMatchObject({ tags: [] });
  });

  it('have the type of their schema, which large payloads do not take from them, and encrypted ones do', () => {
    const large = Object.fromEntries(Array.from({ length: 301 }, (_, index) => [`m${index}`, index]));
    const payloadSchema = { file: 's.json', schema: { type: 'string' } } as unknown as NonNullable<
      DeclaredFlag['payloadSchema']
    >;
    const typed = (fields: JsonObject, more: Partial<DeclaredFlag> = { payloadSchema }): unknown =>
      typeFlags([project([{ ...declaredFlag('a', fields), ...more }])])[0];
    const withLarge = withPayloads({ true: JSON.stringify(large) });
    expect(typed(withLarge)).toMatchObject({ payload: { kind: 'string' } });
    expect(typed(withLarge)).not.toHaveProperty('untyped');
    expect(typed(withLarge, {})).toMatchObject({ payload: { kind: 'unknown' }, untyped: 'large' });
    expect(typed({ ...withLarge, has_encrypted_payloads: true })).toMatchObject({ untyped: 'encrypted' });
    expect(typed(PLAIN)).toMatchObject({ payload: { kind: 'string' } });
    expect(typed(PLAIN, {})).not.toHaveProperty('payload');
  });

  it('say which projects have them, and those deleted everywhere are left out', () => {
    const gone = { kind: 'retired', key: 'gone', places: declaredFlag('gone').places } as const;
    const typed = typeFlags([
      project([gone, declaredFlag('new', PLAIN), declaredFlag('old', PLAIN)], 'production'),
      project([gone, { ...gone, key: 'new' }, declaredFlag('old', PLAIN)], 'local'),
    ]);
    expect(typed.map(({ key, onlyIn }) => [key, onlyIn])).toEqual([
      ['new', ['production']],
      ['old', undefined],
    ]);
  });
});
