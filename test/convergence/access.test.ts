/** Random declarations of access converge on both services, and revert: levels on today's, roles that can edit on that of 2023. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeclaredFlag, DesiredRole } from '../../src/posthog/desired.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import { LEVELS } from '../../src/posthog/role-access/access.ts';
import { accessOf } from '../helpers/access.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState, planOptions } from '../helpers/states.ts';
import { ROLE_IDS, startWorld, type World } from '../helpers/world.ts';

interface Access {
  /** Absent: not managed. */
  readonly roles?: Readonly<Record<string, string>>;
  readonly everyone?: string | null;
}

const level = fc.constantFrom(...LEVELS);
const levels: fc.Arbitrary<Access> = fc.record(
  {
    roles: fc.dictionary(fc.constantFrom(...ROLE_IDS), level, { maxKeys: 3 }),
    everyone: fc.option(level, { nil: null }),
  },
  { requiredKeys: [] },
);
const editors: fc.Arbitrary<Access> = fc.record(
  {
    roles: fc.dictionary(fc.constantFrom(...ROLE_IDS), fc.constant('editor'), { maxKeys: 3 }),
    everyone: fc.constant(null),
  },
  { requiredKeys: [] },
);

const PLACE = { file: 'flags/test.yaml', line: 1, column: 1 };

function flagWith(key: string, { roles, everyone }: Access): DeclaredFlag {
  const roleAccess = Object.entries(roles ?? {}).map(([id, of]): DesiredRole => ({
    id,
    ...(of === 'editor' ? {} : { level: of }),
    place: PLACE,
  }));
  return {
    ...declared(key, { active: true }),
    ...(roles === undefined ? {} : { roleAccess: roleAccess.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }),
    ...(everyone === undefined ? {} : { everyone: { level: everyone, place: PLACE } }),
  };
}

describe.each([
  ['documented', 'entries', editors],
  ['posthog', 'levels', levels],
  // Between 2023 and today, flags gained the member that shows levels before the service gained their path.
  ['posthog', 'entries', editors],
  ['documented', 'levels', editors],
] as const)('in profile %s with %s', (profile, accessRoutes, access) => {
  let world: World;
  let serial = 0;
  beforeAll(async () => {
    world = await startWorld(profile, undefined, { accessRoutes });
  });
  afterAll(() => world.close());

  const held = async (id: number): Promise<Access> => {
    const { roles, everyone } = await accessOf(world.client, id);
    return { roles: Object.fromEntries(roles.map((one) => [one.role.id, one.level])), everyone };
  };

  it('a declaration is reached from any other, and the next plan is empty', () =>
    holdsAsync(15, [fc.array(access, { minLength: 1, maxLength: 3 })], async (steps) => {
      const key = `f${(serial += 1)}`;
      let expected: Access = { roles: {}, everyone: null };
      for (const step of steps) {
        const desired = desiredState(flagWith(key, step));
        const result = await world.apply(await world.plan(desired));
        expect(result.changes.filter(({ result: { outcome } }) => outcome !== 'applied')).toEqual([]);
        expect(result.remainder).toEqual([]);
        expect((await world.plan(desired)).changes).toEqual([]);
        expected = { ...expected, ...step };
        const id = (await world.live()).flags.find((flag) => flag.key === key)?.id ?? 0;
        expect(await held(id)).toEqual(expected);
      }
    }));

  it('undo restores what was there', () =>
    holdsAsync(10, [access, access], async (first, second) => {
      const key = `f${(serial += 1)}`;
      await world.apply(await world.plan(desiredState(flagWith(key, first))));
      const id = (await world.live()).flags.find((flag) => flag.key === key)?.id ?? 0;
      const before = await held(id);
      const { changes } = await world.apply(await world.plan(desiredState(flagWith(key, second))));
      const applied = changes.map(({ change, result }) => ({
        change,
        ...('id' in result && result.id !== undefined ? { id: result.id } : {}),
      }));
      const live = await readLiveState(world.client, { flags: { keys: [key] }, roleAccess: { keys: [key] } });
      const { plan, refused } = invertPlan(applied, live, planOptions());
      expect(refused).toEqual([]);
      await world.apply(plan);
      expect(await held(id)).toEqual(before);
    }));
});

describe.each([
  ['posthog', 'entries'],
  ['documented', 'levels'],
] as const)('the first flag with access, in profile %s with %s', (profile, accessRoutes) => {
  const [first = ''] = ROLE_IDS;
  const editor = (key: string): DeclaredFlag => flagWith(key, { roles: { [first]: 'editor' } });

  it.each([
    ['of an empty project', []],
    ['beside flags whose access nobody manages', ['other']],
  ])('%s gets it in the run that makes the flag, whatever the members of flags suggest', async (_name, others) => {
    const world = await startWorld(profile, undefined, { accessRoutes });
    for (const key of others) await world.client.createFlag({ key });
    const desired = desiredState(editor('one'), editor('two'));
    const result = await world.apply(await world.plan(desired));
    expect(result.changes.filter(({ result: { outcome } }) => outcome !== 'applied')).toEqual([]);
    expect(result).toMatchObject({ remainder: [], verified: true });
    expect((await world.plan(desired)).changes).toEqual([]);
    await world.close();
  });
});

it('a level that a service with the routes of 2023 cannot hold is refused with that reason', async () => {
  const world = await startWorld('posthog', undefined, { accessRoutes: 'entries' });
  await world.client.createFlag({ key: 'other' });
  const [first = ''] = ROLE_IDS;
  const plan = await world.plan(desiredState(flagWith('one', { roles: { [first]: 'viewer' } })));
  const { changes } = await world.apply(plan);
  expect(changes.at(-1)?.result).toMatchObject({
    outcome: 'failed',
    error: { message: 'The service has no levels of access, only roles that can edit a flag.' },
  });
  await world.close();
});
