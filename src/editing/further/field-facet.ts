/**
 * What kinds share that are declared by their fields: the layer of each member, what people wrote if it means the same, and the parts that
 * can be promoted. Each kind says what a value means.
 */

import { fromPointer } from '../../base/json-pointer.ts';
import { arrayOrEmpty, definedKeys, jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { placeAt } from '../../base/place.ts';
import { pickFields } from '../../core/engine/field-kind.ts';
import { matchesField } from '../../core/engine/field-path.ts';
import { membersIn } from '../../core/manifest/declaration.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import { layerOf, writeApart, writeMember, writePresence, type LayerMembers } from '../choose-layer.ts';
import { editingOf, type EditingContext, type EditingIn } from '../context.ts';
import type { FieldEdit, EditedPart, PromotionReason } from '../edit.ts';
import type { EditOr, FurtherFacet } from '../facet.ts';
import { fieldsOf, type Desired, type EditedKind } from '../kinds.ts';
import { editsBetween, valueIn, reconcile, type ElementTest } from '../members.ts';
import type { Promotion } from '../promotion.ts';
import { commonestHome, layerAt } from '../texts.ts';

interface FieldWriting<Own extends Desired> {
  readonly kind: EditedKind<Own>;
  readonly resource: FieldEdit['resource'];
  /** The fields that can be promoted by themselves, by part; only flags have the other parts. */
  readonly parts: Readonly<Partial<Record<EditedPart, string>>>;
  /** The value of a field as an export writes it. */
  readonly usual: (field: string, wanted: JsonObject, context: EditingContext) => JsonValue;
  /** The meaning of a manifest's value for a field. `usual`: an export's form of the wanted value. */
  readonly meansOf: (
    field: string,
    of: { readonly wanted: JsonObject; readonly usual: JsonValue },
    context: EditingContext,
  ) => ElementTest;
  /** Whether declared fields mean each of the wanted ones, by the comparison of plans. */
  readonly hasFields: (declared: JsonObject, wanted: JsonObject) => boolean;
  /** The places in fields that no manifest can declare without naming them in `intended`. */
  readonly findIntended?: (fields: JsonObject) => readonly string[];
  /** The promoted fields with what the other project has under the same names. */
  readonly cross: (
    fields: JsonObject,
    promotion: Promotion<Own>,
  ) => { readonly fields: JsonObject } | { readonly reason: PromotionReason };
}

type Shared = 'write' | 'isWritten' | 'placeOf' | 'isSelected' | 'fromSource' | 'hasPart' | 'isOfPart' | 'homeOf';

export function fieldFacet<Own extends Desired>(
  writing: FieldWriting<Own>,
): Pick<FurtherFacet<Own>, 'kind' | 'resource' | 'hasWholeFields' | Shared> {
  const { kind, resource, parts: fieldOf, hasFields } = writing;
  const hasPart = (parts: readonly EditedPart[]): boolean => parts.some((part) => fieldOf[part] !== undefined);
  return {
    kind,
    resource,
    hasWholeFields: true,
    write: (context, edit, { layer }) => {
      const { key, fields = {} } = edit;
      const editing = editingOf(context, key, layer);
      if (editing === undefined) return { key, reason: { code: 'not-declared' } };
      const { declaration } = editing;
      const before = membersIn(declaration);
      const written = definedKeys(fields).reduce<LayerMembers | undefined>(
        (all, field) => all && writeField(all, field, { edit, editing, context, writing }),
        writePresence(before, edit, editing),
      );
      const changed = written && writeIntended(written, editing, writing);
      if (changed === undefined) return { key, reason: { code: 'not-expressible' }, place: declaration.places.place };
      const edits = editsBetween(before, changed, [kind.section, declaration.key]);
      return { key, edits: edits.map((one) => ({ file: declaration.file, edit: one })) };
    },
    isWritten: ({ fields = {}, deleted }, { before, now }) => {
      if (deleted === true) return now?.kind === 'retired';
      if (now?.kind !== 'declared' || !hasFields(now.fields, fields)) return false;
      if (before?.kind !== 'declared') return true;
      const names = [...new Set([...definedKeys(before.fields), ...definedKeys(now.fields)])];
      return names.every((name) => Object.hasOwn(fields, name) || jsonEquals(before.fields[name], now.fields[name]));
    },
    placeOf: (own, path, { declaration, project }) => {
      const layer = layerDeclaration(declaration, project.name, kind.layering);
      const pointer = own.kind === 'retired' ? '/deleted' : path;
      if (!Object.hasOwn(layer.value, fromPointer(pointer)[0] ?? '')) return {};
      return { place: placeAt(layer.places, pointer), layer: layerAt(layer.pathOf(pointer), declaration) };
    },
    isSelected: ({ path }, only) => only[kind.section]?.some((one) => matchesField(one, path, {})) === true,
    fromSource: (promotion): EditOr<FieldEdit, PromotionReason> => {
      const { key, parts, crossing } = promotion;
      const { fields } = promotion.source;
      const lacking = parts?.find((part) => {
        const field = fieldOf[part];
        return field === undefined ? !hasPart(parts) : !Object.hasOwn(fields, field);
      });
      if (lacking !== undefined) {
        return { reason: { code: 'part-lacks', part: lacking, project: crossing.from.name } };
      }
      const names = parts?.flatMap((part) => fieldOf[part] ?? []) ?? definedKeys(fields);
      const crossed = writing.cross(pickFields(fields, names), promotion);
      if ('reason' in crossed) return crossed;
      return { edit: { resource, key, deleted: false, fields: crossed.fields } };
    },
    hasPart,
    isOfPart: (path, parts) => {
      const [field] = fromPointer(path);
      return parts.some((part) => fieldOf[part] !== undefined && fieldOf[part] === field);
    },
    // The file with most of the declared resources of the kind.
    homeOf: (_key, { declarations }) =>
      commonestHome([...declarations.values()].filter(({ section }) => section === kind.section)),
  };
}

interface Task<Own extends Desired> {
  readonly edit: FieldEdit;
  readonly editing: EditingIn;
  readonly context: EditingContext;
  readonly writing: FieldWriting<Own>;
}

function writeField<Own extends Desired>(
  members: LayerMembers,
  field: string,
  { edit: { key, fields = {} }, editing, context, writing }: Task<Own>,
): LayerMembers | undefined {
  const { kind } = writing;
  const wanted = { [field]: memberOf(fields, field) ?? null };
  const written = valueIn(layerOf(members, editing).value, [field]);
  if (written === undefined) {
    // A name that is not written is the alias.
    const all = kind.desired(context.read.resolve(context.project).desired);
    const implied = memberOf(fieldsOf(all.find((one) => kind.nameOf(one.key) === key)), field);
    if (implied !== undefined && writing.hasFields({ [field]: implied }, wanted)) return members;
  }
  const usual = writing.usual(field, wanted, context);
  const value = reconcile(written, usual, writing.meansOf(field, { wanted, usual }, context));
  const member = { path: [field], value };
  return (
    writeMember(members, member, editing) ??
    (editing.layer === 'auto' ? writeApart(members, member, editing) : undefined)
  );
}

function writeIntended<Own extends Desired>(
  members: LayerMembers,
  editing: EditingIn,
  { findIntended }: FieldWriting<Own>,
): LayerMembers | undefined {
  const { value: layer } = layerOf(members, editing);
  const known = arrayOrEmpty(layer['intended']);
  const found = findIntended?.(layer).filter((path) => !known.includes(path)) ?? [];
  return found.length === 0
    ? members
    : writeMember(members, { path: ['intended'], value: [...known, ...found] }, editing);
}
