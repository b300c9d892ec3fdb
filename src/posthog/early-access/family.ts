/** Early access features as a family: how they are declared, matched, named, read and identified. */

import { defined } from '../../base/optional.ts';
import type { Identity } from '../../engine/desired.ts';
import { mixDeclared, knownFields } from '../../engine/field-kind.ts';
import { matchResources } from '../../engine/match.ts';
import { indexResources } from '../../engine/snapshot.ts';
import type { Family, MatchedFamily, ToMatch } from '../family.ts';
import { nameResource } from '../names/resource-name.ts';
import { canonicalFeature, parseFeaturePath } from './canonical.ts';
import { type DesiredFeature, snapshotFeatures, type MatchedFeature } from './feature.ts';
import { EXPLAINED_FEATURES } from './explain.ts';
import { FEATURE_BLOCK, FEATURE_ORDER } from './layout.ts';
import { COMPARABLE_FEATURES } from './parity-values.ts';
import { openFeatures } from './run-state.ts';
import { findFeature, listFeatures } from './write.ts';

export const EARLY_ACCESS_FAMILY: Family<'early_access'> = {
  section: 'early_access',
  refersTo: ['flags'],
  form: {
    block: FEATURE_BLOCK,
    order: FEATURE_ORDER,
    meaningOf: ({ key, flag, ...one }) => ({
      ...{ key, flag },
      ...(one.kind === 'retired' ? { retired: true } : { fields: one.fields }),
    }),
  },

  takeSnapshot: ({ early_access: features = [] }) => snapshotFeatures(features),
  match,
  // Features are known by the ids of their flags, which have their names already.
  name: ({ early_access: features, ...others }, names) => ({
    ...others,
    early_access: snapshotFeatures(features.all, new Set(names.map(([, id]) => id))),
  }),
  namesToUndo: () => [],

  // A rule about the flag is also about its feature, which decides who gets it.
  knownNames: ({ key, flag }) => [nameResource('early_access', key), flag],
  mix: mixDeclared,
  asLive: {
    // Features have the ids of their flags.
    idsOf: () => new Map(),
    known: (desired, former) =>
      desired.map((feature) => {
        const before = former.find(({ flag }) => flag === feature.flag);
        if (feature.kind === 'retired' || before === undefined) return feature;
        return { ...feature, fields: knownFields(feature.fields, before.fields) };
      }),
    toLive: ({ key, flag, fields }, { flags }) => ({
      name: key,
      stage: 'draft',
      ...canonicalFeature(fields),
      id: flags?.get(flag) ?? NO_FLAG,
      feature_id: '',
    }),
  },
  comparable: COMPARABLE_FEATURES,
  explained: EXPLAINED_FEATURES,
  // The service records no changes of features.
  inquire: () => [],

  parsePath: parseFeaturePath,
  fieldsOf: ({ feature }) => feature,

  list: listFeatures,
  find: findFeature,
  // The service records no changes of features, and a feature is found by its flag, so nothing tells more.
  findMissing: () => [],
  findRetired: () => [],
  trace: async () => ({ traces: [], found: [] }),

  openRun: ({ early_access: features = [] }, changes, { flags }) => openFeatures(features, changes, flags),
};

/** A feature is the one of its flag; an archived one keeps it. */
const BY_FLAG: Identity<DesiredFeature> = {
  namesOf: ({ flag }) => [flag],
  idOf: () => undefined,
  tracedAs: () => [],
  deletedKeepName: true,
  mayShareNames: false,
};

/** Unread state never counts as absent. */
function match({
  desired,
  live,
  former,
  snapshot: { flags },
}: ToMatch): MatchedFamily<DesiredFeature, MatchedFeature> | undefined {
  const { early_access: declared = [] } = desired;
  const base = former && (former.early_access ?? []);
  const isDeclared = declared.length > 0 || (base !== undefined && base.length > 0);
  if (!isDeclared || live.early_access === undefined) return undefined;
  const all = live.early_access.flatMap((feature): MatchedFeature[] => {
    const key = flags.keyOf(feature.id);
    return key === undefined ? [] : [{ id: feature.id, key, feature }];
  });
  const found = matchResources(declared, indexResources(all), { identity: BY_FLAG, ...defined({ base }) });
  const pairs = found.pairs.map((pair) => ({
    ...pair,
    ...defined({ live: pair.live && { ...pair.live, key: pair.desired.key } }),
  }));
  const taken = new Set(pairs.flatMap((pair) => pair.live?.id ?? []));
  return {
    matches: {
      pairs,
      unmanaged: [],
      namedElsewhere: [],
      warnings: [],
      renamed: new Map(),
      ...defined({ base: found.base }),
    },
    names: pairs.flatMap(({ desired: { key }, live: held }) => (held === undefined ? [] : [[key, held.id] as const])),
    warnings: [],
    shared: [],
    released: [...found.declaredLive].flatMap(([alias, one]) => (taken.has(one.id) ? [] : [{ ...one, key: alias }])),
  };
}

/** The id is unknown if the former manifests did not declare the flag. */
const NO_FLAG = 0;
