/** Plans with a base: the class of each difference, what is released and pruned, and what a plan is refused for. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { BaseFacts } from '../../src/core/engine/base.ts';
import { buildPlan, type BuildOptions } from '../../src/posthog/planning/build-plan.ts';
import type { DesiredFlag } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { kindFor } from '../../src/posthog/kinds.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { hazardText } from '../../src/report/words/rules.ts';
import { waysOut } from '../../src/report/words/ways-out.ts';
import { filters, flagFields } from '../helpers/arbitraries.ts';
import { holds } from '../helpers/runs.ts';
import {
  allowing,
  declared,
  dependsOn,
  desiredState,
  entry,
  liveFlag,
  liveState,
  planFor,
  planOptions,
  retired,
} from '../helpers/states.ts';

const FACTS: BaseFacts = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' };

interface Three {
  readonly base: readonly DesiredFlag[];
  readonly live: LiveState | readonly Flag[];
  readonly desired: readonly DesiredFlag[];
}

function planThree({ base, live, desired }: Three, options: Partial<BuildOptions> = {}): Plan {
  const state = 'flags' in live ? live : liveState(live);
  return buildPlan(desiredState(...desired), state, {
    ...planOptions(),
    base: { facts: FACTS, desired: desiredState(...base) },
    ...options,
  });
}

/** `flag:a /name pending`, sorted. */
function classes({ changes }: Plan): string[] {
  return changes
    .flatMap((change) =>
      kindFor(change)
        .parts(change)
        .map(({ path, divergence }) => `${change.ref} ${path} ${divergence}`),
    )
    .toSorted();
}

const on = (percent: number, ...more: JsonObject[]): JsonObject => ({
  groups: [{ properties: [], rollout_percentage: percent }, ...more],
});

describe('a value', () => {
  it('is pending, drifted or in conflict, in one flag', () => {
    const plan = planThree({
      base: [declared('a', { name: 'A', tags: ['x'], filters: on(10) })],
      live: [liveFlag(1, 'a', { name: 'A', tags: ['y'], filters: on(20) })],
      desired: [declared('a', { name: 'B', tags: ['x'], filters: on(30) })],
    });
    expect(classes(plan)).toEqual([
      'flag:a /filters/groups/0/rollout_percentage conflict',
      'flag:a /name pending',
      'flag:a /tags drifted',
    ]);
    expect(plan).toMatchObject({ base: FACTS, converged: 0, released: [] });
  });

  it('is pending where the base did not declare its field', () => {
    const plan = planThree({
      base: [declared('a', { name: 'A' })],
      live: [liveFlag(1, 'a', { name: 'A', tags: ['y'] })],
      desired: [declared('a', { name: 'A', tags: [] })],
    });
    expect(classes(plan)).toEqual(['flag:a /tags pending']);
  });

  it('drifted where the base declared none of it', () => {
    const plan = planThree({
      base: [declared('a', { tags: [] })],
      live: [liveFlag(1, 'a', { tags: ['y'] })],
      desired: [declared('a', { tags: [] })],
    });
    expect(classes(plan)).toEqual(['flag:a /tags drifted']);
  });

  it('that is written in another way did not move', () => {
    const plan = planThree({
      base: [declared('a', { name: ' A ', tags: ['X', 'w'], filters: { groups: [{ rollout_percentage: null }] } })],
      live: [liveFlag(1, 'a', { name: 'A', tags: ['w', 'x'] })],
      desired: [declared('a', { name: 'B', tags: ['v'], filters: on(30) })],
    });
    expect(classes(plan)).toEqual([
      'flag:a /filters/groups/0/rollout_percentage pending',
      'flag:a /name pending',
      'flag:a /tags pending',
    ]);
  });

  it('that both sides changed alike is counted only', () => {
    const plan = planThree({
      base: [declared('a', { name: 'A', tags: [] })],
      live: [liveFlag(1, 'a', { name: 'B', tags: ['y'] })],
      desired: [declared('a', { name: 'B', tags: ['y'] })],
    });
    expect(plan).toMatchObject({ changes: [], converged: 2 });
  });

  it('of a variant moves together with the others, since their shares add up', () => {
    const split = (...shares: number[]): JsonObject => ({
      ...on(100),
      multivariate: { variants: shares.map((share, index) => ({ key: `v${index}`, rollout_percentage: share })) },
    });
    const plan = planThree({
      base: [declared('a', { filters: split(40, 30, 30) })],
      live: [liveFlag(1, 'a', { filters: split(50, 20, 30) })],
      desired: [declared('a', { filters: split(40, 20, 40) })],
    });
    expect(new Set(classes(plan).map((line) => line.split(' ')[2]))).toEqual(new Set(['conflict']));
  });

  it('of a part that another product owns is pending where the base did not declare it', () => {
    const early = { super_groups: [{ properties: [], rollout_percentage: 5 }] };
    const plan = planThree({
      base: [declared('a', { filters: on(100) })],
      live: [liveFlag(1, 'a', { filters: { ...on(100), ...early } })],
      desired: [declared('a', { filters: { ...on(100), super_groups: [] } })],
    });
    expect(classes(plan)).toEqual(['flag:a /filters/super_groups pending']);
  });

  it('keeps its class where a dependency was renamed', () => {
    const on2 = (key: string, percent: number): JsonObject => {
      const { groups } = dependsOn(key) as { groups: JsonObject[] };
      return { groups: groups.map((group) => ({ ...group, rollout_percentage: percent })) };
    };
    const plan = planThree({
      base: [declared('old'), declared('user', { filters: on2('old', 10) })],
      live: [liveFlag(1, 'old'), liveFlag(2, 'user', { filters: on2('1', 20) })],
      desired: [declared('new', {}, { previousKeys: ['old'] }), declared('user', { filters: on2('new', 10) })],
    });
    expect(classes(plan)).toEqual(['flag:new /key pending', 'flag:user /filters/groups/0/rollout_percentage drifted']);
  });

  it('of an encrypted payload is compared by its digest, and unknown secrets did not move', () => {
    const secret = (payload: string): JsonObject => ({
      has_encrypted_payloads: true,
      filters: { ...on(100), payloads: { true: payload } },
    });
    const moved = (base: string, live: string, wanted: string): Plan =>
      planThree({
        base: [declared('a', secret(base))],
        live: [liveFlag(1, 'a', secret(live))],
        desired: [declared('a', secret(wanted))],
      });
    expect(classes(moved('"one"', '"one"', '"two"'))).toEqual([
      'flag:a /filters/payloads/true/encrypted_payload pending',
    ]);
    expect(classes(moved('"one"', '"two"', '"one"'))).toEqual([
      'flag:a /filters/payloads/true/encrypted_payload drifted',
    ]);
    expect(classes(moved('"********* (encrypted)"', '"one"', '"two"'))).toEqual([
      'flag:a /filters/payloads/true/encrypted_payload pending',
    ]);
    expect(JSON.stringify(moved('"hush-1"', '"hush-2"', '"hush-3"').changes[0])).not.toContain('hush-1');
  });
});

