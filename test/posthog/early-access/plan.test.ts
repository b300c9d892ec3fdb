/** What a plan does with early access features: changes, their order, effects on flags, and what it refuses. */

import { allowing } from '../../helpers/states.ts';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan, DEFAULT_OPTIONS, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { LiveFeature } from '../../../src/posthog/early-access/feature.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { invertPlan } from '../../../src/posthog/planning/invert-plan.ts';
import type { Change, Plan } from '../../../src/posthog/plan.ts';

const UUID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1e01';
const FLAG = 'flags: { sharing: { active: true } }\n';

function resolve(text: string): { readonly desired: DesiredState; readonly codes: readonly string[] } {
  const { file, diagnostics } = parseManifest('flags.yaml', text);
  const resolved = resolveManifests([file], { name: 'p', roles: {}, cohorts: {} }, ['p', 'q']);
  return {
    desired: resolved.desired,
    codes: [...diagnostics, ...resolved.diagnostics].map(({ code }) => code),
  };
}

function flag(id: number, key: string, more: JsonObject = {}): Flag {
  return { id, key, name: '', active: true, deleted: false, filters: { groups: [] }, version: 1, ...more };
}

function feature(id: number, more: JsonObject = {}): LiveFeature {
  const fields = { name: 'Sharing', stage: 'draft', description: '', documentation_url: '', payload: {} };
  return { id, feature_id: UUID, ...fields, ...more } as LiveFeature;
}

function planOf(
  text: string,
  live: Partial<LiveState>,
  options: BuildOptions & { readonly before?: string } = {},
): Plan {
  const { before, ...rest } = options;
  const base = before === undefined ? {} : { base: { desired: resolve(before).desired } as BuildOptions['base'] };
  return buildPlan(resolve(text).desired, { flags: [], roleAccess: {}, early_access: [], ...live }, {
    ...rest,
    ...base,
  } as BuildOptions);
}

const declares = (members: string): string => `${FLAG}early_access: { share: { flag: sharing, ${members} } }\n`;
const LIVE = { flags: [flag(7, 'sharing')], early_access: [feature(7)] };

