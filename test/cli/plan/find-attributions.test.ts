/** When a run asks who made the differences of its plan, and what it is told. */

import { expect, test } from 'vitest';
import { findAttributions } from '../../../src/cli/plan/make-plan.ts';
import type { Attributions } from '../../../src/posthog/authors/attribution.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { declared, desiredState, planOptions } from '../../helpers/states.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openWorld, ROLE_IDS } from '../../helpers/world.ts';
import { PROJECT, sessionIn } from '../runs/recorded-runs.ts';

const DESIRED = desiredState(
  declared('a', { active: true }, { roles: [ROLE_IDS[0] ?? ''] }),
  declared('b', { name: '' }),
);
const BASE = { kind: 'commit', commit: 'c'.repeat(40), from: 'ref' } as const;

interface Given {
  readonly desired?: typeof DESIRED;
  /** Of the plan. */
  readonly more?: object;
  readonly base?: typeof BASE;
  readonly live?: Partial<LiveState>;
}

interface Asked {
  readonly found: Attributions | undefined;
  /** The requests of the log. */
  readonly logs: number;
}

/** A flag that somebody turned off and that lacks the access of a role, and one that is as declared. */
async function ask(
  options: { readonly who?: boolean },
  { desired = DESIRED, more = {}, base, live: known = {} }: Given = {},
): Promise<Asked> {
  const urls: string[] = [];
  const onRequest = ({ path }: { readonly path: string }): void => void urls.push(path);
  const world = await openWorld('posthog', undefined, { onRequest: onRequest as never });
  for (const key of ['a', 'b']) await world.client.createFlag({ key, active: true });
  await world.edit('a', { active: false });
  const live = { ...(await world.live(desired)), ...known };
  const plan = {
    ...buildPlan(desired, live, {
      ...planOptions(),
      ...(base === undefined ? {} : { base: { facts: base, desired } }),
    }),
    ...more,
  };
  urls.length = 0;
  const opened = { client: world.client, identity: PROJECT } as never;
  const found = await findAttributions(sessionIn(createWorkspace()), { plan, live, opened }, options.who);
  return { found, logs: urls.length };
}

const told = ({ found }: Asked): unknown =>
  found &&
  Object.fromEntries([...found].map(([ref, ofChange]) => [ref, [...ofChange].map(([path, { kind }]) => [path, kind])]));

test.each<[string, { readonly who?: boolean }, Given, boolean]>([
  ['where it says so', { who: true }, {}, true],
  ['where a base tells edits from what git changed', {}, { base: BASE }, true],
  ['not where it says so', { who: false }, { base: BASE }, false],
  ['not without a base', {}, {}, false],
  [
    'not without a commit as the base',
    {},
    { more: { base: { kind: 'none', reason: { code: 'not_recorded' } } } },
    false,
  ],
])('a run asks %s', async (_, options, given, asks) => {
  const { found, logs } = await ask(options, given);
  expect([found !== undefined, logs > 0]).toEqual([asks, asks]);
});

test('each difference has its own answer, the one of access too', async () => {
  const asked = await ask({ who: true });
  expect(told(asked)).toMatchObject({ 'flag:a': [['/active', 'known']] });
  expect(Object.values(told(asked) as object)).toHaveLength(2);
  const access = [...(asked.found ?? [])].find(([ref]) => ref !== 'flag:a')?.[1];
  expect([...(access?.keys() ?? [])]).toEqual(['']);
});

test('nothing is asked where nothing differs', async () => {
  expect(await ask({ who: true }, { desired: desiredState(declared('b', { name: '' })) })).toEqual({
    found: undefined,
    logs: 0,
  });
});

test('what a run of `off` did is told without a question', async () => {
  const live = { turnedOff: new Map([[1, { run: 'r', at: '2026-01-01T00:00:00Z', paths: ['/active'] }]]) };
  const desired = desiredState(declared('a', { active: true }));
  const { found, logs } = await ask({}, { desired, live });
  expect([found?.get('flag:a')?.get('/active'), logs]).toMatchObject([{ kind: 'known', run: 'r', off: {} }, 0]);
});