describe('a flag that', () => {
  const fields = { name: 'A', filters: on(10) };

  it.each<[string, Three, string[]]>([
    [
      'only the manifests add is pending',
      { base: [], live: [], desired: [declared('a', { name: 'A' })] },
      ['flag:a /name pending'],
    ],
    [
      'was deleted in the service drifted, also if nothing of it is declared',
      { base: [declared('a')], live: [], desired: [declared('a')] },
      ['flag:a  drifted'],
    ],
    [
      'was deleted in the service drifted',
      { base: [declared('a', { name: 'A ' })], live: [], desired: [declared('a', { name: 'A' })] },
      ['flag:a /name drifted'],
    ],
    [
      'was deleted in the service while the manifests changed it is a conflict',
      { base: [declared('a', { name: 'A' })], live: [], desired: [declared('a', { name: 'B' })] },
      ['flag:a /name conflict'],
    ],
    [
      'was soft-deleted in the service drifted, and its changed values are pending',
      {
        base: [declared('a', fields)],
        live: [liveFlag(1, 'a', { ...fields, deleted: true })],
        desired: [declared('a', fields)],
      },
      ['flag:a /deleted drifted'],
    ],
    [
      'was soft-deleted while the manifests changed it is a conflict',
      {
        base: [declared('a', fields)],
        live: [liveFlag(1, 'a', { ...fields, deleted: true })],
        desired: [declared('a', { ...fields, name: 'B' })],
      },
      ['flag:a /deleted conflict', 'flag:a /name pending'],
    ],
    [
      'the manifests restore is pending',
      {
        base: [retired('a')],
        live: [liveFlag(1, 'a', { name: 'A', deleted: true })],
        desired: [declared('a', { name: 'A' })],
      },
      ['flag:a /deleted pending'],
    ],
    [
      'the manifests delete is pending',
      { base: [declared('a', fields)], live: [liveFlag(1, 'a', fields)], desired: [retired('a')] },
      ['flag:a /deleted pending'],
    ],
    [
      'the manifests delete and people edited is a conflict',
      { base: [declared('a', fields)], live: [liveFlag(1, 'a', { ...fields, name: 'X' })], desired: [retired('a')] },
      ['flag:a /deleted conflict'],
    ],
    [
      'was made again after its deletion drifted',
      { base: [retired('a')], live: [liveFlag(1, 'a', fields)], desired: [retired('a')] },
      ['flag:a /deleted drifted'],
    ],
    [
      'the manifests rename is pending',
      { base: [declared('a')], live: [liveFlag(1, 'a')], desired: [declared('b', {}, { previousKeys: ['a'] })] },
      ['flag:b /key pending'],
    ],
    [
      'was archived in the service drifted',
      {
        base: [declared('a', { active: true })],
        live: [liveFlag(1, 'a', { active: true, archived: true })],
        desired: [declared('a', { active: true })],
      },
      ['flag:a /archived drifted'],
    ],
  ])('%s', (_, three, expected) => {
    expect(classes(planThree(three))).toEqual(expected);
  });
});