describe('a declared feature', () => {
  test('is created for its flag, after every change of the flag', () => {
    const { changes, hazards } = planOf(declares('name: Sharing, stage: beta'), {});
    expect(hazards).toEqual([]);
    expect(changes.map(({ ref, needs }) => [ref, needs])).toEqual([
      ['flag:sharing', []],
      ['early_access:share', ['flag:sharing']],
    ]);
    expect(changes[1]).toMatchObject({
      action: 'create',
      flag: 'sharing',
      managed: true,
      enrollment: 'starts',
      body: { name: 'Sharing', stage: 'beta' },
    });
  });

  test('has its alias as its name and is a draft where nothing else is declared', () => {
    const { changes } = planOf(`${FLAG}early_access: { sharing: {} }\n`, { flags: [flag(7, 'sharing')] });
    expect(changes).toMatchObject([{ flag: 'sharing', body: { name: 'sharing', stage: 'draft' } }]);
    expect(changes[0]).not.toHaveProperty('enrollment');
  });

  test.each<[string, string, JsonObject, JsonObject | undefined]>([
    ['a stage', 'stage: beta', {}, { stage: 'beta' }],
    ['the same stage', 'stage: draft', {}, undefined],
    ['nothing of what is not declared', 'stage: draft', { description: 'By hand' }, undefined],
    ['spaces around', 'name: " Sharing "', {}, undefined],
    ['an empty description that is null', 'description: ""', { description: null }, undefined],
    ['a link', 'documentation_url: https://x.example', {}, { documentation_url: 'https://x.example' }],
    ['a payload', 'payload: { icon: share }', {}, { payload: { icon: 'share' } }],
    [
      'one member of a payload',
      'payload: { a: 1, b: " 2 " }',
      { payload: { a: 1, b: '2' } },
      { payload: { a: 1, b: ' 2 ' } },
    ],
    ['the order of members in a payload', 'payload: { a: 1, b: [2] }', { payload: { b: [2], a: 1 } }, undefined],
    ['an empty payload of any type', 'payload: {}', { payload: null }, undefined],
    ['a payload that is removed', 'payload: {}', { payload: { icon: 'share' } }, { payload: {} }],
    ['a payload that is text', 'payload: " x "', { payload: 'x' }, { payload: ' x ' }],
    ['two fields', 'name: Share, stage: alpha', {}, { name: 'Share', stage: 'alpha' }],
  ])('compares %s', (_what, members, live, body) => {
    const { changes } = planOf(declares(members), { ...LIVE, early_access: [feature(7, live)] });
    expect(changes.map((change) => ('body' in change ? change.body : {}))).toEqual(body === undefined ? [] : [body]);
  });

  test.each([
    ['draft', 'concept', undefined],
    ['draft', 'alpha', 'starts'],
    ['concept', 'general-availability', 'starts'],
    ['alpha', 'beta', undefined],
    ['beta', 'archived', 'ends'],
    ['general-availability', 'draft', 'ends'],
    ['archived', 'beta', 'starts'],
  ])('from %s to %s enrollment %s', (from, to, enrollment) => {
    const { changes } = planOf(declares(`stage: ${to}`), { ...LIVE, early_access: [feature(7, { stage: from })] });
    expect(changes).toMatchObject([{ action: 'update', id: 7, feature_id: UUID }]);
    expect((changes[0] as { enrollment?: string }).enrollment).toBe(enrollment);
  });

  test('is told apart by its flag, whatever names others have', () => {
    const live = {
      flags: [flag(7, 'sharing'), flag(8, 'other')],
      early_access: [feature(8, { stage: 'beta' }), feature(7)],
    };
    expect(planOf(declares('name: Sharing, stage: draft'), live).changes).toEqual([]);
    expect(planOf(declares('name: Renamed'), live).changes).toMatchObject([{ id: 7, body: { name: 'Renamed' } }]);
  });

  test('stays the same where its flag is renamed', () => {
    const text =
      'flags: { shared: { previous_keys: [sharing] } }\nearly_access: { share: { flag: shared, stage: draft } }\n';
    expect(planOf(text, LIVE).changes.map(({ ref }) => ref)).toEqual(['flag:shared']);
  });

  test.each([
    ['draft', [['delete', 'retired', { stage: 'archived' }, undefined]]],
    ['beta', [['delete', 'retired', { stage: 'archived' }, 'ends']]],
    ['archived', []],
  ])('that is declared as deleted is archived from %s', (stage, expected) => {
    const { changes } = planOf(declares('deleted: true'), { ...LIVE, early_access: [feature(7, { stage })] });
    expect(
      changes.map((change) =>
        change.resource === 'early_access' && change.action === 'delete'
          ? [change.action, change.reason, change.body, change.enrollment]
          : change.ref,
      ),
    ).toEqual(expected);
  });

  test('that is declared as deleted and does not exist needs nothing', () => {
    expect(planOf(declares('deleted: true'), { flags: [flag(7, 'sharing')] }).changes).toEqual([]);
  });

  test('is left alone where features were not read', () => {
    const { early_access: _, ...unread } = LIVE;
    const desired = resolve(declares('stage: beta')).desired;
    expect(buildPlan(desired, { ...unread, roleAccess: {} } as LiveState).changes).toEqual([]);
  });

  test('counts as a kind of its own, and only where there is one', () => {
    expect(planOf(declares('stage: beta'), LIVE).summary.kinds?.early_access).toEqual({
      create: 0,
      update: 1,
      delete: 0,
      unchanged: 0,
    });
    expect(planOf(FLAG, LIVE).summary.kinds).not.toHaveProperty('early_access');
  });
});

