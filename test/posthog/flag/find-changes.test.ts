import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { PlaceTree } from '../../../src/base/place.ts';
import type { DeclaredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { indexResources } from '../../../src/core/engine/snapshot.ts';
import { changeFlag, deleteFlag, flagBase, type FlagOutcome } from '../../../src/posthog/flag/find-changes.ts';
import type { FlagChange } from '../../../src/posthog/flag/change.ts';
import { snapshotFlags } from '../../../src/posthog/flag/snapshot.ts';
import { declared, dependsOn, liveFlag, retired } from '../../helpers/states.ts';

const at = (line: number, children?: Record<string, PlaceTree>): PlaceTree => ({
  place: { file: 'a.yaml', line, column: 1 },
  ...(children === undefined ? {} : { children }),
});
const PLACES = at(1, { name: at(2), tags: at(3), filters: at(4, { groups: at(5) }), deleted: at(6) });
const place = (line: number): unknown => ({ file: 'a.yaml', line, column: 1 });

const placed = (fields: JsonObject): DeclaredFlag => ({ ...declared('a', fields), places: PLACES });
const none = snapshotFlags(indexResources<Flag>([]));
const withOther = snapshotFlags(indexResources([liveFlag(7, 'other')]));
const change = (desired: DeclaredFlag, live?: Flag, flags = none): FlagOutcome & { readonly change?: FlagChange } => {
  const outcome = changeFlag(live === undefined ? { desired } : { desired, live }, flags);
  expect(outcome.changes.length).toBeLessThanOrEqual(1);
  return outcome.changes[0] === undefined ? outcome : { ...outcome, change: outcome.changes[0] };
};

describe('a create', () => {
  it('has each declared field with its place, and the body that is sent', () => {
    const fields = { name: 'x', tags: undefined, filters: { groups: [{ rollout_percentage: 5 }] } };
    const made = change(placed(fields));
    expect(made.warnings).toEqual([]);
    expect(made.change).toEqual({
      action: 'create',
      ref: 'flag:a',
      resource: 'flag',
      key: 'a',
      fields: [
        { path: '/name', after: 'x', source: place(2) },
        { path: '/filters', after: fields.filters, source: place(4) },
      ],
      body: { key: 'a', ...fields },
      needs: [],
      source: place(1),
    });
  });

  it('shows digests of encrypted payloads, and sends the payloads', () => {
    const filters = { groups: [], payloads: { true: '"S"' } };
    const { change: made } = change(placed({ has_encrypted_payloads: true, filters }));
    expect(JSON.stringify(made?.fields)).not.toContain('S"');
    expect(made?.body).toMatchObject({ filters });
  });
});

describe('an update', () => {
  const live = liveFlag(1, 'a', { name: 'old', tags: ['x'], version: 4, unheard_of: 1, filters: { groups: [] } });

  it('has the fields that differ, with their places', () => {
    const { change: made, warnings } = change(placed({ tags: ['x'], filters: { groups: [{}] }, name: 'new' }), live);
    expect(warnings).toEqual([]);
    expect(made).toMatchObject({
      action: 'update',
      ref: 'flag:a',
      resource: 'flag',
      key: 'a',
      id: 1,
      fields: [{ source: place(5) }, { path: '/name', before: 'old', after: 'new', source: place(2) }],
      body: { filters: { groups: [{}] }, name: 'new' },
      source: place(5),
    });
    expect(made?.needs).toEqual([]);
    expect(Object.keys(made?.body ?? {})).toEqual(['filters', 'name']);
  });

  it.each<[string, JsonObject, Partial<Flag>]>([
    ['declares the live values', { name: 'old', tags: ['x'] }, {}],
    ['declares the live values in another form', { name: ' old ', tags: ['X'] }, {}],
    ['declares nothing', {}, {}],
    ['names a dependency by its key', { filters: dependsOn('other') }, { filters: dependsOn('7') as never }],
  ])('is not made if the manifest %s', (_, fields, there) => {
    expect(change(placed(fields), { ...live, ...there }, withOther)).toEqual({ changes: [], warnings: [] });
  });

  it('distinguishes a dependency on the key 7 from one on the id 7, although both are written alike', () => {
    const same = { ...live, filters: dependsOn('7') as never };
    expect(change(placed({ filters: dependsOn('7') }), same, withOther).change?.action).toBe('update');
  });

  it('replaces the mark by the live payload, unless the live flag is encrypted', () => {
    const filters = (rollout: number, payload: string): JsonObject => ({
      groups: [{ rollout_percentage: rollout }],
      payloads: { true: payload },
    });
    const wanted = placed({ has_encrypted_payloads: true, filters: filters(5, '"********* (encrypted)"') });
    const stored = { ...live, filters: filters(10, '"S"') as never };
    expect(change(wanted, stored).change?.body).toEqual({ filters: filters(5, '"S"') });
    const encrypting = { ...stored, has_encrypted_payloads: true };
    expect(change(wanted, encrypting).change?.body).toMatchObject({
      filters: filters(5, '"********* (encrypted)"'),
    });
  });

  it.each<[string, JsonObject, Partial<Flag>, JsonObject, readonly string[]]>([
    ['restores a deleted flag', {}, { deleted: true }, { deleted: false }, []],
    [
      'unarchives an archived flag that is declared active',
      { active: true },
      { archived: true },
      { archived: false },
      ['unarchives'],
    ],
    [
      'keeps an archived flag archived if it is declared inactive',
      { active: false },
      { archived: true },
      { active: false },
      [],
    ],
    [
      'archives a flag that is declared archived',
      { active: true, archived: true },
      { archived: false },
      { archived: true },
      [],
    ],
    ['omits an unsupported field and warns of it', { mystery: 1, name: 'x' }, {}, { name: 'x' }, ['field_unsupported']],
    ['renames a flag with another key', {}, { key: 'b' }, { key: 'a' }, []],
  ])('%s', (_, fields, there, body, codes) => {
    const { change: made, warnings } = change(placed(fields), { ...live, ...there });
    expect(made?.action).toBe(there.deleted === true ? 'restore' : 'update');
    expect(made?.body).toEqual(body);
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });
});

describe('a delete', () => {
  const base = flagBase(liveFlag(1, 'a'), { compared: [], written: ['deleted'] }, none);
  const common = {
    action: 'delete',
    ref: 'flag:a',
    resource: 'flag',
    key: 'a',
    id: 1,
    fields: [{ path: '/deleted', before: false, after: true }],
    body: { deleted: true },
    base,
    needs: [],
  };

  it('of a retired flag has the place of its declaration', () => {
    const flag = { ...retired('a'), places: PLACES };
    expect(deleteFlag(liveFlag(1, 'a'), none, { retired: flag })).toEqual({
      ...common,
      reason: 'retired',
      source: place(6),
    });
  });

  it('of a pruned flag has no place', () => {
    expect(deleteFlag(liveFlag(1, 'a'), none, {})).toEqual({ ...common, reason: 'pruned' });
    expect(base.former).toEqual({ deleted: false });
  });
});

describe('the record of a flag in a plan', () => {
  const live = liveFlag(1, 'a', { version: null, unheard_of: 1, other: 2 });

  it('has every known field, and of the others the compared ones', () => {
    const { flag, former, version } = flagBase(live, { compared: ['other'], written: ['other'] }, none);
    expect(Object.keys(flag)).toContain('active');
    expect([flag['other'], Object.keys(flag).includes('unheard_of')]).toEqual([2, false]);
    expect([former, version]).toEqual([{ other: 2 }, null]);
  });

  it('has no version if the service has none', () => {
    const { version: _version, ...older } = live;
    const fields = { compared: [], written: [] };
    expect(flagBase(older as Flag, fields, none).version).toBeNull();
    expect(flagBase({ ...live, version: 3 }, fields, none).version).toBe(3);
  });
});
