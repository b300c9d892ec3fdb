/** Nothing that somebody turned off with `off` is turned on again unasked: which flags are asked about, and what a run would revert. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import {
  declaredAndOff,
  findRevertedOff,
  findSwitched,
  refuseRevertedOff,
} from '../../../src/cli/runs/find-recorded.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { ProjectIdentity } from '../../../src/core/engine/project.ts';
import type { Change, Hazard, Plan } from '../../../src/posthog/plan.ts';
import { stage } from '../../helpers/stage.ts';
import { type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { damage, edits, PROJECT, record, sessionIn } from './recorded-runs.ts';

describe('of flags that the manifests want, those that are off are asked about', () => {
  const shares = (...percentages: (number | null)[]): JsonObject => ({
    filters: { groups: percentages.map((one) => ({ rollout_percentage: one })) },
  });
  const desired = desiredState(
    declared('a', { active: true }, { previousKeys: ['old'] }),
    declared('b'),
    declared('off', { active: false }),
    retired('gone'),
  );

  test.each<[string, string, JsonObject, boolean]>([
    ['off', 'b', { active: false, ...shares(100) }, true],
    ['on', 'b', { active: true, ...shares(100) }, false],
    ['on for nobody', 'b', { active: true, ...shares(0, 0) }, true],
    ['on for the people of one condition', 'b', { active: true, ...shares(0, 5) }, false],
    ['on with a condition for all', 'b', { active: true, ...shares(0, null) }, false],
    ['on without conditions', 'b', { active: true, ...shares() }, false],
    ['on with conditions that are no list', 'b', { active: true, filters: { groups: 'x' } }, false],
    ['on with a condition that is none', 'b', { active: true, filters: { groups: [null] } }, false],
    ['on with filters that are a text', 'b', { active: true, filters: 'x' }, false],
    ['off under the former key', 'old', { active: false }, true],
    ['off and deleted', 'b:deleted:1', { active: false, deleted: true }, true],
    ['off and deleted under a key of its own', 'b:deleted:2', { active: false, deleted: true }, false],
    ['off as the manifests say', 'off', { active: false }, false],
    ['off and to be deleted', 'gone', { active: false }, false],
    ['off and not declared', 'other', { active: false }, false],
  ])('one that is %s', (_, key, fields, isAsked) => {
    const ids = declaredAndOff(desired, liveState([liveFlag(1, key, fields), liveFlag(2, 'b', { active: true })]));
    expect([...ids.keys()]).toEqual(isAsked ? [1] : []);
  });

  test('also where only the log of the service says that it had the key', () => {
    const live = liveState([liveFlag(1, 'x', { active: false }), liveFlag(2, 'y', { active: false })]);
    const traces = [
      { kind: 'former', key: 'b', id: 1 },
      { kind: 'former', key: 'unknown', id: 2 },
      { kind: 'other', key: 'b', id: 2 },
    ];
    expect([
      ...declaredAndOff(desired, { ...live, traces: { flags: traces } } as unknown as typeof live).keys(),
    ]).toEqual([1]);
  });
});

describe('the newest run about a flag has the last word', () => {
  const switching = (key: string, id: number, active: boolean, options: BuildOptions = {}): Plan => {
    const live = liveState([liveFlag(id, key, { active: !active })]);
    return planFor(desiredState(declared(key, { active })), live, options);
  };
  const OFF = { off: { reason: 'Fire' } };
  const namesIn = async (workspace: Workspace, ...ids: readonly number[]): Promise<unknown> => {
    const { turnedOff, turnedOn } = await findSwitched(
      sessionIn(workspace),
      PROJECT,
      new Map(ids.map((id) => [id, `key-${id}`])),
    );
    const off = [...(turnedOff ?? [])].map(([id, { run }]) => [id, run] as const);
    return Object.fromEntries([...off, ...[...(turnedOn ?? [])].map((id) => [id, 'on'] as const)]);
  };

  test('and older ones are read as long as nothing is known of one of the flags', async () => {
    const workspace = createWorkspace();
    damage(workspace, 0);
    const off = record(workspace, 1, switching('a', 7, false, OFF), [0]);
    record(workspace, 2, edits('a', 7), [1]);
    record(workspace, 3, switching('b', 8, false), [2]);
    expect(await namesIn(workspace, 7, 8)).toEqual({ 7: off });
    expect(await namesIn(workspace, 8)).toEqual({});
    // A run of which nothing can be read may be the one that turned it off.
    await expect(namesIn(workspace, 7, 9)).rejects.toMatchObject({ code: 'plan_invalid' });
  });

  test('also if it turned the flag on again', async () => {
    const workspace = createWorkspace();
    record(workspace, 1, switching('a', 7, false, OFF));
    record(workspace, 2, switching('a', 7, true), [1]);
    expect(await namesIn(workspace, 7)).toEqual({ 7: 'on' });
  });
});

test('a run that turned a flag off is known from the journal, and what would revert it is refused unless it is permitted', async () => {
  const { world, workspace, run } = await stage();
  expect((await run('apply', '--yes')).code).toBe(0);
  expect((await run('off', 'checkout', '--yes', '--reason', 'Fire')).code).toBe(0);
  const [flag] = (await world.client.listFlags()).filter(({ key }) => key === 'checkout');
  const id = flag?.id ?? 0;
  const project = { name: 'environment', host: world.url, project_id: '1' } as ProjectIdentity;
  const context = process.getuid === undefined ? {} : { userId: process.getuid() };
  const session = { context, places: { root: workspace.root } } as unknown as Session;

  const findOff = async (of: ProjectIdentity, ...ids: readonly number[]): ReturnType<typeof findSwitched> =>
    findSwitched(session, of, new Map(ids.map((one) => [one, `key-${one}`])));
  expect(await findOff(project)).toEqual({ offSaw: new Map() });
  expect(await findOff(project, id + 1)).toEqual({ offSaw: new Map() });
  expect(await findOff({ ...project, host: 'https://flags.example.org' }, id)).toEqual({ offSaw: new Map() });
  // The same flag, whatever the configuration calls its project.
  expect((await findOff({ ...project, name: 'other' }, id)).turnedOff).toHaveProperty('size', 1);
  const { turnedOff: found } = await findOff(project, id, id + 1);
  expect([...(found ?? [])]).toMatchObject([[id, { reason: 'Fire', by: 'ana@laptop', paths: ['/active'] }]]);
  const off = found?.get(id);

  const change = (more: object = {}): Change =>
    ({
      ...{ resource: 'flag', action: 'update', ref: 'flag:checkout', key: 'checkout', id, base: { version: null } },
      fields: [{ path: '/active', before: false, after: true }],
      ...more,
    }) as unknown as Change;
  const changing = (more: object = {}, ...changes: Change[]): Plan =>
    ({ project, changes: changes.length === 0 ? [change()] : changes, hazards: [], ...more }) as unknown as Plan;
  const hazard = {
    ...{ code: 'switched_off', ref: 'flag:checkout', key: 'checkout', off },
    permit: { kind: 'override', value: 'checkout' },
  } as unknown as Hazard;
  const reverts = async (plan: Plan): Promise<readonly Hazard[]> => findRevertedOff(session, plan);

  expect(await reverts(changing())).toEqual([hazard]);
  expect(await reverts(changing({}, change({ action: 'restore' })))).toEqual([{ ...hazard, deleted: true }]);
  // The plan may have another change of the flag, and one of another flag.
  expect(await reverts(changing({}, change({ id: id + 1, key: 'b' }), change()))).toEqual([hazard]);
  const harmless: readonly [string, Plan][] = [
    ['permitted', changing({ lifted: [{ hazard, by: { by: 'option', option: '--override' } }] })],
    ['named already', changing({ hazards: [hazard] })],
    ['an undo of it', changing({ undoes: off?.run })],
    ['a delete', changing({}, change({ action: 'delete' }))],
    ['a create', changing({}, change({ action: 'create' }))],
    ['about access', changing({}, change({ resource: 'role_access' }))],
    ['about another field', changing({}, change({ fields: [{ path: '/name' }] }))],
    ['a change of git', changing({}, change({ fields: [{ path: '/active', divergence: 'pending' }] }))],
  ];
  for (const [name, plan] of harmless) expect([name, await reverts(plan)]).toEqual([name, []]);
  const others = [
    { ...hazard, key: 'b' },
    { ...hazard, off: { ...off, run: 'r' } },
    { ...hazard, off: undefined },
  ];
  for (const other of others) expect(await reverts(changing({ hazards: [other] }))).toEqual([hazard]);

  await expect(refuseRevertedOff(session, changing())).rejects.toMatchObject({
    code: 'refused',
    message: `checkout was turned off by ana@laptop with \`flagwright off\` after that run (run ${off?.run}): Fire. This would turn it on again; nothing was applied.`,
    remedy: `To leave it off, name the other flags with --target. To turn it back on: flagwright undo ${off?.run}`,
  });
  await refuseRevertedOff(session, changing(), { changes: [] });
  await refuseRevertedOff(session, changing({ undoes: off?.run }));
});
