/** Early access features, as editing sees them. The alias that declares one names its flag, which identifies it. */

import { definedKeys, memberOf, type JsonObject } from '../../base/json.ts';
import { fieldsIn, pickFields } from '../../core/engine/field-kind.ts';
import { writeDeclarations } from '../../loop/export/further.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { FeatureChange } from '../../posthog/early-access/change.ts';
import { chooseAlias } from '../../posthog/early-access/family.ts';
import {
  ARCHIVED,
  canonicalFeature,
  compareFeature,
  FEATURE_MEMBERS,
  findByFlag,
  type DesiredFeature,
  type LiveFeature,
} from '../../posthog/early-access/feature.ts';
import { changeFeature } from '../../posthog/early-access/kind.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import type { LiveState } from '../../posthog/live.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';
import type { EditingContext } from '../context.ts';
import type { FieldEdit, LeftFlag, LeftReason } from '../edit.ts';
import type { Declaring, Differing, EditCandidate, EditOr, FurtherFacet, MergeDecision } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import type { PromotionSource } from '../promotion.ts';
import { fieldFacet } from './field-facet.ts';

const FEATURES = EDITED.early_access;

export const FEATURE_FACET: FurtherFacet<DesiredFeature> = {
  // Every field is one value, and an empty string means the same as none.
  ...fieldFacet<DesiredFeature>({
    kind: FEATURES,
    resource: 'early_access',
    parts: { description: 'description' },
    usual: (field, wanted) => memberOf(canonicalFeature(wanted), field) ?? '',
    meansOf:
      (field, { wanted }) =>
      (value) =>
        hasFields({ [field]: value }, wanted),
    hasFields,
    // The feature of the other project offers the flag of the same key, which must be declared there too.
    cross: (fields, { source: { flag }, crossing: { known, to } }) =>
      flag === undefined || known.has(flag)
        ? { fields }
        : { reason: { code: 'dependency-missing', dependency: flag, project: to.name } },
  }),

  fromLive,
  sources,
  needs: ({ flag }) => (flag === undefined ? [] : [flag]),
  comparableValuesOf: ({ fields }) => ({ fields: canonicalFeature(fields), isPartial: true }),

  identify,
  exported: ({ context, writing }, open) => {
    const names = lookupNames(context.live.flags, context.project);
    const files = writeDeclarations('early_access', chosenOf(open, context), { names, options: writing });
    return { files, left: [] };
  },
  findDiffering: ({ context }, after, open) => {
    const declared = new Map(
      FEATURES.desired(after.resolve(context.project).desired).map((one) => [one.key, one] as const),
    );
    return chosenOf(open, context).flatMap(({ key, flag, live: feature }) => {
      const desired = declared.get(key);
      const isSame = desired?.flag === flag && changeOf(desired, feature) === undefined;
      return isSame ? [] : [nameResource('early_access', flag)];
    });
  },

  // Features have the ids of their flags.
  idsOf: (flags) => new Set(flags.map(({ id }) => id)),
  find: (declared, live) => liveOf(declared, live)?.id,
  match: (desired, live) => ({
    // Features have no names in the configuration.
    found: {},
    pairs: FEATURES.desired(desired).map((one) => {
      const feature = liveOf(one, live);
      if (feature === undefined) return { desired: one };
      return { desired: one, live: { id: feature.id, decide: () => decide(one, feature) } };
    }),
  }),
  // Features that no manifest offers, of flags that are declared for the project.
  undeclared: ({ read, project, projects, live }, flags) => {
    const declared = new Set(EDITED.flags.desired(read.resolve(project).desired).map(({ key }) => key));
    const offered = offeredIn(projects, read);
    const open = new Set(flags.filter(({ key }) => declared.has(key) && !offered.has(key)).map(({ id }) => id));
    const found = (live.early_access ?? []).filter(({ id, stage }) => stage !== ARCHIVED && open.has(id));
    return new Set(found.map(({ id }) => String(id)));
  },
  // An archived feature offers nothing: a manifest declares it as deleted or not at all.
  unmanaged: ({ desired, live }) => {
    const managed = new Set(FEATURES.desired(desired).map(({ flag }) => flag));
    const keys = new Map(live.flags.map(({ id, key }) => [id, key]));
    return (live.early_access ?? []).flatMap(({ id, name, stage }) => {
      const flag = keys.get(id);
      if (flag === undefined || managed.has(flag) || stage === ARCHIVED) return [];
      return [{ id, names: [flag, name].map((one) => nameResource('early_access', one)) }];
    });
  },
  idNamed: (name, live) => findByFlag(readName(name).key, live)?.id,
};

