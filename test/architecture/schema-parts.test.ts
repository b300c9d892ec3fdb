/** A published schema is its document, with each definition that it uses once. */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { document, joinSchema } from '../../schemas/join.ts';
import { array, define, object, ref, string, type Definition } from '../../src/base/schema.ts';
import { SCHEMAS } from '../../schemas/index.ts';

const NAMES = readdirSync('schemas/documents').map((file) => file.replace(/\.ts$/, ''));

test('every document is published under the name of its file', () => {
  expect([...SCHEMAS.keys()].toSorted()).toEqual(NAMES.toSorted());
});

test.each(NAMES)('the file of the schema %s is what the build makes of the parts', (name) => {
  const file = JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8'));
  expect(file).toEqual(JSON.parse(JSON.stringify(SCHEMAS.get(name))));
});

test('no other file is published', () => {
  const files = readdirSync('schemas').filter((file) => file.endsWith('.schema.json'));
  expect(files.toSorted()).toEqual(NAMES.map((name) => `${name}.schema.json`).toSorted());
});

const place = define('place', object({ 'line?': string() }));

test('a definition is a reference wherever it is used, and the file has it once', () => {
  const schema = joinSchema(document('x', object({ from: place, 'to?': ref(place, 'The end') })));
  expect(schema['properties']).toEqual({
    from: { $ref: '#/$defs/place' },
    to: { $ref: '#/$defs/place', description: 'The end' },
  });
  expect(schema['required']).toEqual(['from']);
  expect(schema['$defs']).toEqual({
    place: { type: 'object', properties: { line: { type: 'string' } }, additionalProperties: false },
  });
});

test('a definition brings those that it uses, and may use itself', () => {
  const tree: Definition = define('tree', () => object({ at: place, branches: array(tree) }));
  const { $defs } = joinSchema(document('x', object({ tree })));
  expect(Object.keys($defs as object)).toEqual(['tree', 'place']);
  expect($defs).toMatchObject({ tree: { properties: { branches: { items: { $ref: '#/$defs/tree' } } } } });
});

test('two definitions of one document cannot have one name', () => {
  const other = define('place', string());
  expect(() => joinSchema(document('x', object({ place, other })))).toThrow('two definitions with the name place');
});

test('a part that is not there is no schema', () => {
  const missing = undefined as unknown as Definition;
  expect(() => joinSchema(document('x', object({ missing })))).toThrow('/properties/missing');
});