describe('against a base', () => {
  test.each([
    ['pending', 'stage: beta', 'stage: draft', 'draft'],
    ['drifted', 'stage: beta', 'stage: beta', 'draft'],
    ['conflict', 'stage: beta', 'stage: alpha', 'draft'],
  ])('%s', (divergence, now, before, live) => {
    const { changes } = planOf(
      declares(now),
      { ...LIVE, early_access: [feature(7, { stage: live })] },
      {
        before: declares(before),
      },
    );
    expect(changes).toMatchObject([{ fields: [{ path: '/stage', divergence }] }]);
  });

  test('two members of a payload, one changed in git and one in the service, are a conflict of one value', () => {
    const live = { ...LIVE, early_access: [feature(7, { payload: { a: 1, b: 2 } })] };
    const before = declares('payload: { a: 1, b: 1 }');
    const { changes } = planOf(declares('payload: { a: 2, b: 1 }'), live, { before });
    const fields = ['/payload/a', '/payload/b'].map((path) => ({ path, divergence: 'conflict' }));
    expect(changes).toMatchObject([{ fields }]);
  });

  test('that declared no feature, the whole feature is pending', () => {
    const [change] = planOf(declares('stage: beta'), LIVE, { before: FLAG }).changes;
    expect(change).toMatchObject({ action: 'update', fields: [{ path: '/stage', divergence: 'pending' }] });
  });

  test('a feature that only the base declared is released, and not written', () => {
    const plan = planOf(FLAG, LIVE, { before: declares('stage: beta') });
    expect(plan.changes).toEqual([]);
    expect(plan.released).toMatchObject([{ key: 'early_access:share' }]);
  });
});

describe('the opposite of an applied change', () => {
  const [CHANGED] = planOf(declares('name: Shared, stage: beta'), LIVE).changes;
  const applied = { ...LIVE, early_access: [feature(7, { name: 'Shared', stage: 'beta' })] };
  const invert = (change: Change | undefined, live: Partial<LiveState>): ReturnType<typeof invertPlan> =>
    invertPlan(
      change === undefined ? [] : [{ change, id: 7 }],
      { flags: [], roleAccess: {}, ...live },
      { ...DEFAULT_OPTIONS },
    );

  test('writes the former values of its fields, and ends the enrollment that it started', () => {
    const { plan, refused } = invert(CHANGED, applied);
    expect([refused, plan.changes]).toMatchObject([
      [],
      [
        {
          action: 'update',
          ref: 'early_access:share',
          flag: 'sharing',
          id: 7,
          feature_id: UUID,
          body: { name: 'Sharing', stage: 'draft' },
          enrollment: 'ends',
          fields: [
            { path: '/name', before: 'Shared', after: 'Sharing' },
            { path: '/stage', before: 'beta', after: 'draft' },
          ],
          base: { feature: { name: 'Shared', stage: 'beta' }, former: { name: 'Shared', stage: 'beta' } },
          needs: [],
        },
      ],
    ]);
  });

  test('archives a feature that it made', () => {
    const [created] = planOf(declares('stage: beta'), { flags: [flag(7, 'sharing')] }).changes;
    const live = { ...LIVE, early_access: [feature(7, { name: 'share', stage: 'beta' })] };
    expect(invert(created, live).plan.changes).toMatchObject([
      {
        action: 'delete',
        reason: 'undone',
        body: { stage: 'archived' },
        enrollment: 'ends',
        fields: [{ path: '/stage', before: 'beta', after: 'archived' }],
        base: { former: { stage: 'beta' } },
      },
    ]);
  });

  test('is refused where somebody else changed one of its fields since, and made where another field changed', () => {
    const moved = (more: JsonObject) => ({
      ...LIVE,
      early_access: [feature(7, { name: 'Shared', stage: 'beta', ...more })],
    });
    expect(invert(CHANGED, moved({ stage: 'concept' })).refused).toMatchObject([{ refusal: 'moved' }]);
    expect(invert(CHANGED, moved({ description: 'new' })).plan.changes).toHaveLength(1);
  });
});

