/** The kinds of write of the matrix: the former state, the wanted state, and how to check that it was reached. */

import { env } from 'node:process';
import type { JsonObject } from '../../src/base/json.ts';
import type { DesiredFlag, DesiredState } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import { joinSelections, selectionOf } from '../../src/posthog/live-selection.ts';
import type { Profile } from '../../service/src/index.ts';
import { grantRole } from '../helpers/access.ts';
import { declared, desiredState, planFor, retired } from '../helpers/states.ts';
import { ROLE_IDS, type World } from '../helpers/world.ts';
import type { Seen } from './rig.ts';

export interface Kind {
  readonly name:
    | 'create'
    | 'update'
    | 'filters'
    | 'enable'
    | 'disable'
    | 'rename'
    | 'delete'
    | 'restore'
    | 'grant'
    | 'adjust'
    | 'revoke';
  /** The operation of the write. */
  readonly operation: 'createFlag' | 'updateFlag' | 'createRoleAccess' | 'deleteRoleAccess' | 'setAccess';
  /** The only profile with such writes. */
  readonly only?: Profile;
  /** Absent: no flag exists before. */
  readonly before?: JsonObject;
  readonly rolesBefore?: readonly string[];
  /** Of the role, on a service with levels. */
  readonly levelBefore?: string;
  readonly wanted: (key: string) => DesiredFlag;
  /** `flag` is absent when the service lists none with that key. */
  readonly isDone: (flag: Flag | undefined, roles: readonly string[]) => boolean;
}

const ROLE = ROLE_IDS[0] ?? '';
const FILTERS: JsonObject = {
  groups: [
    { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }], rollout_percentage: 25 },
  ],
};

export const KINDS: readonly Kind[] = [
  {
    name: 'create',
    operation: 'createFlag',
    wanted: (key) => declared(key, { name: 'new', active: true, filters: FILTERS, tags: ['a'] }),
    isDone: (flag) => flag?.name === 'new',
  },
  {
    name: 'update',
    operation: 'updateFlag',
    before: { name: 'old' },
    wanted: (key) => declared(key, { name: 'new' }),
    isDone: (flag) => flag?.name === 'new',
  },
  {
    name: 'filters',
    operation: 'updateFlag',
    before: { filters: { groups: [{ properties: [], rollout_percentage: 1 }] } },
    wanted: (key) => declared(key, { filters: FILTERS }),
    isDone: (flag) => flag?.filters?.groups?.[0]?.rollout_percentage === 25,
  },
  {
    name: 'enable',
    operation: 'updateFlag',
    before: { active: false },
    wanted: (key) => declared(key, { active: true }),
    isDone: (flag) => flag?.active === true,
  },
  {
    name: 'disable',
    operation: 'updateFlag',
    before: { active: true },
    wanted: (key) => declared(key, { active: false }),
    isDone: (flag) => flag?.active === false,
  },
  {
    name: 'rename',
    operation: 'updateFlag',
    before: {},
    wanted: (key) => declared(`${key}-renamed`, {}, { previousKeys: [key] }),
    isDone: (flag) => flag?.key.endsWith('-renamed') === true,
  },
  {
    name: 'delete',
    operation: 'updateFlag',
    before: {},
    wanted: (key) => retired(key),
    isDone: (flag) => flag === undefined,
  },
  {
    name: 'restore',
    operation: 'updateFlag',
    before: { deleted: true },
    wanted: (key) => declared(key, { name: 'back' }),
    isDone: (flag) => flag?.name === 'back',
  },
  {
    name: 'grant',
    operation: 'createRoleAccess',
    before: {},
    wanted: (key) => declared(key, {}, { roles: [ROLE] }),
    isDone: (_flag, roles) => roles.includes(ROLE),
  },
  {
    name: 'adjust',
    operation: 'setAccess',
    only: 'posthog',
    before: {},
    levelBefore: 'viewer',
    wanted: (key) => declared(key, {}, { roles: [ROLE] }),
    isDone: (_flag, roles) => roles.includes(ROLE),
  },
  {
    name: 'revoke',
    operation: 'deleteRoleAccess',
    before: {},
    rolesBefore: [ROLE],
    wanted: (key) => declared(key, {}, { roles: [] }),
    isDone: (_flag, roles) => !roles.includes(ROLE),
  },
];

/** All kinds with `FAULTS=long`; otherwise four of them, which differ from row to row of a table. */
export function kindsOfRow(row: number): readonly Kind[] {
  if (env['FAULTS'] === 'long') return KINDS;
  return [0, 1, 2, 3].map((column) => KINDS[(row * 4 + column) % KINDS.length] as Kind);
}

/** The operation of a kind of write in a profile: today's service sets levels. */
export function operationOf({ operation }: Kind, profile: Profile): Kind['operation'] {
  const isAccess = operation === 'createRoleAccess' || operation === 'deleteRoleAccess';
  return isAccess && profile === 'posthog' ? 'setAccess' : operation;
}

/** Three flags, so that a fault can hit the first, the middle and the last change. */
export const KEYS = ['a', 'b', 'c'] as const;

/** Makes the former state and plans the wanted one. Deleted flags are known by id, as in a plan that undoes a run. */
export async function setUp(world: World, kind: Kind): Promise<Plan> {
  const ids = await makeBefore(world, kind);
  const desired = wantedOf(kind);
  const live = await readLiveState(world.client, joinSelections([selectionOf(desired), { flags: { ids } }]));
  return planFor(desired, live);
}

async function makeBefore(world: World, kind: Kind): Promise<number[]> {
  const ids: number[] = [];
  if (kind.before === undefined) return ids;
  for (const key of KEYS) {
    const { id } = await world.client.createFlag({
      key,
      filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
      ...kind.before,
    });
    if (kind.before['deleted'] === true) ids.push(id);
    for (const role of kind.rolesBefore ?? []) await grantRole(world.client, id, role);
    if (kind.levelBefore !== undefined) await world.client.setAccess(id, { role: ROLE, level: kind.levelBefore });
  }
  return ids;
}

export function wantedOf(kind: Kind): DesiredState {
  return desiredState(...KEYS.map((key) => kind.wanted(key)));
}

/** Whether the change of the flag with this key in the plan was made. A rename is looked up under both keys. */
export function isDone(kind: Kind, key: string, { flags, rolesOf }: Pick<Seen, 'flags' | 'rolesOf'>): boolean {
  const before = kind.name === 'rename' ? key.replace(/-renamed$/, '') : key;
  const flag = flags.find((candidate) => candidate.key === key || candidate.key === before);
  return kind.isDone(flag, rolesOf(flag));
}
