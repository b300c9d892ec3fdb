/** Which differences between published schemas count as a difference. */

import path from 'node:path';
import { expect, test } from 'vitest';
import { compareSchemas } from '../../scripts/compare-schemas.mjs';
import { createWorkspace } from '../helpers/workspace.ts';

function compare(before: object, after: object): readonly string[] {
  const { root } = createWorkspace({
    'before/a.schema.json': JSON.stringify(before),
    'after/a.schema.json': JSON.stringify(after),
  });
  return compareSchemas(path.join(root, 'before'), path.join(root, 'after'));
}

const SCHEMA = {
  type: 'object',
  properties: { a: { type: ['string', 'null'] }, required: {} },
  required: ['a', 'required'],
};

test('the order of members and of sets does not', () => {
  const { type, properties } = SCHEMA;
  const other = { required: ['required', 'a'], properties: { required: {}, a: { type: ['null', 'string'] } }, type };
  expect(compare({ type, properties, required: ['a', 'required'] }, other)).toEqual([]);
});

test.each([
  ['another value', { ...SCHEMA, type: 'array' }, '/type'],
  ['a member more', { ...SCHEMA, title: 'A' }, '/title'],
  ['a member less', { type: 'object', properties: SCHEMA.properties }, '/required'],
  ['a name less', { ...SCHEMA, required: ['a'] }, '/required/1'],
])('%s does', (_, after, pointer) => {
  expect(compare(SCHEMA, after)).toEqual([`a.schema.json ${pointer}`]);
  expect(compare(after, SCHEMA)).toEqual([`a.schema.json ${pointer}`]);
});

test('the order of another list does', () => {
  expect(compare({ enum: [1, 2] }, { enum: [2, 1] })).toEqual(['a.schema.json /enum/0', 'a.schema.json /enum/1']);
});

test('a schema that only one side has does', () => {
  const { root } = createWorkspace({ 'before/a.schema.json': '{}', 'after/b.schema.json': '{}' });
  expect(compareSchemas(path.join(root, 'before'), path.join(root, 'after'))).toEqual([
    'a.schema.json ',
    'b.schema.json ',
  ]);
});
