/** Who made the differences of a cohort: its activity as PostHog writes it, replayed over definitions. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { diff } from '../../../src/core/engine/diff.ts';
import { inquireCohorts, loggedCohort, soughtInCohort } from '../../../src/posthog/cohort/family.ts';
import { canonicalCohort, comparableCohort } from '../../../src/posthog/cohort/cohort.ts';
import type { OwnWrite } from '../../../src/posthog/authors/attribution.ts';
import { attribute } from '../../../src/posthog/authors/replay-log.ts';
import { cohort } from '../../helpers/cohorts.ts';

const leaf = (value: string): JsonObject => ({
  key: 'plan',
  type: 'person',
  operator: 'exact',
  value,
  negation: false,
});
const group = (...values: string[]): JsonObject => ({ properties: { type: 'OR', values: values.map(leaf) } });

/** The service keeps what it compiled beside each leaf. */
const stored = (...values: string[]): JsonObject => ({
  properties: {
    type: 'OR',
    values: values.map((value) => ({ ...leaf(value), bytecode: ['_H', 1], conditionHash: value })),
  },
});

function entry(minute: number, by: string, changes: JsonObject[] | null, more: JsonObject = {}): JsonObject {
  return {
    id: `e${minute}`,
    user: { first_name: by, email: `${by}@example.org` },
    activity: changes === null ? 'created' : 'updated',
    scope: 'Cohort',
    item_id: '7',
    detail: { name: 'Beta', changes },
    created_at: new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString(),
    client: null,
    ...more,
  };
}

const change = (field: string, before: JsonObject[string], after: JsonObject[string]): JsonObject => ({
  type: 'Cohort',
  action: 'changed',
  field,
  ...{ before: before ?? null, after: after ?? null },
});

const CREATED = entry(0, 'ada', null);

/** By path: who made each difference between the live cohort and the wanted fields. */
function authors(
  live: JsonObject,
  wanted: JsonObject,
  { entries, writes = [], isWhole = true }: { entries: JsonObject[]; writes?: readonly OwnWrite[]; isWhole?: boolean },
): Record<string, unknown> {
  const read = cohort(7, 'Beta', live);
  const [before, after] = [comparableCohort(read), canonicalCohort(wanted)];
  const fields = Object.keys(wanted).flatMap((field) => diff(before[field], after[field], [field]));
  const sought = soughtInCohort(fields, { cohort: read, body: wanted });
  const answers = attribute({ logged: loggedCohort(read), writes, sought }, { entries, isWhole });
  return Object.fromEntries(
    [...answers].map(([path, one]) => [path, one?.kind === 'known' ? (one.run ?? one.by) : one?.reason]),
  );
}

