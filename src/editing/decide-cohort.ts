/** Decides which edits make manifests say a wish about a cohort: the layer of each member, with what people wrote where it means the same. */

import { definedKeys, memberOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { membersIn } from '../manifest/declaration.ts';
import { checkDefinition } from '../posthog/cohort/checks.ts';
import { writeCohort } from '../posthog/cohort/layout.ts';
import { COHORT_SECTION } from '../posthog/cohort/manifest.ts';
import { withCohortIds } from '../posthog/cohort/references.ts';
import { lookupNames } from '../posthog/names.ts';
import { layerOf, sayMember, type Editing, type Members } from './choose-layer.ts';
import { editingOf, type EditingContext } from './context.ts';
import type { Decided, Undecided } from './decide-wish.ts';
import { saysFields } from './fulfil-cohort.ts';
import { editsBetween, valueIn } from './members.ts';
import { reconcile } from './reconcile.ts';
import type { CohortWish, LayerChoice } from './wish.ts';
import { nameResource } from '../posthog/resource-name.ts';

export function decideCohort(context: EditingContext, wish: CohortWish, layer: LayerChoice): Decided | Undecided {
  const { key } = wish;
  const editing = editingOf(context, key, layer);
  if (editing === undefined) return { key, reason: { code: 'not-declared' } };
  const { declaration } = editing;
  const before = membersIn(declaration);
  const said = sayFields(sayPresence(before, wish, editing), { wish, editing, context });
  if (said === undefined) return { key, reason: { code: 'not-expressible' }, place: declaration.places.place };
  const edits = editsBetween(before, said, [COHORT_SECTION.name, declaration.key]);
  return { key, edits: edits.map((edit) => ({ file: declaration.file, edit })) };
}

function sayPresence(members: Members, { deleted }: CohortWish, editing: Editing): Members | undefined {
  if (deleted === undefined) return members;
  return sayMember(members, { path: ['deleted'], value: deleted ? true : undefined }, editing);
}

interface Task {
  readonly wish: CohortWish;
  readonly editing: Editing;
  readonly context: EditingContext;
}

function sayFields(members: Members | undefined, task: Task): Members | undefined {
  const { fields = {} } = task.wish;
  return definedKeys(fields).reduce<Members | undefined>((all, field) => all && sayField(all, field, task), members);
}

function sayField(members: Members, field: string, { wish, editing, context }: Task): Members | undefined {
  const { project } = context;
  const idOf = (alias: string): number | undefined =>
    Object.hasOwn(project.cohorts, alias) ? project.cohorts[alias] : undefined;
  const wished = { [field]: memberOf(wish.fields ?? {}, field) ?? null };
  const exported = usual(field, wished, context);
  const isSound = (value: JsonValue): boolean => checkDefinition({ value: { [field]: value } }).length === 0;
  // A leaf of another type may not have what a written leaf has, even where that means nothing.
  const mayBeKept = isSound(exported) ? isSound : () => true;
  const means = (value: JsonValue): boolean =>
    saysFields(withCohortIds({ [field]: value }, idOf), wished) && mayBeKept(value);
  const written = valueIn(layerOf(members, editing).value, [field]);
  // A name that is not written is the alias.
  const implied = written === undefined ? memberOf(declaredFields(wish, context), field) : undefined;
  if (implied !== undefined && saysFields({ [field]: implied }, wished)) return members;
  const value = reconcile(written, exported, means);
  return sayMember(members, { path: [field], value }, editing);
}

function declaredFields({ key }: CohortWish, { read, project }: EditingContext): JsonObject {
  const { cohorts = [] } = read.resolve(project).desired;
  const declared = cohorts.find((cohort) => nameResource('cohort', cohort.key) === key);
  return declared?.kind === 'declared' ? declared.fields : {};
}

/** As an export writes it. No description is an empty one, which an overlay can say. */
function usual(field: string, wished: JsonObject, { project }: EditingContext): JsonValue {
  const { cohort: nameOf } = lookupNames([], project);
  return memberOf(writeCohort({ id: 0, ...wished }, { nameOf, minimal: false, nameless: false }), field) ?? '';
}
