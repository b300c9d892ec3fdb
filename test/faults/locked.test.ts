/** Faults around access rules that Terraform manages: the lock comes at the worst moment, or nobody can read whether there is one. */

import { expect, onTestFinished, test } from 'vitest';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import type { Effects } from '../../service/src/index.ts';
import { declared, desiredState } from '../helpers/states.ts';
import { ROLE_IDS, type World } from '../helpers/world.ts';
import { startRig, type Rig } from './rig.ts';

const [THEIRS = '', OURS = ''] = ROLE_IDS;
const LOCK = 'lock_terraform_managed_rules';
const KEYS = ['a', 'b'];

/** In each flag, Terraform manages the rule of one role; both shall get another level. */
const WANTED = desiredState(...KEYS.map((key) => declared(key, {}, { roles: [THEIRS, OURS] })));

async function start({ lock }: { readonly lock: boolean }): Promise<Rig> {
  const rig = await startRig('posthog', {
    flags: KEYS.map((key, index) => ({ id: index + 1, key })),
    role_access: KEYS.flatMap((flag) => [
      { flag, role: THEIRS, level: 'viewer', managed_by: 'terraform' },
      { flag, role: OURS, level: 'viewer' },
    ]),
    [LOCK]: lock,
  });
  onTestFinished(() => rig.close());
  return rig;
}

/** The outcomes of the changes, `a theirs failed`. */
const outcomesOf = ({ changes }: ApplyResult): string[] =>
  changes
    .map(({ change, result }) => `${change.key} ${change.ref.endsWith(THEIRS) ? 'theirs' : 'ours'} ${result.outcome}`)
    .toSorted();

async function expectOnlyOurs(world: World): Promise<void> {
  for (const [index] of KEYS.entries()) {
    const { access_controls: rules } = await world.client.getAccess(index + 1);
    const levels = new Map(rules.map(({ role, access_level: level }) => [role, level]));
    expect([levels.get(THEIRS), levels.get(OURS)]).toEqual(['viewer', 'editor']);
  }
  const { changes, warnings } = await world.plan(WANTED);
  expect(changes).toEqual([]);
  expect(warnings.map(({ code, key }) => [code, key])).toEqual(KEYS.map((key) => ['access_locked', key]));
}

test('a lock that comes right before the first write: what it covers fails, and the rest is applied', async () => {
  const { honest, startFaulty } = await start({ lock: false });
  const plan = await honest.plan(WANTED);
  const edit = { method: 'PATCH', path: 'access_control_management_settings/', body: { [LOCK]: true } } as const;
  const faulty = await startFaulty([{ match: { operation: 'setAccess' }, edit }]);
  const result = await faulty.apply(plan);
  expect(outcomesOf(result)).toEqual(['a ours applied', 'a theirs failed', 'b ours applied', 'b theirs failed']);
  expect(result.remainder).toEqual([]);
  await expectOnlyOurs(honest);
});

const LASTING: readonly (readonly [name: string, effects: Effects])[] = [
  ['403', { answer: { status: 403 } }],
  ['404', { answer: { status: 404 } }],
];

test.each(LASTING)(
  'where the setting is %s, the write is tried and its refusal is reported',
  async (_name, effects) => {
    const { honest, startFaulty } = await start({ lock: true });
    const faulty = await startFaulty([{ match: { operation: 'getAccessSettings' }, count: 1000, ...effects }]);
    const plan = await faulty.plan(WANTED);
    expect(plan.changes).toHaveLength(4);
    expect(outcomesOf(await faulty.apply(plan))).toEqual([
      'a ours applied',
      'a theirs failed',
      'b ours applied',
      'b theirs failed',
    ]);
    await expectOnlyOurs(honest);
  },
);

const UNREADABLE: readonly (readonly [name: string, effects: Effects])[] = [
  ['500', { answer: { status: 500 } }],
  ['a page of a proxy', { answer: { status: 200, body: 'html' } }],
  ['resets', { reset: {} }],
  ['a truncated body', { truncate: {} }],
];

test.each(UNREADABLE)('a setting that cannot be read ends the plan: %s', async (_name, effects) => {
  const { startFaulty } = await start({ lock: true });
  const faulty = await startFaulty([{ match: { operation: 'getAccessSettings' }, count: 1000, ...effects }]);
  await expect(faulty.plan(WANTED)).rejects.toThrow('getAccessSettings');
});

const PASSING: readonly (readonly [name: string, effects: Effects, count: number])[] = [
  ['500', { answer: { status: 500 } }, 3],
  ['429', { answer: { status: 429, retry_after: 1 } }, 3],
  ['a reset', { reset: {} }, 2],
  ['a hang', { hang: {} }, 1],
  ['a truncated body', { truncate: {} }, 2],
];

test.each(PASSING)('a temporary fault of the setting hides no lock: %s', async (_name, effects, count) => {
  const { honest, startFaulty } = await start({ lock: true });
  const faulty = await startFaulty([{ match: { operation: 'getAccessSettings' }, count, ...effects }]);
  const plan = await faulty.plan(WANTED);
  expect(outcomesOf(await faulty.apply(plan))).toEqual(['a ours applied', 'b ours applied']);
  await expectOnlyOurs(honest);
});
