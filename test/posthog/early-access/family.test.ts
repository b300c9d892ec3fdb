/** Early access features as a family: how they are read, named, addressed, explained and told apart. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { fromPointer } from '../../../src/base/json-pointer.ts';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';
import { asLive } from '../../../src/posthog/as-live.ts';
import type { DesiredFeature, EarlyAccessFeature, LiveFeature } from '../../../src/posthog/early-access/feature.ts';
import { EARLY_ACCESS_FAMILY as FAMILY } from '../../../src/posthog/early-access/family.ts';
import { EARLY_ACCESS } from '../../../src/posthog/early-access/kind.ts';
import type { FeatureChange } from '../../../src/posthog/early-access/change.ts';
import { desiredOf } from '../../helpers/cohorts.ts';
import { check } from '../../core/manifest/check.ts';
import { clientFor } from '../client/support/client.ts';
import { serve } from '../client/support/server.ts';

const FEATURE = {
  ...{ name: 'Sharing', stage: 'beta', description: 'Share it.', documentation_url: 'https://x.example' },
  payload: { icon: 'share' },
};
const LIVE: LiveFeature = { id: 7, feature_id: 'f7', ...FEATURE };

function declared(early_access: JsonObject, flags: JsonObject = {}): readonly DesiredFeature[] {
  return desiredOf({ flags, early_access }).early_access ?? [];
}

/** The client of a service whose project has these features. */
async function clientWith(features: readonly JsonObject[]): Promise<ServiceClient> {
  const { host } = await serve(() => ({ body: { count: 1, next: null, previous: null, results: features } }));
  return clientFor(host);
}

describe('a feature of the service', () => {
  const answered = (more: JsonObject): JsonObject => ({ id: 'f7', ...FEATURE, feature_flag: { id: 7 }, ...more });
  const { description: _, documentation_url: __, payload: ___, ...short } = answered({}) as EarlyAccessFeature;

  test.each<[string, JsonObject, readonly JsonObject[]]>([
    ['has the id of its flag', answered({ later: 1 }), [LIVE]],
    [
      'without a description, a link and a payload has empty ones',
      short,
      [{ ...LIVE, description: '', documentation_url: '', payload: {} }],
    ],
    ['with null for them keeps it', answered({ description: null }), [{ ...LIVE, description: null }]],
    ['whose flag was removed is none', answered({ feature_flag: null }), []],
    ['that names no flag is none', answered({ feature_flag: undefined }), []],
    ['whose flag has no number is none', answered({ feature_flag: { id: '7' } }), []],
  ])('%s', async (_what, feature, found) => {
    expect(await FAMILY.list(await clientWith([feature]))).toEqual(found);
  });

  test('is found by the id of its flag alone', async () => {
    const client = await clientWith([answered({ feature_flag: { id: 8 } }), answered({})]);
    expect(await FAMILY.find(client, 7)).toEqual(LIVE);
    expect(await FAMILY.find(client, 9)).toBeUndefined();
  });

  test('is declared where a declared one has its id', () => {
    const live = { flags: [], roleAccess: {}, early_access: [LIVE, { ...LIVE, id: 8 }] };
    const snapshot = { early_access: FAMILY.takeSnapshot(live) } as Parameters<typeof FAMILY.name>[0];
    const named = FAMILY.name(snapshot, [['share', 8]]).early_access;
    expect([7, 8].map((id) => [named.byId(id)?.id, named.isDeclared(id)])).toEqual([
      [7, false],
      [8, true],
    ]);
    expect(snapshot.early_access.isDeclared(8)).toBe(false);
  });
});

describe('a place in a feature', () => {
  test.each([
    ['*', [{ kind: 'any' }]],
    ['name', [{ kind: 'member', name: 'name' }]],
    ['/stage', [{ kind: 'member', name: 'stage' }]],
    ['documentation_url', [{ kind: 'member', name: 'documentation_url' }]],
    ['payload', [{ kind: 'member', name: 'payload' }]],
  ])('%s', (text, steps) => {
    expect(FAMILY.parsePath(text)).toEqual({ text, steps });
  });

  test.each<[string, JsonObject]>([
    ['', { kind: 'empty' }],
    ['stage.x', { kind: 'too_deep', part: 'x', outer: 'stage' }],
    ['payload.icon', { kind: 'too_deep', part: 'icon', outer: 'payload' }],
    ['/stage/x', { kind: 'too_deep', part: 'x', outer: 'stage' }],
    ['*.x', { kind: 'too_deep', part: 'x', outer: '*' }],
    ['stages', { kind: 'unknown', part: 'stages', outer: '', suggestion: 'stage' }],
    ['xyzzy', { kind: 'unknown', part: 'xyzzy', outer: '' }],
  ])('is none: %j', (text, problem) => {
    const known =
      problem['kind'] === 'unknown' ? { known: ['name', 'description', 'stage', 'documentation_url', 'payload'] } : {};
    expect(FAMILY.parsePath(text)).toEqual({ problem: { ...problem, ...known } });
  });

  test('is read in the fields of the feature', () => {
    expect(FAMILY.fieldsOf({ id: 7, key: 'sharing', feature: LIVE })).toBe(LIVE);
  });
});

