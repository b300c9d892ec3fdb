/** The people of a test: what a call says of them, what is known of them, and names that mean something in the project. */

import { expect, test } from 'vitest';
import type { TestPerson } from '../../src/testing/api.ts';
import { readPerson, type KnownToPeople } from '../../src/testing/declared-flags.ts';

const ADA: TestPerson = {
  id: 'ada',
  properties: { plan: 'pro', team: 'core' },
  groups: { company: 'acme', 1: { key: 'eu', properties: { size: 3 } } },
  cohorts: ['beta'],
  device_id: 'd-1',
  anonymous_id: 'a-1',
};
const KNOWN: KnownToPeople = {
  project: 'local',
  cohorts: new Set(['beta', 'staff']),
  groupTypes: { company: 0, team: 2 },
  people: new Map([['ada', ADA]]),
};
const read = (person: TestPerson): unknown => {
  const { name: _, ...rest } = readPerson(person, KNOWN) as unknown as Record<string, unknown>;
  return JSON.parse(JSON.stringify(rest)) as unknown;
};

test('a person has what is known of the id, and a call precedes it member by member', () => {
  const whole = read({ id: 'ada' });
  expect(whole).toMatchObject({ properties: { plan: 'pro', team: 'core' }, cohorts: ['beta'] });
  expect(read({ ...ADA, id: 'ada' })).toEqual(whole);
  expect(read({ id: 'ada', properties: { plan: 'free' }, cohorts: [], device_id: 'd-2' })).toMatchObject({
    properties: { plan: 'free', team: 'core' },
    cohorts: [],
    deviceId: 'd-2',
    anonymousId: 'a-1',
  });
  expect(read({ id: 'ada', groups: { company: 'other' } })).toMatchObject({
    groups: { 0: { key: 'other', properties: {} }, 1: { key: 'eu', properties: { size: 3 } } },
  });
});

test('a person of whom nothing is known has nothing else', () => {
  expect(read({ id: 'bob' })).toEqual({ id: 'bob', properties: {}, groups: {}, cohorts: [] });
  expect(Object.keys(readPerson({ id: 'bob' }, KNOWN))).not.toContain('deviceId');
});

test('a group is a key or an object, known by the name or the index of its type', () => {
  expect(
    read({ id: 'x', groups: { team: 7, 0: { key: 'acme' }, 4: { key: 1, properties: { a: new Date(0) } } } }),
  ).toMatchObject({
    groups: {
      0: { key: 'acme', properties: {} },
      2: { key: 7, properties: {} },
      4: { key: 1, properties: { a: '1970-01-01T00:00:00.000Z' } },
    },
  });
});

const circle: Record<string, unknown> = {};
circle['self'] = circle;

test.each<[string, TestPerson, string]>([
  [
    'an empty id',
    { id: '' },
    "A person needs an id. Pass an object such as { id: 'ada-7', properties: { plan: 'pro' } }.",
  ],
  ['no person', null as never, 'A person needs an id.'],
  ['nothing', undefined as never, 'A person needs an id.'],
  ['a number for an id', { id: 7 as never }, 'A person needs an id.'],
  ['a text', 'ada' as never, 'A person needs an id.'],
  [
    'a second cohort that the project lacks',
    { id: 'x', cohorts: ['beta', 'stafff'] },
    '"x" is in cohort "stafff", which local does not have. Did you mean "staff"?',
  ],
  [
    'a cohort like no other',
    { id: 'x', cohorts: ['7a'] },
    'Use an alias of flagwright.yaml or of the manifests, or an id.',
  ],
  [
    'a type of groups like a number',
    { id: 'x', groups: { '1a': 'y' } },
    'The index of the group type "1a" is unknown.',
  ],
  [
    'a circle in a group',
    { id: 'x', groups: { company: { key: 'a', properties: circle } } },
    'JSON cannot hold the properties of group "company". Remove the circular references.',
  ],
])('%s is refused, and the error says what to write', (_what, person, message) => {
  expect(() => readPerson(person, KNOWN)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) as string }) as Error,
  );
});

test('what JSON cannot hold is the cause of the error', () => {
  expect(() => readPerson({ id: 'x', properties: circle }, KNOWN)).toThrow(
    expect.objectContaining({ cause: expect.any(TypeError) as unknown }) as Error,
  );
  expect(() => readPerson({ id: '' }, KNOWN)).toThrow(expect.not.objectContaining({ cause: undefined }) as Error);
});

test('a cohort is named by alias, or by id as a number or a string', () => {
  expect(read({ id: 'x', cohorts: ['beta', 7, '8'] })).toMatchObject({ cohorts: ['beta', 7, '8'] });
});
