/** Writes a requested edit of a cohort: the layer of each member, with what people wrote where it means the same. */

import { definedKeys, jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { membersIn } from '../../manifest/declaration.ts';
import { checkDefinition } from '../../posthog/cohort/checks.ts';
import { compareCohort } from '../../posthog/cohort/comparison.ts';
import { writeCohort } from '../../posthog/cohort/layout.ts';
import { withCohortIds } from '../../posthog/cohort/references.ts';
import type { DesiredCohort } from '../../posthog/cohort/desired.ts';
import { lookupNames } from '../../posthog/names.ts';
import { layerOf, writeMember, writePresence, type Editing, type LayerMembers } from '../choose-layer.ts';
import { editingOf, type EditingContext } from '../context.ts';
import type { CohortEdit, TextEdits, UnwrittenEdit } from '../edit.ts';
import type { BeforeAndNow, EditWriteOptions } from '../facet.ts';
import { COHORTS, fieldsOf } from '../kinds.ts';
import { editsBetween, valueIn } from '../members.ts';
import { reconcile } from '../reconcile.ts';

export function writeCohortEdit(
  context: EditingContext,
  edit: CohortEdit,
  { layer }: EditWriteOptions,
): TextEdits | UnwrittenEdit {
  const { key } = edit;
  const editing = editingOf(context, key, layer);
  if (editing === undefined) return { key, reason: { code: 'not-declared' } };
  const { declaration } = editing;
  const before = membersIn(declaration);
  const changed = writeFields(writePresence(before, edit, editing), { edit, editing, context });
  if (changed === undefined) return { key, reason: { code: 'not-expressible' }, place: declaration.places.place };
  const edits = editsBetween(before, changed, [COHORTS.section, declaration.key]);
  return { key, edits: edits.map((edit) => ({ file: declaration.file, edit })) };
}

interface CohortWriteTask {
  readonly edit: CohortEdit;
  readonly editing: Editing;
  readonly context: EditingContext;
}

function writeFields(members: LayerMembers | undefined, task: CohortWriteTask): LayerMembers | undefined {
  const { fields = {} } = task.edit;
  return definedKeys(fields).reduce<LayerMembers | undefined>(
    (all, field) => all && writeField(all, field, task),
    members,
  );
}

function writeField(
  members: LayerMembers,
  field: string,
  { edit, editing, context }: CohortWriteTask,
): LayerMembers | undefined {
  const { project } = context;
  const idOf = (alias: string): number | undefined =>
    Object.hasOwn(project.cohorts, alias) ? project.cohorts[alias] : undefined;
  const wanted = { [field]: memberOf(edit.fields ?? {}, field) ?? null };
  const exported = usual(field, wanted, context);
  const isSound = (value: JsonValue): boolean => checkDefinition({ value: { [field]: value } }).length === 0;
  // A leaf of another type may not have what a written leaf has, even where that means nothing.
  const mayBeKept = isSound(exported) ? isSound : () => true;
  const means = (value: JsonValue): boolean =>
    meansFields(withCohortIds({ [field]: value }, idOf), wanted) && mayBeKept(value);
  const written = valueIn(layerOf(members, editing).value, [field]);
  // A name that is not written is the alias.
  const implied = written === undefined ? memberOf(declaredFields(edit, context), field) : undefined;
  if (implied !== undefined && meansFields({ [field]: implied }, wanted)) return members;
  const value = reconcile(written, exported, means);
  return writeMember(members, { path: [field], value }, editing);
}

function declaredFields({ key }: CohortEdit, { read, project }: EditingContext): JsonObject {
  const cohorts = COHORTS.desired(read.resolve(project).desired);
  return fieldsOf(cohorts.find((cohort) => COHORTS.nameOf(cohort.key) === key));
}

/** As an export writes it. No description is an empty one, which an overlay can hold. */
function usual(field: string, wanted: JsonObject, { project }: EditingContext): JsonValue {
  const { cohort: nameOf } = lookupNames([], project);
  return memberOf(writeCohort({ id: 0, ...wanted }, { nameOf, minimal: false, nameless: false }), field) ?? '';
}

/** Whether a declared cohort has what is requested, and otherwise what it had before. */
export function isCohortWritten(
  { fields = {}, deleted }: CohortEdit,
  { before, now }: BeforeAndNow<DesiredCohort>,
): boolean {
  if (deleted === true) return now?.kind === 'retired';
  if (now?.kind !== 'declared') return false;
  const former = before?.kind === 'declared' ? before.fields : undefined;
  return meansFields(now.fields, fields) && (former === undefined || isSameBut(former, now.fields, fields));
}

/** By the comparison of plans. */
function meansFields(declared: JsonObject, wanted: JsonObject): boolean {
  const cohort = { id: 0, ...wanted };
  return definedKeys(wanted).every((name) => {
    const own = { [name]: memberOf(declared, name) ?? null };
    return compareCohort(own, cohort).length === 0;
  });
}

function isSameBut(former: JsonObject, now: JsonObject, changed: JsonObject): boolean {
  const names = [...new Set([...definedKeys(former), ...definedKeys(now)])];
  return names.every((name) => Object.hasOwn(changed, name) || jsonEquals(former[name], now[name]));
}
