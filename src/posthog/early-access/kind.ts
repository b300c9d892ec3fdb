/** Early access features as a kind of resource. */

import { arrayOrEmpty } from '../../base/json.ts';
import type { Needs } from '../../engine/kind.ts';
import type { KindOf, Reads } from '../kind.ts';
import { nameResource } from '../names/resource-name.ts';
import type { Change } from '../plan.ts';
import { assessFeatures } from './assess.ts';
import type { FeatureChange, FeatureRisk, FeatureWarning } from './change.ts';
import type { ExportedFeature } from './export.ts';
import { changeFeature, leaveFeature } from './find-changes.ts';
import { EARLY_ACCESS_FAMILY } from './family.ts';
import type { DesiredFeature, FeatureSnapshot, LiveFeature, MatchedFeature } from './feature.ts';
import { invertFeatureChange } from './invert.ts';
import type { EarlyAccessProblems } from './problems.ts';
import type { FeatureRun } from './run-state.ts';
import { featureWriter } from './write.ts';

export interface EarlyAccessTypes {
  readonly section: 'early_access';
  readonly change: FeatureChange;
  readonly warning: FeatureWarning;
  readonly risk: FeatureRisk;
  readonly problems: EarlyAccessProblems;
  readonly desired: DesiredFeature;
  readonly live: LiveFeature;
  readonly matched: MatchedFeature;
  readonly snapshot: FeatureSnapshot;
  readonly run: FeatureRun;
  readonly exported: ExportedFeature;
}

/** The list has every feature. Its flag may be archived, so it is read by key. */
const READS: Reads<FeatureChange, DesiredFeature> = {
  toPlan: ({ flag }) => ({ early_access: {}, flags: { keys: [flag] } }),
  toApply: ({ flag }, { liveKey, created }) => ({
    early_access: {},
    flags: { keys: created.has(flag) ? [] : [liveKey(flag)] },
  }),
  toUndo: ({ id }, answered) => ({
    early_access: {},
    flags: { ids: [id ?? answered].filter((one) => typeof one === 'number') },
  }),
};

export const EARLY_ACCESS: KindOf<'early_access'> = {
  name: 'early_access',
  family: EARLY_ACCESS_FAMILY,
  // Today's service names the features of a flag in the flag.
  isPresent: ({ desired, live, former }) =>
    [desired, live, former].some((state) => (state?.early_access ?? []).length > 0) ||
    live?.flags.some((flag) => arrayOrEmpty(flag['features']).length > 0) === true,
  keyless: true,
  countedIfAny: true,
  actions: ['create', 'update', 'delete'],

  compare: (match) => changeFeature(match),
  dependencies: ({ flag }) => [flag],
  findNeeds,

  parts: ({ fields }) => fields,
  leave: leaveFeature,
  effects: effectsOf,
  liveKey: ({ key }) => nameResource('early_access', key),
  assess: assessFeatures,

  invert: (applied, { early_access: features }) => invertFeatureChange(applied, features),
  rename: (change) => change,

  findLeftOutParts: () => [],
  reads: READS,
  writer: featureWriter,
};

/** The end of enrolment takes the flag away from those who enrolled, so the limits and protections of disables apply. */
function effectsOf({ action, enrolment }: FeatureChange): ReturnType<(typeof EARLY_ACCESS)['effects']> {
  const ends = enrolment === 'ends' ? (['disable'] as const) : [];
  if (action === 'create') return [];
  return action === 'delete' ? ['delete', ...ends] : ['update', ...ends];
}

/**
 * Makes each feature wait for all other changes of its flag. Writing a feature also changes its flag, and the changes of the flag must not
 * mistake that for another user's edit.
 */
function findNeeds(changes: readonly Change[]): Needs {
  const byFlag = new Map<string, string[]>();
  for (const change of changes) {
    if (change.resource !== 'flag' || change.action === 'delete') continue;
    byFlag.set(change.key, [...(byFlag.get(change.key) ?? []), change.ref]);
  }
  return new Map(
    changes.flatMap((change) => {
      const needs = change.resource === 'early_access' ? byFlag.get(change.flag) : undefined;
      return needs === undefined ? [] : [[change.ref, needs] as const];
    }),
  );
}