describe('the author of', () => {
  test('each filter is who changed it, not who changed another one later', () => {
    const entries = [
      entry(3, 'cai', [change('filters', stored('a', 'live'), stored('late', 'live'))]),
      entry(2, 'bob', [change('filters', stored('a', 'b'), stored('a', 'live'))]),
      CREATED,
    ];
    expect(authors({ filters: stored('late', 'live') }, { filters: group('a', 'b') }, { entries })).toEqual({
      '/filters/properties/values/0/value': 'cai@example.org',
      '/filters/properties/values/1/value': 'bob@example.org',
    });
  });

  test('a name, a description, a removed filter and a deletion is in the log', () => {
    const entries = [
      entry(4, 'dan', [change('deleted', false, true)], { activity: 'deleted' }),
      entry(3, 'cai', [change('filters', stored('a', 'b'), stored('a'))]),
      entry(2, 'bob', [change('name', 'Beta', 'Renamed'), change('description', null, 'Live.')]),
      CREATED,
    ];
    const live = { name: 'Renamed', description: 'Live.', filters: stored('a'), deleted: true };
    const wanted = { name: 'Beta', description: '', filters: group('a', 'b'), deleted: false };
    expect(authors(live, wanted, { entries })).toEqual({
      '/name': 'bob@example.org',
      '/description': 'bob@example.org',
      '/filters/properties/values/1': 'cai@example.org',
      '/deleted': 'dan@example.org',
    });
  });

  test('what nobody changed since is who created the cohort, if the log is that old', () => {
    const wanted = { description: 'Git.' };
    expect(authors({ description: 'Live.' }, wanted, { entries: [CREATED] })).toEqual({
      '/description': 'ada@example.org',
    });
    expect(authors({ description: 'Live.' }, wanted, { entries: [] })).toEqual({ '/description': 'too_old' });
    expect(authors({ description: 'Live.' }, wanted, { entries: [], isWhole: false })).toEqual({
      '/description': undefined,
    });
  });

  test('an edit that adds or removes persons of a cohort by hand says nothing', () => {
    const noise = entry(3, 'eve', [{ type: 'Cohort', action: 'changed' }], { activity: 'person_removed_manually' });
    expect(authors({ description: 'Live.' }, { description: '' }, { entries: [noise, CREATED] })).toEqual({
      '/description': 'ada@example.org',
    });
  });

  test('what a recorded run wrote is that run, if the values are those that it wrote', () => {
    const own: OwnWrite = {
      run: 'run-1',
      id: 7,
      from: '2026-01-01T12:02:00.000Z',
      until: '2026-01-01T12:02:01.000Z',
      change: {
        action: 'update',
        resource: 'cohort',
        ref: 'cohort:beta',
        key: 'beta',
        id: 7,
        fields: [],
        body: { filters: group('live') },
        base: { cohort: {}, former: {} },
        needs: [],
      },
    };
    const wanted = { filters: group('git') };
    const by = (value: string, write: OwnWrite): unknown =>
      Object.values(
        authors({ filters: stored(value) }, wanted, {
          entries: [entry(2, 'bot', [change('filters', stored('a'), stored(value))]), CREATED],
          writes: [write],
        }),
      )[0];
    expect(by('live', own)).toBe('run-1');
    expect(by('other', own)).toBe('bot@example.org');
    expect(by('live', { ...own, id: 8 })).toBe('bot@example.org');
    expect(by('live', { ...own, change: { ...own.change, resource: 'flag' } as never })).toBe('bot@example.org');
  });
});

describe('the place of a difference', () => {
  const places = (live: JsonObject, wanted: JsonObject): unknown => {
    const read = cohort(7, 'Beta', { filters: live });
    const fields = diff(comparableCohort(read)['filters'], canonicalCohort({ filters: wanted })['filters'], [
      'filters',
    ]);
    const sought = soughtInCohort(fields, { cohort: read, body: { filters: wanted } });
    return sought.map(({ path, place }) => [path.split('/values/')[1], place.slice(3).join('/')]);
  };
  const ofKeys = (...keys: string[]): JsonObject => ({
    properties: {
      type: 'OR',
      values: keys.map((key) => ({ ...leaf(key === 'b!' ? 'changed' : 'same'), key: key[0] })),
    },
  });

  test('is that of the live filter, also where git adds one before it', () => {
    expect(places(ofKeys('a', 'b'), ofKeys('n', 'a', 'b!'))).toEqual([
      ['0', '0'],
      ['2/value', '1/value'],
    ]);
  });
});

test('logs are asked of each changed cohort that exists, and never of a new one', () => {
  const base = { cohort: {}, former: {} };
  const common = { resource: 'cohort', fields: [], body: { description: 'Git.' }, needs: [] } as const;
  const edits = [
    { ...common, action: 'create', ref: 'cohort:new', key: 'new' },
    { ...common, action: 'update', ref: 'cohort:a', key: 'a', id: 7, base },
    { ...common, action: 'update', ref: 'cohort:b', key: 'b', id: 8, base },
    { ...common, action: 'update', ref: 'cohort:gone', key: 'gone', id: 9, base },
  ] as const;
  const fields = [{ path: '/description', before: 'Live.', after: 'Git.' }];
  const cohorts = [cohort(8, 'B', { description: 'Live.' }), cohort(7, 'A', { description: 'Live.' })];
  const asked = inquireCohorts(
    edits.map((edited) => ({ change: edited, fields })),
    { flags: [], roleAccess: {}, cohorts },
  );
  const sought = [{ path: '/description', place: ['description'], wanted: 'Git.' }];
  expect(asked.map(({ logged, sought: values }) => [logged?.id, [...values]])).toEqual([
    [7, [['cohort:a', sought]]],
    [8, [['cohort:b', sought]]],
  ]);
  expect(inquireCohorts([{ change: edits[1], fields }], { flags: [], roleAccess: {} })).toEqual([]);
});