describe('role access', () => {
  const roles = (...ids: string[]): DesiredFlag => declared('a', {}, { roles: ids });
  const three = (base: DesiredFlag[], live: string[], desired: DesiredFlag[]): string[] =>
    classes(
      planThree({
        base,
        live: liveState([liveFlag(1, 'a')], { 1: live.map((id, index) => entry(index, id)) }),
        desired,
      }),
    );

  it('has a class for each role', () => {
    expect(three([roles('r1', 'r2')], ['r2', 'r3'], [roles('r1', 'r2', 'r4')])).toEqual([
      'role_access:a:r1 /role_access/roles/r1 drifted',
      'role_access:a:r3 /role_access/roles/r3 drifted',
      'role_access:a:r4 /role_access/roles/r4 pending',
    ]);
    expect(three([roles('r1')], ['r1'], [roles()])).toEqual(['role_access:a:r1 /role_access/roles/r1 pending']);
  });

  it('is pending where the base did not manage it', () => {
    expect(three([declared('a')], ['r1'], [roles()])).toEqual(['role_access:a:r1 /role_access/roles/r1 pending']);
    expect(three([], ['r1'], [roles()])).toEqual(['role_access:a:r1 /role_access/roles/r1 pending']);
  });
});

describe('what the manifests no longer declare', () => {
  const live = [liveFlag(1, 'a', { name: 'A' }), liveFlag(2, 'b'), liveFlag(3, 'c')];
  const three: Three = { base: [declared('a', { name: 'A' }), declared('c')], live, desired: [declared('c')] };

  it('is released, with the place in the base', () => {
    const plan = planThree(three);
    expect(plan.released).toEqual([{ key: 'a', place: { file: 'flags/test.yaml', line: 1, column: 1 } }]);
    expect(plan).toMatchObject({ changes: [], unmanaged: ['a', 'b'] });
  });

  it('is not released out of scope, without its target, for other projects, or once it is gone', () => {
    const released = (options: Partial<BuildOptions>, more: Partial<Three> = {}): unknown =>
      planThree({ ...three, ...more }, options).released;
    expect(released({ scope: { include: ['*'], exclude: ['a'] } })).toEqual([]);
    expect(released({ targets: ['c'] })).toEqual([]);
    expect(released({}, { live: live.slice(1) })).toEqual([]);
    expect(released({}, { base: [retired('a'), declared('c')] })).toEqual([]);
    const elsewhere = buildPlan({ ...desiredState(declared('c')), namedElsewhere: { flags: ['a'] } }, liveState(live), {
      base: { facts: FACTS, desired: desiredState(...three.base) },
    });
    expect(elsewhere.released).toEqual([]);
  });

  it('alone is pruned', () => {
    const plan = planThree(three, { prune: true });
    expect(classes(plan)).toEqual(['flag:a /deleted pending']);
    expect(plan.released).toEqual([]);
    const edited = planThree({ ...three, live: [liveFlag(1, 'a', { name: 'X' }), ...live.slice(1)] }, { prune: true });
    expect(classes(edited)).toEqual(['flag:a /deleted conflict']);
  });

  it('without a base, everything unmanaged is pruned as before', () => {
    const facts: BaseFacts = { kind: 'none', reason: { code: 'not_recorded' } };
    const plan = buildPlan(desiredState(declared('c')), liveState(live), { prune: true, base: { facts } });
    expect(plan.changes.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(plan.base).toEqual(facts);
    expect(plan).not.toHaveProperty('released');
  });
});

describe('a plan is refused', () => {
  const conflict: Three = {
    base: [declared('a', { name: 'A', filters: on(1) }, { roles: [] })],
    live: liveState([liveFlag(1, 'a', { name: 'B', filters: on(2) })], { 1: [] }),
    desired: [declared('a', { name: 'C', filters: on(3) }, { roles: [] })],
  };
  const off: Three = {
    base: [declared('a', { active: true })],
    live: [liveFlag(1, 'a', { active: false })],
    desired: [declared('a', { active: true })],
  };
  const a = (percent: number): DesiredFlag => declared('a', { active: true, filters: on(percent) });
  const override = (...keys: string[]): Partial<BuildOptions> => ({ exceptions: allowing({ override: keys }) });

  it('for a conflict, once for each flag', () => {
    expect(planThree(conflict).hazards).toEqual([
      {
        code: 'conflict',
        ref: 'flag:a',
        key: 'a',
        action: 'update',
        paths: ['/name', '/filters/groups/0/rollout_percentage'],
        permit: { kind: 'override', value: 'a' },
      },
    ]);
  });

  it('for a restore of a flag that people deleted', () => {
    const plan = planThree({
      base: [a(10)],
      live: [liveFlag(1, 'a', { active: false, deleted: true, filters: on(10) })],
      desired: [a(10)],
    });
    expect(plan.hazards).toMatchObject([{ code: 'switched_off', key: 'a', deleted: true }]);
    const [hazard] = plan.hazards;
    if (hazard === undefined) return;
    expect(hazardText(hazard)).toBe(
      'a was deleted in the service since the last apply, and the plan would restore it.',
    );
    expect(waysOut(hazard, { project: 'main' }).map(({ text }) => text)).toEqual([
      'flagwright accept a -p main',
      'a',
      '--override a',
    ]);
  });

  it('for a conflict of a flag that is pruned, with the command that declares it', () => {
    const live = [liveFlag(1, 'a', { filters: on(20) }), liveFlag(2, 'b')];
    const kept = declared('b');
    const plan = planThree({ base: [a(10), kept], live, desired: [kept] }, { prune: true });
    expect(plan.hazards).toMatchObject([{ code: 'conflict', key: 'a', action: 'delete', pruned: true }]);
    const ways = plan.hazards.flatMap((hazard) => waysOut(hazard, { project: 'main' }).map(({ text }) => text));
    expect(ways).toEqual(['flagwright accept --unmanaged a -p main', 'scope: { exclude: ["a"] }', '--override a']);
  });

  it.each<[string, JsonObject, string]>([
    ['deleted', { deleted: true, active: false }, 'deleted'],
    ['disabled', { active: false }, 'disabled'],
    ['made to depend on it', { filters: dependsOn('1') }, 'cycle'],
  ])('where a flag would depend on one that people %s, and that is left', (_, fields, why) => {
    const b = declared('b', { active: true, filters: on(100) });
    const three = {
      base: [declared('a', { active: true, filters: on(100) }), b],
      live: [liveFlag(1, 'a', { filters: on(100) }), liveFlag(2, 'b', { filters: on(100), ...fields })],
      desired: [declared('a', { active: true, filters: dependsOn('b') }), b],
    };
    const plan = planThree(three, { keepDrift: true });
    expect(plan.hazards).toMatchObject([{ code: 'dependency_left', ref: 'flag:a', key: 'b', dependent: 'a', why }]);
    const [hazard] = plan.hazards;
    if (hazard === undefined) return;
    expect(hazardText(hazard)).toMatch(
      /^a would depend on b, which (?:was .* in the service|the service no longer has)\. The plan leaves/,
    );
    expect(waysOut(hazard, { project: undefined }).map(({ text }) => text)).toEqual([
      'flagwright accept b',
      'a',
      '--override b',
    ]);
    const allow = { protected: [], override: ['b'] };
    const overridden = planThree(three, { keepDrift: true, exceptions: allowing(allow) });
    expect([overridden.hazards, overridden.left]).toEqual([[], undefined]);
  });

  it('for a conflict about the flag as a whole, without paths', () => {
    const gone: Three = { base: [declared('a', { name: 'A' })], live: [], desired: [declared('a', { name: 'B' })] };
    expect(planThree(gone).hazards).toMatchObject([{ code: 'conflict', action: 'create', paths: [] }]);
  });

  it('where it would enable a flag that people switched off', () => {
    expect(planThree(off).hazards).toEqual([
      { code: 'switched_off', ref: 'flag:a', key: 'a', permit: { kind: 'override', value: 'a' } },
    ]);
  });

  it('not where the manifests begin to enable it, or a role of it drifted', () => {
    expect(planThree({ ...off, base: [declared('a', { active: false })] }).hazards).toEqual([]);
    expect(planThree({ ...off, base: [declared('a', { name: '' })] }).hazards).toEqual([]);
    expect(planThree({ ...off, base: [] }).hazards).toEqual([]);
  });

  it.each([['a'], ['?'], ['{a,b}']])('unless it is overridden, which the plan says: %s', (pattern) => {
    for (const three of [conflict, off]) {
      const plan = planThree(three, override(pattern));
      expect(plan.hazards).toEqual([]);
      expect(plan.lifted?.map(({ hazard }) => hazard)).toEqual(planThree(three).hazards);
    }
    expect(planThree(off, override('b')).hazards).toHaveLength(1);
    expect(planThree(off, override('b'))).not.toHaveProperty('lifted');
  });

  it('not for other targets', () => {
    expect(planThree({ ...off, desired: [...off.desired, declared('b')] }, { targets: ['b'] }).hazards).toEqual([]);
  });

  it('by no other permission', () => {
    const allow = { deletes: 9, updates: 9, disables: 9, protected: ['*'], risky: ['*'] };
    expect(planThree(off, { exceptions: allowing(allow) }).hazards).toHaveLength(1);
    expect(planThree(conflict, { exceptions: allowing(allow) }).hazards).toHaveLength(1);
  });
});

describe('laws', () => {
  const keys = ['a', 'b', 'c', 'd'] as const;
  const flags = fc
    .record(Object.fromEntries(keys.map((key) => [key, fc.option(flagFields(), { nil: undefined })])))
    .map((byKey) => Object.entries(byKey).flatMap(([key, fields]) => (fields === undefined ? [] : [{ key, fields }])));
  const asDesired = (all: readonly { key: string; fields: JsonObject }[]): DesiredFlag[] =>
    all.map(({ key, fields }) => declared(key, fields));
  const asLive = (all: readonly { key: string; fields: JsonObject }[]): Flag[] =>
    all.map(({ key, fields }, index) => liveFlag(index + 1, key, fields));
  const bare = ({ changes, ...plan }: Plan): unknown => {
    const { base: _, released: __, converged: ___, fingerprint: ____, hazards, ...rest } = plan;
    return {
      ...rest,
      hazards: hazards.filter(({ permit }) => permit?.kind !== 'override'),
      changes: JSON.parse(
        JSON.stringify(changes, (name, value) => (name === 'divergence' ? undefined : bareField(value))),
      ),
    };
  };
  const bareField = (value: unknown): unknown => {
    const isField = typeof value === 'object' && value !== null && 'path' in value && 'divergence' in value;
    return isField ? { ...value, base: undefined } : value;
  };

  it('the base annotates the two-way plan and changes nothing else of it', () => {
    holds(200, [flags, flags, flags], (base, live, desired) => {
      const three = planThree({ base: asDesired(base), live: asLive(live), desired: asDesired(desired) });
      expect(bare(three)).toEqual(bare(planFor(desiredState(...asDesired(desired)), liveState(asLive(live)))));
    });
  });

  it('with base = desired everything drifted, with base = live everything is pending, and none converged', () => {
    holds(200, [flags, flags], (live, desired) => {
      const drift = planThree({ base: asDesired(desired), live: asLive(live), desired: asDesired(desired) });
      const merge = planThree({ base: asDesired(live), live: asLive(live), desired: asDesired(desired) });
      expect(classes(drift).every((line) => line.endsWith(' drifted'))).toBe(true);
      expect(classes(merge).every((line) => line.endsWith(' pending'))).toBe(true);
      expect([drift.converged, merge.converged]).toEqual([0, 0]);
      expect(merge.hazards.filter(({ permit }) => permit?.kind === 'override')).toEqual([]);
    });
  });

  it('classes do not depend on the order of flags', () => {
    holds(100, [flags, flags, flags], (base, live, desired) => {
      const three = { base: asDesired(base), live: asLive(live), desired: asDesired(desired) };
      const reversed = {
        base: three.base.toReversed(),
        live: three.live.toReversed(),
        desired: three.desired.toReversed(),
      };
      expect(planThree(reversed)).toEqual(planThree(three));
    });
  });

  it('every part of every change has a class', () => {
    holds(200, [filters(), filters(), filters()], (base, live, desired) => {
      const plan = planThree({
        base: [declared('a', { filters: base })],
        live: [liveFlag(1, 'a', { filters: live })],
        desired: [declared('a', { filters: desired })],
      });
      expect(classes(plan).filter((line) => !/ (?:pending|drifted|conflict)$/.test(line))).toEqual([]);
    });
  });
});
