/** Checks the fields of a flag against each other, as PostHog does. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonArray } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { FilterSettings } from '../filters/types.ts';
import { checkDependencies } from './dependencies.ts';

export function checkFlag({ rules, store }: ServiceContext, flag: StoredFlag): void {
  if (!rules.guards) return;
  const before = store.flags.find(flag.projectId, flag.id);
  if (flag.archived && flag.active) {
    throw invalidInput('An archived flag cannot be active.');
  }
  const { fields } = flag;
  // A flag that already has both keeps them.
  if (hasContinuousDevices(flag) && (before === undefined || !hasContinuousDevices(before))) {
    const detail = 'Bucketing by device_id cannot be combined with ensure_experience_continuity.';
    throw invalidInput(detail);
  }
  if (fields['has_encrypted_payloads'] === true && fields['is_remote_configuration'] !== true) {
    throw invalidInput('Encrypted payloads require a remote configuration.');
  }
  checkDashboards(flag, () => store.flags.dashboards.all(flag.projectId));
}

function hasContinuousDevices({ fields }: StoredFlag): boolean {
  return fields['bucketing_identifier'] === 'device_id' && fields['ensure_experience_continuity'] === true;
}

/** Dashboards are not served: those exist that a flag of the seed has. */
function checkDashboards({ fields }: StoredFlag, read: () => ReadonlySet<number>): void {
  const { analytics_dashboards: sent } = fields;
  if (!isJsonArray(sent) || sent.length === 0) return;
  const known = read();
  const unknown = sent.find((id) => !known.has(Number(id)));
  if (unknown !== undefined) {
    throw invalid('does_not_exist', `The dashboard ${stringifyJson(unknown)} does not exist.`, 'analytics_dashboards');
  }
}

/** `before`: the flag before the change; absent for a new flag. */
export function filterContext(service: ServiceContext, flag: StoredFlag, before?: StoredFlag): FilterSettings {
  const { store } = service;
  return {
    isRemoteConfiguration: flag.fields['is_remote_configuration'] === true,
    isEncrypted: flag.fields['has_encrypted_payloads'] === true,
    wasEncrypted: before?.fields['has_encrypted_payloads'] === true,
    findCohort: (id) => store.cohorts.find(flag.projectId, id),
    checkDependencies: (filters) => checkDependencies(service, { ...flag, filters }),
  };
}
