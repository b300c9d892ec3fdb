/** Early access features as a kind of resource. */

import type { KindOf } from '../model.ts';
import { nameResource } from '../resource-name.ts';
import { assessFeatures } from './assess.ts';
import type { FeatureChange } from './change.ts';
import { changeFeature } from './changes.ts';
import { EARLY_ACCESS_FAMILY } from './family.ts';
import { invertFeatureChange } from './invert.ts';
import { leaveFeature } from './leave.ts';
import { findFeatureNeeds } from './needs.ts';
import { FEATURE_READS } from './reads.ts';
import { featureWriter } from './write.ts';

export const EARLY_ACCESS: KindOf<'early_access'> = {
  name: 'early_access',
  family: EARLY_ACCESS_FAMILY,
  keyless: true,
  countedIfAny: true,
  actions: ['create', 'update', 'delete'],

  compare: (match) => changeFeature(match),
  dependencies: ({ flag }) => [flag],
  findNeeds: findFeatureNeeds,

  parts: ({ fields }) => fields,
  leave: leaveFeature,
  effects: effectsOf,
  liveKey: ({ key }) => nameResource('early_access', key),
  assess: assessFeatures,

  invert: (applied, { early_access: features }) => invertFeatureChange(applied, features),
  rename: (change) => change,

  findUnwritten: () => [],
  reads: FEATURE_READS,
  writer: featureWriter,
};

/** Where enrolment ends, whoever had the flag by it loses the flag: the limits and protections of disables count. */
function effectsOf({ action, enrolment }: FeatureChange): ReturnType<(typeof EARLY_ACCESS)['effects']> {
  const ends = enrolment === 'ends' ? (['disable'] as const) : [];
  if (action === 'create') return [];
  return action === 'delete' ? ['delete', ...ends] : ['update', ...ends];
}
