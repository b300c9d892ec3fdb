/** The section `cohorts` of manifests: what it resolves to, and what it reports. */

import { describe, expect, it, test } from 'vitest';
import { describe as describeProblem } from '../../../src/report/words/diagnostics.ts';
import { parseManifest, resolveManifests, type Resolution } from '../../../src/posthog/manifests/manifests.ts';

const PROJECTS = ['staging', 'production'];

function resolve(text: string, cohorts: Readonly<Record<string, number>> = {}, name = 'production'): Resolution {
  const { file, diagnostics } = parseManifest('a.yaml', text);
  const { desired, diagnostics: more } = resolveManifests([file], { name, roles: {}, cohorts }, PROJECTS);
  return { desired, diagnostics: [...diagnostics, ...more] };
}

const BEHAVIORAL =
  '{ type: AND, values: [{ type: behavioral, key: paid, value: performed_event, event_type: events }] }';
const PRO = '{ type: AND, values: [{ key: plan, value: pro }] }';
const on = (alias: string): string =>
  `flags: { f: { filters: { groups: [{ properties: [{ key: id, type: cohort, value: ${alias} }] }] } } }\n`;

describe('a declared cohort', () => {
  it('has the alias as its name by default, and the overlay of the project', () => {
    const text = `cohorts:\n  a:\n    filters: { properties: ${PRO} }\n    previous_names: [B]\n    projects: { staging: { name: S } }\n`;
    expect(resolve(text).desired.cohorts).toMatchObject([{ key: 'a', names: ['a', 'B'], fields: { name: 'a' } }]);
    expect(resolve(text, {}, 'staging').desired.cohorts).toMatchObject([{ names: ['S', 'B'], fields: { name: 'S' } }]);
  });

  it('with an id of the configuration is known by it, and its name is managed only where it is declared', () => {
    const { desired, diagnostics } = resolve(`${on('a')}cohorts: { a: { filters: { properties: ${PRO} } } }\n`, {
      a: 7,
    });
    expect(diagnostics).toEqual([]);
    expect(desired.cohorts?.[0]).toMatchObject({ id: 7, fields: { filters: {} } });
    expect(desired.cohorts?.[0]).not.toMatchObject({ fields: { name: 'a' } });
    expect(desired.flags[0]).toMatchObject({ fields: { filters: { groups: [{ properties: [{ value: 7 }] }] } } });
    const named = `cohorts: { a: { name: A, description: D, filters: { properties: ${PRO} } } }\n`;
    expect(resolve(named, { a: 7 }).desired.cohorts?.[0]).toMatchObject({ fields: { name: 'A', description: 'D' } });
  });

  it('names another by the id that the configuration gives that one, and else by its alias', () => {
    const ofBoth =
      '{ type: AND, values: [{ type: cohort, value: a }, { type: cohort, value: b }, { key: x, value: a }] }';
    const text = `cohorts: { b: { filters: { properties: ${PRO} } }, c: { filters: { properties: ${ofBoth} } } }\n`;
    const { desired, diagnostics } = resolve(text, { a: 7 });
    expect(diagnostics).toEqual([]);
    expect(desired.cohorts?.map(({ key }) => key)).toEqual(['b', 'c']);
    expect(desired.cohorts?.[1]).toMatchObject({
      fields: { filters: { properties: { values: [{ value: 7 }, { value: 'b' }, { value: 'a' }] } } },
    });
  });

  it('is left out of other projects', () => {
    const text = `cohorts: { a: { only_in: [staging], filters: { properties: ${PRO} } } }\n`;
    expect(resolve(text).desired.cohorts).toBeUndefined();
  });
});

