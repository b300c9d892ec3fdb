/** Turns the differences of one cohort into what the manifests are to say. */

import { definedKeys, memberOf, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { Cohort } from '../../posthog/cohort/cohort.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { EditingContext } from '../context.ts';
import type { CohortWish } from '../wish.ts';
import type { LeftFlag } from './accepted.ts';
import type { Found } from './select.ts';

export interface DifferingCohort {
  readonly key: string;
  readonly found: readonly Found[];
  readonly context: EditingContext;
  readonly warnings: Plan['warnings'];
}

export function toCohortWish(differing: DifferingCohort): { readonly wish: CohortWish } | { readonly left: LeftFlag } {
  const { key, found, context, warnings } = differing;
  const actions = new Set(found.map(({ change }) => change.action));
  const moved = warnings.find((one) => one.code === 'cohort_renamed_away' && one.key === key);
  if (moved?.code === 'cohort_renamed_away') {
    return { left: { key, reason: { code: 'cohort-moved', name: moved.current, id: moved.id } } };
  }
  // What the base declared was there after the last apply, and was deleted unless it may have been renamed.
  const isUnknown = warnings.some((one) => one.code === 'cohort_former_unknown' && one.key === key);
  const wasDeleted = !isUnknown && found.some(({ divergence }) => divergence === 'drifted');
  if (actions.has('restore') || (actions.has('create') && wasDeleted)) {
    return { wish: { resource: 'cohort', key, deleted: true } };
  }
  const id = found.find(({ change }) => change.id !== undefined)?.change.id;
  const live = context.live.cohorts?.find((cohort) => cohort.id === id);
  if (live === undefined) return { left: { key, reason: { code: 'not-live' } } };
  if (actions.has('delete')) {
    return { wish: { resource: 'cohort', key, deleted: false, fields: fieldsWithoutDeletion(key, live, context) } };
  }
  const names = new Set(found.map(({ path }) => fromPointer(path)[0] ?? ''));
  return { wish: { resource: 'cohort', key, fields: fieldsOf(live, [...names]) } };
}

/** The fields that the declaration has once it no longer says that the cohort is deleted; a definition is required. */
function fieldsWithoutDeletion(key: string, live: Cohort, { read, project }: EditingContext): JsonObject {
  const declaration = read.declarations.get(key);
  if (declaration === undefined) return {};
  const declared = definedKeys(layerDeclaration(declaration, project.name).value);
  return fieldsOf(live, ['name', 'description'].filter((name) => declared.includes(name)).concat('filters'));
}

function fieldsOf(live: Cohort, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, memberOf(live, name) ?? null]));
}