describe('where drift is kept', () => {
  const kept = (now: string, before: string, live: JsonObject) =>
    planOf(declares(now), { ...LIVE, early_access: [feature(7, live)] }, { before: declares(before), keepDrift: true });

  test('a changed field of git is written, and one that somebody else changed stays', () => {
    const plan = kept('name: New, stage: draft', 'name: Sharing, stage: draft', { stage: 'alpha' });
    expect(plan.changes).toMatchObject([{ action: 'update', body: { name: 'New' }, fields: [{ path: '/name' }] }]);
    expect(plan.changes[0]).not.toHaveProperty('body.stage');
    expect(plan.left).toMatchObject([{ key: 'share', fields: [{ path: '/stage' }] }]);
  });

  test('nothing is written where only others changed something', () => {
    const plan = kept('stage: draft', 'stage: draft', { stage: 'alpha' });
    expect([plan.changes, plan.left?.map(({ key }) => key)]).toEqual([[], ['share']]);
  });
});

describe('a plan is refused', () => {
  const codes = ({ hazards }: Plan): unknown[] => hazards.map((hazard) => hazard.code);

  test.each([
    ['starts', 'draft', 'beta'],
    ['ends', 'beta', 'draft'],
  ])('where enrollment %s of a flag that no manifest declares', (enrollment, from, to) => {
    const live = { ...LIVE, early_access: [feature(7, { stage: from })] };
    const text = `early_access: { sharing: { stage: ${to} } }\n`;
    expect(planOf(text, live).hazards).toEqual([
      {
        code: 'early_access_unmanaged',
        ref: 'early_access:sharing',
        key: 'early_access:sharing',
        flag: 'sharing',
        enrollment,
        permit: { kind: 'risky', value: 'early_access:sharing' },
      },
    ]);
    expect(codes(planOf(text, live, { exceptions: allowing({ risky: ['early_access:sharing'] }) }))).toEqual([]);
    expect(codes(planOf(FLAG + text, live))).toEqual([]);
  });

  test('but a stage that leaves the flag as it is concerns nobody', () => {
    expect(codes(planOf('early_access: { sharing: { stage: concept } }\n', LIVE))).toEqual([]);
  });

  test.each<[string, Partial<LiveState>]>([
    ['missing', {}],
    ['deleted', { flags: [flag(7, 'sharing', { deleted: true })] }],
    ['groups', { flags: [flag(7, 'sharing', { filters: { groups: [], aggregation_group_type_index: 0 } })] }],
    ['variants', { flags: [flag(7, 'sharing', { filters: { groups: [], multivariate: { variants: [{}] } } })] }],
  ])('where the service refuses a new feature of the flag: %s', (why, live) => {
    const plan = planOf('early_access: { sharing: { stage: draft } }\n', live);
    const key = 'early_access:sharing';
    expect(plan.hazards).toMatchObject([{ code: 'early_access_refused', key, flag: 'sharing', why }]);
    expect(plan.hazards[0]).not.toHaveProperty('permit');
  });

  test('but not where the plan restores the deleted flag', () => {
    const plan = planOf(declares('stage: draft'), { flags: [flag(7, 'sharing', { deleted: true })] });
    expect(plan.changes.map(({ action, ref }) => `${action} ${ref}`)).toEqual([
      'restore flag:sharing',
      'create early_access:share',
    ]);
    expect(codes(plan)).not.toContain('early_access_refused');
  });

  test('with no option that does not help, where there is no flag', () => {
    const plan = planOf('early_access: { sharing: { stage: beta } }\n', {});
    expect(plan.hazards).toMatchObject([{ code: 'early_access_refused', why: 'missing' }]);
  });

  test('where the flag that the plan makes has variants', () => {
    const filters = 'filters: { groups: [{}], multivariate: { variants: [{ key: a, rollout_percentage: 100 }] } }';
    const plan = planOf(`flags: { sharing: { ${filters} } }\nearly_access: { sharing: {} }\n`, {});
    expect(plan.hazards).toMatchObject([{ code: 'early_access_refused', why: 'variants' }]);
  });

  test.each<[string, Partial<LiveState>, string?]>([
    ['a feature is live', LIVE],
    ['the flag names one without a name', { flags: [flag(7, 'sharing', { features: [{ id: 1 }] })] }, ''],
    ['the flag names one', { flags: [flag(7, 'sharing', { features: [{ name: 'Sharing' }] })] }],
  ])('where the flag would be deleted and %s', (_how, live, name = 'Sharing') => {
    const plan = planOf('flags: { sharing: { deleted: true } }\n', live);
    expect(plan.hazards).toEqual([{ code: 'early_access_linked', ref: 'flag:sharing', key: 'sharing', feature: name }]);
  });

  test('where it would end the enrollment of a protected flag', () => {
    const live = { ...LIVE, early_access: [feature(7, { stage: 'beta' })] };
    const plan = planOf(declares('stage: draft'), live, { protected: ['shar*'] });
    expect(plan.hazards).toMatchObject([{ code: 'protected', action: 'disable', key: 'early_access:share' }]);
  });

  test('where it would archive the feature of a protected flag', () => {
    const plan = planOf(declares('deleted: true'), LIVE, { protected: ['sharing'] });
    expect(plan.hazards).toMatchObject([{ code: 'protected', action: 'delete' }]);
  });
});