function hasFields(declared: JsonObject, wanted: JsonObject): boolean {
  const live = { id: 0, feature_id: '', name: '', stage: '', ...declared };
  return (
    definedKeys(wanted).every((name) => Object.hasOwn(declared, name)) && compareFeature(wanted, live).length === 0
  );
}

/** A feature that was deleted for good is declared as deleted: the declaration then asks for no feature. */
function fromLive({ key, found, context }: Differing): EditOr<FieldEdit, LeftReason> {
  const { read, project, snapshot } = context;
  const actions = new Set(found.map(({ change }) => change.action));
  if (actions.has('create') && found.some(({ divergence }) => divergence === 'drifted')) {
    return { edit: { resource: 'early_access', key, deleted: true } };
  }
  const id = found.find(({ change }) => change.id !== undefined)?.change.id;
  const live = id === undefined ? undefined : snapshot.early_access.byId(id);
  if (live === undefined) return { reason: { code: 'not-live' } };
  if (actions.has('delete')) {
    // The fields that the declaration has, also where it declares the feature as deleted.
    const declaration = read.declarations.get(key);
    const declared = declaration === undefined ? {} : layerDeclaration(declaration, project.name).value;
    const fields = pickFields(
      live,
      FEATURE_MEMBERS.filter((name) => (declared[name] ?? null) !== null),
    );
    return { edit: { resource: 'early_access', key, deleted: false, fields } };
  }
  // Who is enrolled follows from the stage: no manifest declares that it does not.
  if (found.some(({ path }) => path === '/enrollment')) return { reason: { code: 'reads-differently' } };
  return { edit: { resource: 'early_access', key, fields: pickFields(live, fieldsIn(found)) } };
}

function sources(desired: DesiredState, live: LiveState | undefined): ReadonlyMap<string, PromotionSource> {
  return new Map(
    FEATURES.desired(desired).flatMap((one): [string, PromotionSource][] => {
      if (one.kind === 'retired') return [];
      const { key, flag, fields } = one;
      if (live === undefined) return [[FEATURES.nameOf(key), { fields, flag }]];
      const held = findByFlag(flag, live);
      if (held === undefined) return [];
      return [[FEATURES.nameOf(key), { fields: pickFields(canonicalFeature(held), definedKeys(fields)), flag }]];
    }),
  );
}

function identify({ keys, context }: Declaring): ReturnType<FurtherFacet['identify']> {
  const { read, live, projects, snapshot } = context;
  const declaredFor = offeredIn(projects, read);
  const taken = new Set(
    [...read.declarations.values()].flatMap(({ section, key }) => (section === FEATURES.section ? key : [])),
  );
  const open: EditCandidate[] = [];
  const left: LeftFlag[] = [];
  for (const { id, stage } of live.early_access ?? []) {
    const flag = snapshot.flags.keyOf(id);
    if (flag === undefined || stage === ARCHIVED || !keys.has(String(id))) continue;
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

/** The keys of the flags whose features manifests declare for any project. */
function offeredIn(projects: EditingContext['projects'], read: EditingContext['read']): ReadonlySet<string> {
  return new Set(projects.flatMap((one) => FEATURES.desired(read.resolve(one).desired).map(({ flag }) => flag)));
}

/** `key`: the alias. */
function chosenOf(
  open: readonly EditCandidate[],
  { live, snapshot }: EditingContext,
): readonly { readonly key: string; readonly flag: string; readonly live: LiveFeature }[] {
  const byName = new Map(
    (live.early_access ?? []).flatMap((feature) => {
      const flag = snapshot.flags.keyOf(feature.id);
      return flag === undefined ? [] : [[nameResource('early_access', flag), { live: feature, flag }] as const];
    }),
  );
  return open.flatMap(({ key, declared }) => {
    const one = byName.get(key);
    return one === undefined ? [] : [{ ...one, key: declared }];
  });
}

/** An archived feature offers nothing, so the project counts as without it, unless manifests declare it as archived. */
function liveOf(declared: DesiredFeature, live: LiveState): LiveFeature | undefined {
  const feature = findByFlag(declared.flag, live);
  const isMeant = declared.kind === 'declared' && declared.fields['stage'] === ARCHIVED;
  return feature?.stage === ARCHIVED && !isMeant ? undefined : feature;
}

function decide(desired: DesiredFeature, feature: LiveFeature): MergeDecision {
  if (desired.kind === 'retired') return 'declared-deleted';
  const change = changeOf(desired, feature);
  return change && pickFields(canonicalFeature(feature), fieldsIn(change.fields));
}

function changeOf(desired: DesiredFeature, feature: LiveFeature): FeatureChange | undefined {
  return changeFeature({ desired, live: { id: feature.id, key: desired.key, feature } }).changes[0];
}