describe('a declared feature', () => {
  test('is named in options by its alias and by its flag', () => {
    const [feature] = declared({ share: { flag: 'sharing' } });
    expect(feature && FAMILY.knownNames(feature)).toEqual(['early_access:share', 'sharing']);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['its fields', { flag: 'sharing', stage: 'beta' }, { fields: { stage: 'beta' } }],
    ['that it is retired', { flag: 'sharing', deleted: true }, { retired: true }],
  ])('means %s, and no places', (_what, members, meaning) => {
    const [feature] = declared({ share: members });
    expect(feature && FAMILY.form.meaningOf(feature)).toEqual({ key: 'share', flag: 'sharing', ...meaning });
  });

  test('is looked for nowhere else, since the service records no changes of features', async () => {
    const features = declared({ share: { flag: 'sharing' }, gone: { flag: 'gone', deleted: true } });
    const state = { flags: [], early_access: features };
    expect(FAMILY.findMissing(features, [])).toEqual([]);
    expect(FAMILY.findRetired(state, state, { flags: [], roleAccess: {} })).toEqual([]);
    expect(FAMILY.inquire([], { flags: [], roleAccess: {} })).toEqual([]);
    expect(await FAMILY.trace(await clientWith([]), [{ key: 'share' }], { listed: [] })).toEqual({
      traces: [],
      found: [],
    });
  });
});

describe('declared features as if they were live', () => {
  const of = (now: JsonObject, before: JsonObject, flags: JsonObject = { sharing: {} }) => {
    const { desired, live } = asLive(
      desiredOf({ flags, early_access: { share: { flag: 'sharing', ...now } } }),
      desiredOf({ flags, early_access: { old: { flag: 'sharing', ...before }, other: { stage: 'alpha' } } }),
    );
    const [feature] = desired.early_access ?? [];
    return { fields: feature?.kind === 'declared' ? feature.fields : feature?.kind, live: live.early_access };
  };

  test('keep what the former declaration of the flag declared, too', () => {
    const { fields, live } = of({ stage: 'beta', name: 'New' }, { stage: 'draft' });
    expect(fields).toEqual({ stage: 'beta' });
    expect(live).toMatchObject([
      { id: expect.any(Number), feature_id: '', name: 'old', stage: 'draft' },
      { id: 0, name: 'other', stage: 'alpha' },
    ]);
    expect(live?.[0]?.id).not.toBe(0);
  });

  test('are drafts by the name of the alias where nothing is declared', () => {
    expect(of({}, {}).live).toMatchObject([{ name: 'old', stage: 'draft' }, {}]);
  });

  test('stay as they are where they are retired, or new', () => {
    expect(of({ deleted: true }, { stage: 'draft' }).fields).toBe('retired');
    expect(of({ flag: 'new', stage: 'beta' }, {}, { sharing: {}, new: {} }).fields).toEqual({ stage: 'beta' });
  });
});

describe('an explained feature', () => {
  const TEXT = 'early_access: { share: { flag: sharing, stage: draft, name: null, description: " Share it. " } }\n';
  const declaration = check(TEXT).files[0]?.declarations.find(({ key }) => key === 'share');
  const [feature] = declared({ share: { flag: 'sharing' } });
  if (declaration === undefined || feature === undefined) throw new Error('The manifest declares a feature.');
  const values = FAMILY.explained.values(feature, { declaration, project: 'p' });
  const flag = { id: 7, key: 'sharing', filters: {} };

  test('has its declared fields, without those that are null', () => {
    expect(values.map(({ path, value, layer }) => [path, value, layer])).toEqual([
      ['/description', ' Share it. ', 'base'],
      ['/stage', 'draft', 'base'],
    ]);
  });

  test('shows the live values, of which the service stores strings without spaces around', () => {
    const live = FAMILY.explained.live(feature, values, { flags: [flag], roleAccess: {}, early_access: [LIVE] });
    expect(live?.id).toBe(7);
    expect(live?.sought).toEqual(['/description', '/stage'].map((path) => ({ path, place: fromPointer(path) })));
    expect(live?.sought.map((one) => live.liveValueOf(one))).toEqual([
      { value: 'Share it.', differs: false },
      { value: 'beta', differs: true },
    ]);
    expect(live).not.toHaveProperty('logged');
  });

  test.each([
    ['its flag has no feature', [flag], [{ ...LIVE, id: 8 }]],
    ['its flag is deleted', [{ ...flag, deleted: true }], [LIVE]],
    ['features were not read', [flag], undefined],
  ])('is not live where %s', (_what, flags, features) => {
    const live = { flags, roleAccess: {}, ...(features && { early_access: features }) };
    expect(FAMILY.explained.live(feature, values, live)).toBeUndefined();
  });
});

describe('the state that is read', () => {
  const { reads } = EARLY_ACCESS;
  const change = { key: 'share', flag: 'sharing', id: 7 } as FeatureChange;
  const keys = (created: readonly string[]) =>
    ({ liveKey: (key: string) => `live-${key}`, created: new Set(created) }) as Parameters<typeof reads.toApply>[1];

  test('for a plan is every feature, and the flag', () => {
    const [feature] = declared({ share: { flag: 'sharing' } });
    expect(feature && reads.toPlan(feature)).toEqual({ early_access: {}, flags: { keys: ['sharing'] } });
  });

  test('before a write is every feature, and the flag by its live key unless the plan creates it', () => {
    expect(reads.toApply(change, keys([]))).toEqual({ early_access: {}, flags: { keys: ['live-sharing'] } });
    expect(reads.toApply(change, keys(['sharing']))).toEqual({ early_access: {}, flags: { keys: [] } });
  });

  test.each<[string, unknown, number | undefined, readonly number[]]>([
    ['its id', 7, 8, [7]],
    ['the answered one of a create', undefined, 8, [8]],
    ['none where nothing was answered', undefined, undefined, []],
  ])('to revert is the flag by %s', (_what, id, answered, ids) => {
    const reverted = { ...change, id } as FeatureChange;
    expect(reads.toUndo(reverted, answered)).toEqual({ early_access: {}, flags: { ids } });
  });
});
