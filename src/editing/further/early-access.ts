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
  ARCHIVED,
} from '../../posthog/early-access/feature.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { matchesField } from '../../engine/field-path.ts';
import type { LiveState } from '../../posthog/live.ts';
import { type EditingContext, extendEdits } from '../context.ts';
import type { FieldEdit } from '../edit.ts';
import type {
  Differing,
  EditFacet,
  EditOr,
  EditCandidate,
  DeclareFacet,
  Declaring,
  MergeComparison,
  MergeFacet,
} from '../facet.ts';
import { EDITED } from '../kinds.ts';
import type { Promotion, PromotionSource } from '../promotion.ts';
import type { LeftFlag, EditedPart, PromotionReason, NotMerged } from '../results.ts';
import { fieldFacet, type FieldWriting } from '../write-fields.ts';
import { writeDeclarations } from '../../export/further.ts';
import { changeFeature } from '../../posthog/early-access/kind.ts';
import { chooseAlias } from '../../posthog/early-access/family.ts';
import type { NamedLive } from '../../posthog/exported.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';
import { commonestHome, type DeclaredIn, type ReadTexts, editTexts, readTexts } from '../texts.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';

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

  declare: { identify, exported, homeOf, findDiffering },
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

/** The alias is the key of the flag, which identifies the feature. */
function identify({ keys, context }: Declaring): ReturnType<DeclareFacet['identify']> {
  const { read, live, projects } = context;
  const all = projects.flatMap((project) => EDITED.early_access.desired(read.resolve(project).desired));
  const declaredFor = new Set(all.map(({ flag }) => flag));
  const taken = new Set(
    [...read.declarations.values()].flatMap((one) => (one.section === EDITED.early_access.section ? one.key : [])),
  );
  const open: EditCandidate[] = [];
  const left: LeftFlag[] = [];
  for (const feature of live.early_access ?? []) {
    const flag = keyOf(feature, context);
    if (flag === undefined || feature.stage === ARCHIVED || !keys.has(String(feature.id))) continue;
    const key = nameResource('early_access', flag);
    if (declaredFor.has(flag)) {
      left.push({ key, reason: { code: 'not-exportable', reasons: ['declared-elsewhere'] } });
      continue;
    }
    const declared = chooseAlias(flag, taken);
    taken.add(declared);
    open.push({ key, declared });
  }
  return { open, left };
}

function keyOf({ id }: LiveFeature, { snapshot: { flags } }: EditingContext): string | undefined {
  return flags.keyOf(id);
}

function exported(
  { context, writing }: Declaring,
  open: readonly EditCandidate[],
): ReturnType<DeclareFacet['exported']> {
  const names = lookupNames(context.live.flags, context.project);
  return { files: writeDeclarations('early_access', chosenOf(open, context), { names, options: writing }), left: [] };
}

interface ChosenFeature extends NamedLive<LiveFeature> {
  readonly flag: string;
}

function chosenOf(open: readonly EditCandidate[], context: EditingContext): readonly ChosenFeature[] {
  const byName = new Map(
    (context.live.early_access ?? []).flatMap((live) => {
      const flag = keyOf(live, context);
      return flag === undefined ? [] : [[nameResource('early_access', flag), { live, flag }] as const];
    }),
  );
  return open.flatMap(({ key, declared }) => {
    const one = byName.get(key);
    return one === undefined ? [] : [{ ...one, key: declared }];
  });
}

/** The file with most of the declared features. */
function homeOf(_key: string, { declarations }: ReadTexts): DeclaredIn | undefined {
  const declared = [...declarations.values()].filter(({ section }) => section === EDITED.early_access.section);
  return commonestHome(declared);
}

function findDiffering({ context }: Declaring, after: ReadTexts, open: readonly EditCandidate[]): readonly string[] {
  const desiredNow = EDITED.early_access.desired(after.resolve(context.project).desired);
  const declared = new Map(desiredNow.map((one) => [one.key, one]));
  return chosenOf(open, context).flatMap(({ key, flag, live: feature }) => {
    const desired = declared.get(key);
    const live = { id: feature.id, key, feature };
    const isSame = desired?.flag === flag && changeFeature({ desired, live }).changes.length === 0;
    return isSame ? [] : [nameResource('early_access', flag)];
  });
}

