/** Checks a flag as PostHog does: its fields against each other, and a change against experiments, early access features and dependent flags. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { arrayOrEmpty, isJsonArray, isJsonObject } from '../../../src/base/json.ts';
import { variantKeys } from '../filters/conditions.ts';
import type { FilterSettings } from '../filters/rules.ts';
import type { ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { activeDependents, checkDependencies, disabledDependencies } from './dependencies.ts';

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

/** Throws a 400 where the change from `before` to `after` breaks something. */
export function checkGuards(service: ServiceContext, before: StoredFlag, after: StoredFlag): void {
  const isDeleted = after.deleted && !before.deleted;
  const isDisabled = !after.active && before.active;
  if (isDeleted && arrayOrEmpty(before.fields['features']).length > 0) {
    throw invalidInput('The flag is used by early access features and cannot be deleted before them.');
  }
  if (isDeleted && hasRunningExperiment(before)) {
    throw invalidInput('The flag is used by a running experiment and cannot be deleted.');
  }
  if (isDeleted && before.fields['is_used_in_replay_settings'] === true) {
    throw invalidInput('The flag is used by the settings of session replay and cannot be deleted.');
  }
  if (isDeleted || isDisabled) {
    const dependents = activeDependents(service, before).map(({ key }) => key);
    if (dependents.length > 0) {
      throw invalidInput(`Other active flags depend on this flag: ${dependents.join(', ')}.`);
    }
  }
  if (after.active && !before.active) {
    // The refusal holds even if the same request removes the dependency; see "PATCH" in docs/service.md.
    const disabled = disabledDependencies(service, before);
    if (disabled.length > 0) throw invalidInput(`The flag depends on disabled flags: ${disabled.join(', ')}.`);
  }
  const kept = variantKeys(after.filters);
  if (hasRunningExperiment(before) && variantKeys(before.filters).some((variant) => !kept.includes(variant))) {
    throw invalid('invalid_input', 'A variant of a running experiment cannot be removed.', 'filters');
  }
}

function hasRunningExperiment(flag: StoredFlag): boolean {
  const experiments = flag.fields['experiment_set_metadata'];
  return isJsonArray(experiments) && experiments.some((one) => isJsonObject(one) && one['is_running'] === true);
}