test.each<[text: string, codes: readonly string[]]>([
  [`cohorts: { a: {} }`, ['cohort-undefined']],
  [`cohorts: { 12: { filters: { properties: ${PRO} } } }`, ['value-pattern']],
  [`cohorts: { a: { filters: { properties: { key: x, value: 1 } } } }`, ['cohort-definition']],
  [`cohorts: { a: { filters: { properties: { type: AND, values: [{ key: x }] } } } }`, ['cohort-definition']],
  [`cohorts: { a: { filters: { properties: { type: AND, values: [{ key: x, operator: is_set }] } } } }`, []],
  [`cohorts: { a: { filters: { properties: { type: AND } } } }`, ['cohort-definition']],
  [
    `cohorts: { a: { filters: { properties: { type: AND, values: [{ key: k, value: v }], key: x } } } }`,
    ['cohort-definition'],
  ],
  [
    `cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort, value: 3, operator: in }] } } } }`,
    ['cohort-definition'],
  ],
  [
    `cohorts: { a: { filters: { properties: { type: AND, values: [{ kye: x }] } } } }`,
    ['cohort-definition', 'cohort-definition', 'property-unknown'],
  ],
  [
    `cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort, value: b }] } } } }`,
    ['cohort-unknown'],
  ],
  [
    `cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort, value: a }] } } } }`,
    ['cohort-depends-on-itself'],
  ],
  [
    `cohorts: { a: { name: N, filters: { properties: ${PRO} } }, b: { name: N, filters: { properties: ${PRO} } } }`,
    ['cohort-name-taken'],
  ],
  [`${on('a')}cohorts: { a: { filters: { properties: ${BEHAVIORAL} } } }`, ['cohort-behavioral']],
  [
    `${on('b')}cohorts: { a: { filters: { properties: ${BEHAVIORAL} } }, b: { filters: { properties: { type: OR, values: [{ type: cohort, value: a }] } } } }`,
    ['cohort-behavioral'],
  ],
  [
    `${on('a')}cohorts: { a: { filters: { properties: { type: OR, values: [${PRO}, ${BEHAVIORAL}] } } } }`,
    ['cohort-behavioral'],
  ],
  [`cohorts: { a: { filters: { properties: ${BEHAVIORAL} } } }`, []],
  [`${on('a')}cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort, value: 5 }] } } } }`, []],
  [
    `${on('a')}cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort, value: b }] } } }, b: { deleted: true } }`,
    ['cohort-deleted'],
  ],
  [`${on('a')}cohorts: { a: { deleted: true } }`, ['cohort-deleted']],
  [
    `cohorts: { a: { deleted: true }, b: { filters: { properties: { type: AND, values: [{ type: cohort, value: a }] } } } }`,
    ['cohort-deleted'],
  ],
  [`cohorts: { a: { deleted: true, name: N }, b: { name: N, filters: { properties: ${PRO} } } }`, []],
  [
    `cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort, value: b }] } } }, b: { filters: { properties: { type: AND, values: [{ type: cohort, value: a }] } } } }`,
    ['cohort-depends-on-itself'],
  ],
  [
    `cohorts: { a: { only_in: [nowhere], filters: { properties: { type: AND, values: [{ key: x }] } } } }`,
    ['cohort-definition', 'project-unknown'],
  ],
  [
    `cohorts: { a: { only_in: [nowhere], deleted: true, filters: { properties: { type: AND, values: [{ key: x }] } } } }`,
    ['project-unknown'],
  ],
  [`cohorts: { a: { filters: { properties: { type: AND, values: [{ value: x }] } } } }`, ['cohort-definition']],
  [`cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort }] } } } }`, ['cohort-definition']],
  [
    `cohorts: { a: { filters: { properties: { type: AND, values: [{ key: x, operator: is_not_set }, { key: y, operator: exact }] } } } }`,
    ['cohort-definition'],
  ],
  [`${on('b')}cohorts: { a: { filters: { properties: ${PRO} } } }`, ['cohort-unknown']],
  [`cohorts: { a: { only_in: [nowhere], filters: { properties: ${PRO} } } }`, ['project-unknown']],
])('%s', (text, codes) => {
  expect(
    resolve(text)
      .diagnostics.map(({ code }) => code)
      .toSorted(),
  ).toEqual(codes);
});

test.each([
  'event_type: events',
  'time_value: 1',
  'time_interval: day',
  'operator_value: 1',
  'seq_time_interval: day',
  'seq_time_value: 1',
  'seq_event: paid',
  'seq_event_type: events',
  'total_periods: 2',
  'min_periods: 1',
  'event_filters: []',
  'explicit_datetime: 2026-01-01',
  'explicit_datetime_to: 2026-01-02',
])('a filter of people or cohorts with %s, which only events have, is refused, and one of events is not', (member) => {
  const codesOf = (leaf: string): string[] =>
    resolve(`cohorts: { a: { filters: { properties: { type: AND, values: [{ ${leaf}, ${member} }] } } } }`)
      .diagnostics.filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);
  expect(codesOf('key: plan, value: pro')).toEqual(['cohort-definition']);
  expect(codesOf('type: cohort, value: 3')).toEqual(['cohort-definition']);
  const ofEvents = 'type: behavioral, key: paid, value: performed_event';
  expect(codesOf(member.startsWith('event_type') ? ofEvents : `${ofEvents}, event_type: events`)).toEqual([]);
});

