/** Early access features, as editing sees them. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, memberOf, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { fieldsIn, pickFields } from '../../engine/field-kind.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import {
  canonicalFeature,
  compareFeature,
  FIELDS,
  type DesiredFeature,
  findByFlag,
  type LiveFeature,
} from '../../posthog/early-access/feature.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { matchesField } from '../../engine/field-path.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { EditingContext } from '../context.ts';
import type { FieldEdit } from '../edit.ts';
import type { Differing, EditFacet, EditOr } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import type { Promotion, PromotionSource } from '../promotion.ts';
import type { LeftFlag, EditedPart, PromotionReason } from '../results.ts';
import { fieldFacet, type FieldWriting } from '../write-fields.ts';
import { FEATURE_DECLARING } from './declare.ts';

/** Every field is one value, and an empty string means the same as none. */
const WRITING: FieldWriting<DesiredFeature> = {
  kind: EDITED.early_access,
  usual: (field, wanted) => memberOf(canonicalFeature(wanted), field) ?? '',
  meansOf:
    (field, { wanted }) =>
    (value) =>
      hasFields({ [field]: value }, wanted),
  hasFields,
};

function hasFields(declared: JsonObject, wanted: JsonObject): boolean {
  return definedKeys(wanted).every((name) => Object.hasOwn(declared, name)) && differ(declared, wanted).length === 0;
}

function differ(declared: JsonObject, wanted: JsonObject): readonly unknown[] {
  return compareFeature(wanted, { id: 0, feature_id: '', name: '', stage: '', ...declared });
}

export const FEATURE_FACET: EditFacet<FieldEdit, DesiredFeature> = {
  ...fieldFacet(WRITING),

  fromLive: featureFromLive,
  isSelected: ({ path }, { early_access: paths = [] }) => paths.some((one) => matchesField(one, path, {})),

  sources: featureSources,
  fromSource: featureFromSource,
  needs: ({ flag }) => (flag === undefined ? [] : [flag]),
  hasPart: (parts) => parts.includes(ONLY_PART),
  isOfPart: (path, parts) => parts.includes(ONLY_PART) && fromPointer(path)[0] === ONLY_PART,
  comparableValuesOf: ({ fields }) => ({ fields: canonicalFeature(fields), isPartial: true }),

  declare: FEATURE_DECLARING,
};

/** The only part of a feature that can be promoted by itself. */
const ONLY_PART = 'description' satisfies EditedPart;

/** A feature that was deleted for good is declared as deleted: the declaration then asks for no feature. */
function featureFromLive({ key, found, context }: Differing): EditOr<FieldEdit, { readonly left: LeftFlag }> {
  const actions = new Set(found.map(({ change }) => change.action));
  if (actions.has('create') && found.some(({ divergence }) => divergence === 'drifted')) {
    return { edit: { resource: 'early_access', key, deleted: true } };
  }
  const id = found.find(({ change }) => change.id !== undefined)?.change.id;
  const live = id === undefined ? undefined : context.snapshot.early_access.byId(id);
  if (live === undefined) return { left: { key, reason: { code: 'not-live' } } };
  if (actions.has('delete')) {
    const fields = pickFields(live, declaredIn(key, context));
    return { edit: { resource: 'early_access', key, deleted: false, fields } };
  }
  // Who is enrolled follows from the stage: no manifest declares that it does not.
  if (found.some(({ path }) => path === '/enrolment')) return { left: { key, reason: { code: 'reads-differently' } } };
  return { edit: { resource: 'early_access', key, fields: pickFields(live, fieldsIn(found)) } };
}

/** The fields that the declaration has, also where it declares the feature as deleted. */
function declaredIn(key: string, { read, project }: EditingContext): readonly string[] {
  const declaration = read.declarations.get(key);
  if (declaration === undefined) return [];
  const { value } = layerDeclaration(declaration, project.name);
  return FIELDS.filter((name) => (value[name] ?? null) !== null);
}

/** Sources by name, `early_access:ALIAS`, as manifests declare them or as they are live. */
function featureSources(desired: DesiredState, live: LiveState | undefined): ReadonlyMap<string, PromotionSource> {
  return new Map(
    EDITED.early_access.desired(desired).flatMap((one): [string, PromotionSource][] => {
      if (one.kind === 'retired') return [];
      const { key, flag } = one;
      const held = live === undefined ? undefined : findByFlag(flag, live);
      if (live !== undefined && held === undefined) return [];
      return [
        [
          EDITED.early_access.nameOf(key),
          { fields: held === undefined ? one.fields : liveFields(one.fields, held), flag },
        ],
      ];
    }),
  );
}

function liveFields(declared: JsonObject, live: LiveFeature): JsonObject {
  return pickFields(canonicalFeature(live), definedKeys(declared));
}

/** The feature of the other project offers the flag of the same key, which must be declared there too. */
function featureFromSource({
  key,
  source: { fields, flag },
  parts,
  crossing: { from, to, known },
}: Promotion<DesiredFeature>): EditOr<FieldEdit, { readonly reason: PromotionReason }> {
  const lacking = parts?.find((part) =>
    part === ONLY_PART ? !Object.hasOwn(fields, part) : !parts.includes(ONLY_PART),
  );
  if (lacking !== undefined) return { reason: { code: 'part-lacks', part: lacking, project: from.name } };
  if (flag !== undefined && !known.has(flag)) {
    return { reason: { code: 'dependency-missing', dependency: flag, project: to.name } };
  }
  const wanted = parts === undefined ? fields : pickFields(fields, [ONLY_PART]);
  return { edit: { resource: 'early_access', key, deleted: false, ...defined({ fields: wanted }) } };
}
