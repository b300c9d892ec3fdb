import { expect, test } from 'vitest';
import type { JsonArray, JsonObject } from '../../../src/base/json.ts';
import { pairElements } from '../../../src/posthog/flag/owned-fields.ts';

function condition(description: string, key: string, rollout: number): JsonObject {
  return {
    description,
    properties: [{ key, type: 'person', operator: 'exact', value: ['x'] }],
    rollout_percentage: rollout,
  };
}

function pairs(wanted: JsonArray, live: JsonArray): readonly (number | undefined)[] {
  return pairElements(wanted, live, new Map());
}

test('a description that two conditions have tells neither from the other: the people do', () => {
  const wanted = [condition('staff', 'email', 10), condition('staff', 'plan', 20)];
  const live = [condition('staff', 'plan', 30), condition('staff', 'email', 40)];
  expect(pairs(wanted, live)).toEqual([1, 0]);
});

test('a description that one condition of each list has pairs them, whoever they are for', () => {
  const wanted = [condition('staff', 'email', 10), condition('all', 'plan', 20)];
  const live = [condition('all', 'email', 30), condition('staff', 'plan', 40)];
  expect(pairs(wanted, live)).toEqual([1, 0]);
});

test('people whom two conditions of a list are for tell neither from the other', () => {
  const wanted = [condition('a', 'email', 10), condition('b', 'email', 20)];
  const live = [condition('c', 'email', 30), condition('d', 'email', 40), condition('e', 'plan', 50)];
  expect(pairs(wanted, live)).toEqual([undefined, undefined]);
});
