/** Desired and live states for planner tests, in few words. */

import { defined } from '../../src/base/optional.ts';
import { exceptionsOf } from '../../src/cli/applied/find-exceptions.ts';
import type { Exception } from '../../src/core/engine/exceptions.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Place, PlaceTree } from '../../src/base/place.ts';
import type { DeclaredFlag, DesiredFlag, DesiredRole, DesiredState, RetiredFlag } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import type { RoleAccessEntry } from '../../src/posthog/role-access/access.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { buildPlan, type PlanOptions } from '../../src/posthog/planning/build-plan.ts';

const PLACE: Place = { file: 'flags/test.yaml', line: 1, column: 1 };
const PLACES: PlaceTree = { place: PLACE };

interface DeclaredExtras {
  readonly previousKeys?: readonly string[];
  readonly roles?: readonly string[];
}

export function declared(key: string, fields: JsonObject = {}, extras: DeclaredExtras = {}): DeclaredFlag {
  const roleAccess = extras.roles?.map((id): DesiredRole => ({ id, name: `name of ${id}`, place: PLACE }));
  return {
    kind: 'declared',
    key,
    previousKeys: extras.previousKeys ?? [],
    fields,
    ...(roleAccess === undefined ? {} : { roleAccess }),
    places: PLACES,
  };
}

export function retired(key: string): RetiredFlag {
  return { kind: 'retired', key, places: PLACES };
}

export function desiredState(...flags: DesiredFlag[]): DesiredState {
  return { flags: flags.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
}

/** A live flag as the current service lists it. */
export function liveFlag(id: number, key: string, fields: JsonObject = {}): Flag {
  return {
    id,
    key,
    name: '',
    active: true,
    deleted: false,
    archived: false,
    filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
    tags: [],
    ensure_experience_continuity: false,
    version: 1,
    can_edit: true,
    experiment_set: [],
    ...fields,
  };
}

/** As a service of 2023 answers it: without a counter of updates, and without an archive. */
export function of2023(flag: Flag): Flag {
  const { version: _, archived: __, ...others } = flag;
  return others as Flag;
}

export function entry(id: number, role: string): RoleAccessEntry {
  return { id, role: { id: role, name: `name of ${role}` } };
}

export function liveState(flags: readonly Flag[], roleAccess: LiveState['roleAccess'] = {}): LiveState {
  return { flags, roleAccess };
}

export function planOptions(options: Partial<PlanOptions> = {}): PlanOptions {
  return {
    project: { name: 'test', host: 'https://flags.example.com', project_id: '1' },
    scope: { include: ['*'], exclude: [] },
    limits: { deletes: 5, deletes_percent: 30, updates_percent: 50, disables: 5 },
    protected: [],
    exceptions: [],
    prune: false,
    ...options,
  };
}

/** What the options of a run allow. */
export function allowing(
  given: {
    readonly deletes?: number;
    readonly updates?: number;
    readonly disables?: number;
    readonly protected?: readonly string[];
    readonly risky?: readonly string[];
    readonly override?: readonly string[];
  } = {},
): readonly Exception[] {
  return exceptionsOf({
    ...defined({ allowDeletes: given.deletes, allowUpdates: given.updates, allowDisables: given.disables }),
    ...defined({ allowProtected: given.protected, allowRisky: given.risky, override: given.override }),
  });
}

/** The plan of a desired state, in an ordinary project. */
export function planFor(desired: DesiredState, live: LiveState, options: Partial<PlanOptions> = {}): Plan {
  return buildPlan(desired, live, planOptions(options));
}

/** Filters with one condition for everybody. */
export function rolledOut(percentage: number): JsonObject {
  return { groups: [{ properties: [], rollout_percentage: percentage }] };
}

/** Filters whose only condition depends on another flag. */
export function dependsOn(key: string | number): JsonObject {
  return {
    groups: [
      {
        properties: [{ key, type: 'flag', operator: 'flag_evaluates_to', value: true }],
        rollout_percentage: 100,
      },
    ],
  };
}