test('a problem is at the filter, the condition or the cohort that has it', () => {
  const placesOf = (text: string, ids = {}): unknown[] =>
    resolve(text, ids).diagnostics.map(({ code, path, args }) => [code, path, args]);
  const ofBoth = `{ type: OR, values: [${PRO}, { type: AND, values: [{ key: x }, { type: cohort, value: 3, operator: in }] }] }`;
  const at = '/cohorts/a/filters/properties/values/1';
  expect(placesOf(`cohorts: { a: { filters: { properties: ${ofBoth} } } }`)).toEqual([
    ['cohort-definition', `${at}/values/0`, { why: 'missing', member: 'value' }],
    ['cohort-definition', `${at}/values/1/operator`, { why: 'superfluous', member: 'operator' }],
  ]);
  expect(placesOf(`cohorts: { a: { filters: { properties: { type: AND, key: x } } } }`)).toEqual([
    ['cohort-definition', '/cohorts/a/filters/properties', { why: 'superfluous', member: 'key' }],
    ['cohort-definition', '/cohorts/a/filters/properties', { why: 'missing', member: 'values' }],
  ]);
  expect(
    placesOf(`cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort, value: betta }] } } } }`, {
      beta: 4,
    }),
  ).toEqual([['cohort-unknown', '/cohorts/a/filters', { cohort: 'betta', project: 'production', suggestion: 'beta' }]]);
  const conditions =
    '[{ properties: [{ key: p, value: a }] }, { properties: [{ key: p, value: b }, { key: id, type: cohort, value: a }] }]';
  expect(placesOf(`flags: { f: { filters: { groups: ${conditions} } } }\ncohorts: { a: { deleted: true } }`)).toEqual([
    ['cohort-deleted', undefined, { alias: 'a' }],
  ]);
});

test.each([
  ['{ key: x, value: 1 }', 'The definition of a cohort must begin with a group: `type` AND or OR, and `values`.'],
  ['{ type: AND, values: [{ key: x }] }', 'The filter lacks `value`.'],
  [
    '{ type: AND, values: [{ type: cohort, value: 3, operator: in }] }',
    '`operator` does not belong here; PostHog refuses it.',
  ],
])('what is wrong with the definition %s is said', (definition, message) => {
  const [problem] = resolve(`cohorts: { a: { filters: { properties: ${definition} } } }`).diagnostics;
  expect(problem && describeProblem(problem).message).toBe(message);
});

test('a cohort that two files declare is reported at the second one, with the place of the first', () => {
  const text = (name: string): string => `cohorts: { a: { name: ${name}, filters: { properties: ${PRO} } } }`;
  const files = ['a.yaml', 'b.yaml'].map((name) => parseManifest(name, text(name.slice(0, 1))).file);
  const { diagnostics } = resolveManifests(files, { name: 'production', roles: {}, cohorts: {} }, PROJECTS);
  expect(diagnostics.map((one) => [one.code, one.place?.file, describeProblem(one).message])).toEqual([
    ['cohort-duplicate', 'b.yaml', 'Cohort "a" is already declared at a.yaml:1:12.'],
  ]);
});

test.each([
  [`cohorts: { a: {} }`, 'Cohort "a" has no definition: it lacks `filters`.'],
  [
    `cohorts: { a: { name: N, filters: { properties: ${PRO} } }, b: { name: N, filters: { properties: ${PRO} } } }`,
    'Cohorts "a" and "b" are both declared with the name "N".',
  ],
  [
    `${on('a')}cohorts: { a: { filters: { properties: ${BEHAVIORAL} } } }`,
    'Flag "f" uses the cohort "a", whose definition depends on events. PostHog refuses that.',
  ],
  [
    `cohorts: { a: { filters: { properties: { type: AND, values: [{ type: cohort, value: a }] } } } }`,
    'The definitions of cohorts form a cycle: a → a.',
  ],
  [`${on('a')}cohorts: { a: { deleted: true } }`, 'The cohort "a" is declared as deleted.'],
])('%s: %s', (text, message) => {
  const [found] = resolve(text).diagnostics;
  expect(found && describeProblem(found).message).toBe(message);
});

test.each(["'x'", '{ type: 7, key: a, value: 1 }', '{ type: session, key: a, value: 1, operator_value: 1 }'])(
  'of a filter whose shape is wrong, or whose type is unknown, nothing is said twice: %s',
  (leaf) => {
    const found = resolve(`cohorts: { a: { filters: { properties: { type: AND, values: [${leaf}] } } } }`);
    expect(found.diagnostics.map(({ code }) => code)).not.toContain('cohort-definition');
  },
);
