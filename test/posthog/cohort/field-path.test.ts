/** The places in a cohort that options and rules name. */

import { expect, test } from 'vitest';
import { parseCohortPath } from '../../../src/posthog/cohort/manifest.ts';
import { matchesField } from '../../../src/core/engine/field-path.ts';

const FIELDS = {
  name: 'N',
  description: 'D',
  filters: {
    properties: {
      type: 'AND',
      values: [
        {
          type: 'OR',
          values: [
            { key: 'a', value: 1 },
            { key: 'b', value: 2 },
          ],
        },
        { key: 'c', value: 3 },
      ],
    },
  },
};
const ROOT = '/filters/properties';
const POINTERS = [
  '/name',
  '/description',
  '/deleted',
  `${ROOT}/type`,
  `${ROOT}/values/0/type`,
  `${ROOT}/values/0/values/0/value`,
  `${ROOT}/values/0/values/1/key`,
  `${ROOT}/values/0/values/1/value`,
  `${ROOT}/values/1/value`,
];

test.each<[string, readonly string[]]>([
  ['name', ['/name']],
  ['description', ['/description']],
  ['deleted', ['/deleted']],
  ['filters', POINTERS.slice(3)],
  ['definition', POINTERS.slice(3)],
  ['definition.type', [`${ROOT}/type`]],
  ['definition.1', POINTERS.slice(4, 8)],
  ['definition.1.2', POINTERS.slice(6, 8)],
  ['definition.1.2.value', [`${ROOT}/values/0/values/1/value`]],
  ['definition.1.*.value', [`${ROOT}/values/0/values/0/value`, `${ROOT}/values/0/values/1/value`]],
  ['definition.*.value', [`${ROOT}/values/1/value`]],
  ['definition.10', []],
  ['/name', ['/name']],
  ['/filters/properties/values/1', [`${ROOT}/values/1/value`]],
  ['/filters/properties/values/*/value', [`${ROOT}/values/1/value`]],
])('%s names its places', (text, expected) => {
  const path = parseCohortPath(text);
  if ('problem' in path) throw new Error(text);
  expect(path.text).toBe(text);
  expect(POINTERS.filter((pointer) => matchesField(path, pointer, FIELDS))).toEqual(expected);
});

test.each<[string, readonly (string | number)[]]>([
  ['definition.12.3', ['values', 11, 'values', 2]],
  ['definition.x1', ['x1']],
  ['definition.1x', ['1x']],
])('%s counts groups and filters from 1, by numbers alone', (text, steps) => {
  const path = parseCohortPath(text);
  const found =
    'problem' in path
      ? path.problem
      : path.steps.slice(2).map((step) => ('name' in step ? step.name : 'index' in step && step.index));
  expect(found).toEqual(steps);
});

const POINTER_FIELDS = ['name', 'description', 'filters', 'deleted'];
const PARTS = ['name', 'description', 'definition'];

test.each<[string, object]>([
  ['', { kind: 'empty' }],
  ['name.', { kind: 'empty_part' }],
  ['naem', { kind: 'unknown', part: 'naem', outer: '', known: PARTS, suggestion: 'name' }],
  ['definitoin.1', { kind: 'unknown', part: 'definitoin', outer: '', known: PARTS, suggestion: 'definition' }],
  ['/', { kind: 'unknown', part: '', outer: '', known: POINTER_FIELDS }],
  ['/definition', { kind: 'unknown', part: 'definition', outer: '', known: POINTER_FIELDS }],
  ['/filter', { kind: 'unknown', part: 'filter', outer: '', known: POINTER_FIELDS, suggestion: 'filters' }],
  ['name.1', { kind: 'too_deep', part: '1', outer: 'name' }],
  ['description.x.y', { kind: 'too_deep', part: 'x', outer: 'description' }],
  ['definition.0', { kind: 'zero', outer: 'definition' }],
  ['definition.2.0', { kind: 'zero', outer: '2' }],
  ['definition.1.value.2', { kind: 'number', part: '2', outer: 'value' }],
  ['definition.1.value.*', { kind: 'number', part: '*', outer: 'value' }],
])('%s names no place, and the problem says why', (text, problem) => {
  expect(parseCohortPath(text)).toEqual({ problem });
});
