/** The words for early access features in reports. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { Labels } from '../../engine/labels.ts';
import { mustLeaveStage } from './canonical.ts';
import type { FeatureChange } from './change.ts';

export const EARLY_ACCESS_LABELS: Labels<FeatureChange> = {
  noun: 'early access feature',
  plural: 'early access features',
  qualifier: ' (early access)',
  field: (pointer) => (pointer === '' ? 'early access feature' : fromPointer(pointer).join('.')),
  unit: () => '',
  absent: () => undefined,
  identity: (change, detailed) => {
    if (change.action === 'create') return [];
    return [`flag id ${change.id}`, ...(detailed ? [change.feature_id] : [])];
  },
  target: () => ' (early access)',
  drift: ({ action }) => DRIFT[action],
  consequences: (change, quote) => [
    ...(change.enrolment === undefined ? [] : [CONSEQUENCES[change.enrolment](quote(change.flag))]),
    ...(mustLeaveStage(change)
      ? ['PostHog starts it only on the way from draft, so the stage is draft for a moment.']
      : []),
  ],
  // The service records no changes of early access features.
  lastEdit: () => undefined,
  need: 'the early access feature ',
  keyOfRef: (ref) => ref.slice(ref.indexOf(':') + 1),
  answeredId: () => 'id',
};

const CONSEQUENCES: Readonly<Record<NonNullable<FeatureChange['enrolment']>, (flag: string) => string>> = {
  starts: (flag) =>
    `Enrolment starts: people who enrolled get ${flag} and people who declined do not, whatever its conditions say.`,
  ends: (flag) => `Enrolment ends: from now on the conditions of ${flag} decide for everybody.`,
};

const DRIFT: Readonly<Record<FeatureChange['action'], string>> = {
  create: ' (early access) is declared but does not exist in the project',
  update: ' (early access)',
  delete: ' (early access) is declared as deleted but not archived',
};
