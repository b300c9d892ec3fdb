/**
 * Writes a requested edit of a resource that is declared by its fields: the layer of each member, and what people wrote if it means the
 * same. Each kind says what a value means.
 */

import { fromPointer } from '../base/json-pointer.ts';
import { arrayOrEmpty, definedKeys, jsonEquals, memberOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { placeAt } from '../base/place.ts';
import { membersIn } from '../manifest/declaration.ts';
import { layerDeclaration } from '../manifest/layers.ts';
import { layerOf, writeApart, writeMember, writePresence, type Editing, type LayerMembers } from './choose-layer.ts';
import { editingOf, type EditingContext } from './context.ts';
import type { FieldEdit, TextEdits, UnwrittenEdit } from './edit.ts';
import type { BeforeAndNow, EditFacet, EditWriteOptions, ValueIn } from './facet.ts';
import { fieldsOf, type Desired, type EditedKind } from './kinds.ts';
import { editsBetween, valueIn } from './members.ts';
import { reconcile, type ElementTest } from './reconcile.ts';
import { layerAt, type WrittenAt } from './texts.ts';

export interface FieldWriting<Own extends Desired> {
  readonly kind: EditedKind<Own>;
  /** The value of a field as an export writes it. */
  usual(field: string, wanted: JsonObject, context: EditingContext): JsonValue;
  /** The meaning of a manifest's value for a field. `usual`: an export's form of the wanted value. */
  meansOf(
    field: string,
    of: { readonly wanted: JsonObject; readonly usual: JsonValue },
    context: EditingContext,
  ): ElementTest;
  /** Whether declared fields mean each of the wanted ones, by the comparison of plans. */
  hasFields(declared: JsonObject, wanted: JsonObject): boolean;
  /** The places in fields that no manifest can declare without naming them in `intended`. */
  readonly findIntended?: (fields: JsonObject) => readonly string[];
}

type FieldFacet<Own extends Desired> = Pick<
  EditFacet<FieldEdit, Own>,
  'kind' | 'write' | 'hasFallback' | 'isWritten' | 'placeOf' | 'leftOut' | 'hasWholeFields'
>;

/** The facet of kinds that are declared by their fields. */
export function fieldFacet<Own extends Desired>(writing: FieldWriting<Own>): FieldFacet<Own> {
  return {
    kind: writing.kind,
    write: (context, edit, { layer }) => writeFieldEdit(context, edit, { layer, writing }),
    hasFallback: () => false,
    isWritten: (edit, sides) => isFieldEditWritten(edit, sides, writing),
    placeOf: (own, at) => fieldPlace(own, at, writing.kind),
    leftOut: () => [],
    hasWholeFields: true,
  };
}

function writeFieldEdit<Own extends Desired>(
  context: EditingContext,
  edit: FieldEdit,
  { layer, writing }: Pick<EditWriteOptions, 'layer'> & { readonly writing: FieldWriting<Own> },
): TextEdits | UnwrittenEdit {
  const { key } = edit;
  const editing = editingOf(context, key, layer);
  if (editing === undefined) return { key, reason: { code: 'not-declared' } };
  const { declaration } = editing;
  const before = membersIn(declaration);
  const written = writeFields(writePresence(before, edit, editing), { edit, editing, context, writing });
  const changed = written && writeIntended(written, editing, writing);
  if (changed === undefined) return { key, reason: { code: 'not-expressible' }, place: declaration.places.place };
  const edits = editsBetween(before, changed, [writing.kind.section, declaration.key]);
  return { key, edits: edits.map((one) => ({ file: declaration.file, edit: one })) };
}

interface Task<Own extends Desired> {
  readonly edit: FieldEdit;
  readonly editing: Editing;
  readonly context: EditingContext;
  readonly writing: FieldWriting<Own>;
}

function writeFields<Own extends Desired>(
  members: LayerMembers | undefined,
  task: Task<Own>,
): LayerMembers | undefined {
  const { fields = {} } = task.edit;
  return definedKeys(fields).reduce<LayerMembers | undefined>(
    (all, field) => all && writeField(all, field, task),
    members,
  );
}

function writeField<Own extends Desired>(
  members: LayerMembers,
  field: string,
  { edit, editing, context, writing }: Task<Own>,
): LayerMembers | undefined {
  const wanted = { [field]: memberOf(edit.fields ?? {}, field) ?? null };
  const usual = writing.usual(field, wanted, context);
  const written = valueIn(layerOf(members, editing).value, [field]);
  // A name that is not written is the alias.
  const implied = written === undefined ? memberOf(declaredFields(edit, context, writing), field) : undefined;
  if (implied !== undefined && writing.hasFields({ [field]: implied }, wanted)) return members;
  const value = reconcile(written, usual, writing.meansOf(field, { wanted, usual }, context));
  const member = { path: [field], value };
  const apart = editing.layer === 'auto' ? writeApart : () => undefined;
  return writeMember(members, member, editing) ?? apart(members, member, editing);
}

function writeIntended<Own extends Desired>(
  members: LayerMembers,
  editing: Editing,
  { findIntended }: FieldWriting<Own>,
): LayerMembers | undefined {
  const { value: layer } = layerOf(members, editing);
  const known = arrayOrEmpty(layer['intended']);
  const found = findIntended?.(layer).filter((path) => !known.includes(path)) ?? [];
  return found.length === 0
    ? members
    : writeMember(members, { path: ['intended'], value: [...known, ...found] }, editing);
}

function declaredFields<Own extends Desired>(
  { key }: FieldEdit,
  { read, project }: EditingContext,
  { kind }: FieldWriting<Own>,
): JsonObject {
  return fieldsOf(kind.desired(read.resolve(project).desired).find((one) => kind.nameOf(one.key) === key));
}

/** Whether a declared resource has the requested values, and otherwise its former ones. */
function isFieldEditWritten<Own extends Desired>(
  { fields = {}, deleted }: FieldEdit,
  { before, now }: BeforeAndNow<Own>,
  { hasFields }: Pick<FieldWriting<Own>, 'hasFields'>,
): boolean {
  if (deleted === true) return now?.kind === 'retired';
  if (now?.kind !== 'declared') return false;
  const former = before?.kind === 'declared' ? before.fields : undefined;
  return hasFields(now.fields, fields) && (former === undefined || isSameBut(former, now.fields, fields));
}

function isSameBut(former: JsonObject, now: JsonObject, changed: JsonObject): boolean {
  const names = [...new Set([...definedKeys(former), ...definedKeys(now)])];
  return names.every((name) => Object.hasOwn(changed, name) || jsonEquals(former[name], now[name]));
}

/** The place where manifests write a field. */
function fieldPlace(own: Desired, { path, declaration, project }: ValueIn, kind: EditedKind): WrittenAt {
  const layer = layerDeclaration(declaration, project.name, kind.layering);
  const pointer = own.kind === 'retired' ? '/deleted' : path;
  if (!Object.hasOwn(layer.value, fromPointer(pointer)[0] ?? '')) return {};
  return { place: placeAt(layer.places, pointer), layer: layerAt(layer.pathOf(pointer), declaration) };
}