const FEATURES = EDITED.early_access;

export const FEATURE_MERGE: MergeFacet = {
  kind: FEATURES,
  elsewhere,
  // Features have the ids of their flags.
  idsOf: (flags) => new Set(flags.map(({ id }) => id)),
  compare,
  lacking: ({ read, project, live }) =>
    FEATURES.desired(read.resolve(project).desired).flatMap((one) =>
      one.kind === 'retired' || liveOf(one, live) !== undefined ? [] : FEATURES.nameOf(one.key),
    ),
  undeclared,
  notes: ({ live }, _flags, left) =>
    left.flatMap(({ key }) => {
      const flag = readName(key).key;
      const feature = findByFlag(flag, live);
      return feature === undefined ? [] : [{ kind: 'early-access-undeclared', key: flag, name: feature.name }];
    }),
  reasonOf: () => 'reads-differently',
};

/** An archived feature offers nothing, so the project counts as without it, unless manifests declare it as archived. */
function liveOf(declared: DesiredFeature, live: LiveState): LiveFeature | undefined {
  const feature = findByFlag(declared.flag, live);
  const isMeant = declared.kind === 'declared' && declared.fields['stage'] === ARCHIVED;
  return feature?.stage === ARCHIVED && !isMeant ? undefined : feature;
}

/** Aliases declared only elsewhere whose flag has a live feature here. */
function elsewhere(context: EditingContext, flagIds: ReadonlySet<number> | undefined): readonly string[] {
  const { live, project, read, allProjects, manifests } = context;
  const { desired } = read.resolve(project);
  const aliases = desired.namedElsewhere?.early_access ?? [];
  if (aliases.length === 0) return [];
  const { texts } = editTexts(manifests, extendEdits(aliases.map(FEATURES.nameOf), context));
  const extended = FEATURES.desired(readTexts(texts, allProjects).resolve(project).desired);
  const taken = new Set(FEATURES.desired(desired).map(({ flag }) => flag));
  return aliases.filter((alias) => {
    const declared = extended.find(({ key, kind }) => key === alias && kind === 'declared');
    const found = declared && liveOf(declared, live);
    if (declared === undefined || found === undefined || flagIds?.has(found.id) === false) return false;
    if (taken.has(declared.flag)) return false;
    taken.add(declared.flag);
    return true;
  });
}

function compare(
  { read, project, live }: EditingContext,
  isOpen: (name: string, flagId: number) => boolean,
): MergeComparison {
  const decided = FEATURES.desired(read.resolve(project).desired).flatMap((desired) => {
    const feature = liveOf(desired, live);
    const isMerged = feature !== undefined && isOpen(FEATURES.nameOf(desired.key), feature.id);
    return isMerged ? decide(desired, feature) : [];
  });
  return {
    // Features have no names in the configuration.
    found: {},
    edits: decided.flatMap((one) => ('resource' in one ? one : [])),
    left: decided.flatMap((one) => ('reason' in one ? one : [])),
  };
}

/** Returns nothing if a plan would change nothing. */
function decide(desired: DesiredFeature, feature: LiveFeature): readonly (FieldEdit | NotMerged)[] {
  const key = FEATURES.nameOf(desired.key);
  if (desired.kind === 'retired') return [{ key, reason: 'declared-deleted' }];
  const live = { id: feature.id, key: desired.key, feature };
  const [change] = changeFeature({ desired, live }).changes;
  if (change === undefined) return [];
  return [{ resource: 'early_access', key, fields: pickFields(canonicalFeature(feature), fieldsIn(change.fields)) }];
}

/** Ids of live features that no manifest offers, of flags that are declared for the project. */
function undeclared({ read, project, projects, live }: EditingContext, flags: readonly Flag[]): ReadonlySet<string> {
  const declared = new Set(EDITED.flags.desired(read.resolve(project).desired).map(({ key }) => key));
  const offered = projects.flatMap((one) => FEATURES.desired(read.resolve(one).desired).map(({ flag }) => flag));
  const open = new Set(flags.filter(({ key }) => declared.has(key) && !offered.includes(key)).map(({ id }) => id));
  const found = (live.early_access ?? []).filter(({ id, stage }) => stage !== ARCHIVED && open.has(id));
  return new Set(found.map(({ id }) => String(id)));
}
