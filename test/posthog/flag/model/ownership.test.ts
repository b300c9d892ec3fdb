/** Who decides about the values of a flag. */

import { expect, it } from 'vitest';
import type { Ownership } from '../../../../src/core/engine/ownership.ts';
import {
  SERVICE_FIELDS,
  findOwnership,
  isManagedField,
  partsOfOthers,
  type OwnershipRule,
  parseFieldPath,
} from '../../../../src/posthog/flag/model/fields.ts';

function rule(path: string, ownership: Ownership): OwnershipRule {
  return { path: parsed(path), ownership, source: { file: 'flagwright.yaml', line: 1, column: 1 } };
}

function parsed(text: string): Exclude<ReturnType<typeof parseFieldPath>, { problem: unknown }> {
  const path = parseFieldPath(text);
  if ('problem' in path) throw new Error(text);
  return path;
}

it('the service decides about its computed fields only, known or not', () => {
  const fields = ['version', 'created_by', 'name', 'of-a-later-release'];
  expect(fields.map((field) => SERVICE_FIELDS.has(field))).toEqual([true, true, false, false]);
});

it('other products decide about their parts of filters unless a manifest declares them', () => {
  const live = { groups: [], holdout: { id: 1 }, super_groups: null, payloads: {} };
  expect(partsOfOthers({ groups: [] }, live)).toEqual(['holdout']);
  expect(partsOfOthers({ groups: [], holdout: null }, live)).toEqual([]);
});

it('the last rule that matches counts', () => {
  const rules = [rule('filters', 'observed'), rule('conditions.1', 'initial'), rule('active', 'managed')];
  const fields = { filters: { groups: [{}, {}] } };
  const owners = ['/filters/groups/0/variant', '/filters/groups/1', '/active', '/name'];
  expect(owners.map((pointer) => findOwnership(rules, pointer, fields))).toEqual([
    'initial',
    'observed',
    'managed',
    undefined,
  ]);
});

it('git decides about a field that no rule names', () => {
  expect(isManagedField(undefined, 'active')).toBe(true);
  expect(isManagedField([rule('active', 'observed')], 'active')).toBe(false);
  expect(isManagedField([rule('active', 'observed'), rule('active', 'managed')], 'active')).toBe(true);
});