describe('a manifest is wrong', () => {
  const enrols = (part: string): string =>
    `flags: { sharing: { filters: { groups: [{}], ${part} } } }\nearly_access: { share: { flag: sharing, stage: `;

  test.each<[string, string, readonly string[]]>([
    [
      'two features of one flag',
      `${FLAG}early_access: { a: { flag: sharing }, sharing: {} }\n`,
      ['early-access-flag-taken'],
    ],
    [
      'a flag of a former key',
      'flags: { b: { previous_keys: [a] } }\nearly_access: { a: {} }\n',
      ['early-access-flag-unknown'],
    ],
    ['a deleted flag', 'flags: { a: { deleted: true } }\nearly_access: { a: {} }\n', ['early-access-flag-deleted']],
    [
      'a deleted flag of a deleted one',
      'flags: { a: { deleted: true } }\nearly_access: { a: { deleted: true } }\n',
      [],
    ],
    [
      'the flag enrols, the stage does not',
      `${enrols('feature_enrollment: true')}draft } }\n`,
      ['early-access-contradicted'],
    ],
    [
      'the flag does not enrol, the stage does',
      `${enrols('feature_enrollment: false')}beta } }\n`,
      ['early-access-contradicted'],
    ],
    ['both enrol', `${enrols('feature_enrollment: true')}beta } }\n`, []],
    ['the older form', `${enrols('super_groups: [{ properties: [] }]')}beta } }\n`, ['early-access-contradicted']],
    ['an unknown stage', `${FLAG}early_access: { sharing: { stage: released } }\n`, ['value-not-allowed']],
    ['an unknown project', `${FLAG}early_access: { sharing: { only_in: [r] } }\n`, ['project-unknown']],
    ['a feature of another project', `${FLAG}early_access: { sharing: { only_in: [q], stage: beta } }\n`, []],
  ])('%s', (_what, text, expected) => {
    const { codes } = resolve(text);
    expect(codes.filter((code) => !code.startsWith('filters'))).toEqual(expected);
  });

  test('a feature is declared in two files', () => {
    const parts = ['a.yaml', 'b.yaml'].map((path) => parseManifest(path, 'early_access: { sharing: {} }\n'));
    const files = parts.map(({ file }) => file);
    const { diagnostics } = resolveManifests(files, { name: 'p', roles: {}, cohorts: {} }, ['p']);
    expect(diagnostics.filter(({ code }) => code !== 'early-access-flag-unknown')).toMatchObject([
      { code: 'early-access-duplicate', severity: 'error', args: { alias: 'sharing', other: { file: 'a.yaml' } } },
    ]);
  });

  test('an overlay replaces a member, and null removes one', () => {
    const text = `${FLAG}early_access: { sharing: { stage: draft, name: A, projects: { p: { stage: beta, name: null } } } }\n`;
    expect(resolve(text).desired.early_access).toMatchObject([{ fields: { stage: 'beta' } }]);
    expect(resolve(text).desired.early_access?.[0]).not.toHaveProperty('fields.name');
  });
});
