/** The words for early access features in reports. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { Labels } from '../../engine/labels.ts';
import type { FeatureChange } from './change.ts';

export const EARLY_ACCESS_LABELS: Labels<FeatureChange> = {
  noun: 'early access feature',
  plural: 'early access features',
  qualifier: ' (early access)',
  field: (pointer) => (pointer === '' ? 'early access feature' : fromPointer(pointer).join('.')),
  unit: () => '',
  absent: () => undefined,
  identity: (change, detailed) =>
    change.action === 'create' ? [] : detailed ? [`flag id ${change.id}`, change.feature_id] : [`flag id ${change.id}`],
  target: () => ' (early access)',
  drift: ({ action }) => DRIFT[action],
  consequences: ({ flag, enrolment }, quote) =>
    enrolment === undefined
      ? []
      : enrolment === 'starts'
        ? [
            `Enrolment starts: whoever enrolled gets ${quote(flag)} and whoever declined does not, whatever its conditions say.`,
          ]
        : [`Enrolment ends: from now on the conditions of ${quote(flag)} decide for everybody.`],
  // The service records no changes of early access features.
  lastEdit: () => undefined,
  need: 'the early access feature ',
  keyOfRef: (ref) => ref.slice(ref.indexOf(':') + 1),
  answeredId: () => 'id',
};

const DRIFT: Readonly<Record<FeatureChange['action'], string>> = {
  create: ' (early access) is declared but does not exist in the project',
  update: ' (early access)',
  delete: ' (early access) is declared as deleted but not archived',
};
