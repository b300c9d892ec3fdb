/** Paths to fields: which of two is more exact, and the places that one names in a resource. */

import { describe, expect, test } from 'vitest';
import { comparePrecision, matchesField, pointersOf, type PathStep } from '../../../src/core/engine/field-path.ts';

const member = (name: string): PathStep => ({ kind: 'member', name });
const element = (index: number): PathStep => ({ kind: 'element', index });
const ANY: PathStep = { kind: 'any' };
const path = (...steps: PathStep[]): { readonly steps: readonly PathStep[] } => ({ steps });

test.each([
  ['more steps', path(member('a'), ANY), path(member('a'))],
  ['more steps, also where they name every place', path(ANY, ANY), path(member('a'))],
  ['a step that names one place', path(member('a'), element(0)), path(member('a'), ANY)],
  ['more steps that name one place', path(member('a'), element(0), ANY), path(ANY, ANY, element(0))],
])('of two paths, one with %s is more exact', (_, more, less) => {
  expect(Math.sign(comparePrecision(more, less))).toBe(1);
  expect(Math.sign(comparePrecision(less, more))).toBe(-1);
  expect(comparePrecision(more, more)).toBe(0);
});

describe('a path', () => {
  const FIELDS = { list: [{ key: 'x', to: 1 }, { key: 'y' }], tags: ['a'] };
  const named: PathStep = { kind: 'named', by: 'key', name: 'y' };

  test.each([
    ['a member, which need not be there', path(member('other')), ['/other']],
    ['an element, which must', path(member('list'), element(2)), []],
    ['an element by its place', path(member('list'), element(1)), ['/list/1']],
    ['an element by its key', path(member('list'), named), ['/list/1']],
    ['every element', path(member('list'), ANY, member('to')), ['/list/0/to', '/list/1/to']],
    ['every member', path(ANY), ['/list', '/tags']],
  ])('names %s', (_, steps, pointers) => {
    expect(pointersOf(steps, FIELDS)).toEqual(pointers);
  });

  test('matches the place that it names and those below, and none around', () => {
    const steps = path(member('list'), named);
    const places = ['/list/1', '/list/1/to', '/list/0', '/list', '/tags/1'];
    expect(places.map((pointer) => matchesField(steps, pointer, FIELDS))).toEqual([true, true, false, false, false]);
  });
});
