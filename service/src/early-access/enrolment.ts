/** Writes the stage of an early access feature into its flag: in active stages, the flag enrols people. */

import type { JsonObject } from '../../../src/base/json.ts';
import { gate } from '../approvals/gate.ts';
import { changeFlag } from '../flags/change.ts';
import { draftOf } from '../flags/draft.ts';
import { canEdit } from '../flags/serialise.ts';
import type { Answer, ServiceContext } from '../handler/call.ts';
import { forbidden } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { StoredFeature } from '../store/early-access-features.ts';
import { linkedForm } from './serialise.ts';

/** An approval policy can cover it: the answer in place of the write. Runs in the transaction of the caller. */
export function startEnrolment(service: ServiceContext, flag: StoredFlag): Answer | undefined {
  checkEditable(flag);
  const values: JsonObject = { filters: { feature_enrollment: true } };
  const { projectId } = flag;
  const asked = gate(service, { projectId, before: flag, values, draft: draftOf(service, flag, values) });
  if (asked === undefined) changeFlag(service, { before: flag, values });
  return asked;
}

/** No policy covers it. The flag is written even if it enrolled nobody. */
export function endEnrolment(service: ServiceContext, flag: StoredFlag): void {
  checkEditable(flag);
  changeFlag(service, { before: flag, values: { filters: { feature_enrollment: null } } });
}

/** The flag of a feature, also a deleted one. */
export function flagOf({ store }: ServiceContext, { projectId, flagId }: StoredFeature): StoredFlag | undefined {
  return flagId === null ? undefined : store.flags.find(projectId, flagId);
}

/** Makes the flag list its features as they are stored. */
export function relist(service: ServiceContext, feature: StoredFeature): void {
  const flag = flagOf(service, feature);
  if (flag === undefined) return;
  const features = service.store.earlyAccessFeatures.listByFlag(flag.id).map(linkedForm);
  service.store.flags.update({ ...flag, fields: { ...flag.fields, features } });
}

function checkEditable(flag: StoredFlag): void {
  if (!canEdit(flag)) throw forbidden('You do not have permission to modify the linked feature flag.');
}
