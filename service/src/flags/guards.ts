/** Refuses changes that break running experiments, early access features or dependent flags, as PostHog does. */

import { arrayOrEmpty, isJsonArray, isJsonObject } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { activeDependents, disabledDependencies } from './dependencies.ts';
import { variantKeys } from '../filters/conditions.ts';

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
