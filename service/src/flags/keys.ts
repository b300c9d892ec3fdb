/**
 * The rules for keys of flags: they are unique among live flags, deleted flags free theirs, and a flag with experiments gets another key
 * when it is deleted.
 */

import { arrayOrEmpty } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';

/** Throws a 400 for a key that breaks the profile's pattern. */
export function checkKey({ rules }: ServiceContext, key: string): void {
  if (rules.keyPattern !== null && !rules.keyPattern.test(key)) {
    throw invalid('invalid_key', 'Only letters, digits, dashes and underscores are allowed.', 'key');
  }
}

/**
 * Frees a key for the flag with `id` (null for a new flag). A live holder is a 400 `unique`, and a deleted one with
 * experiments a 400; other deleted holders are removed for good with their role access.
 */
export function claimKey(
  { store, rules }: ServiceContext,
  projectId: string,
  wanted: { key: string; id: number | null },
): void {
  const holder = store.flags.findByKey(projectId, wanted.key);
  if (holder === undefined || holder.id === wanted.id) return;
  if (!holder.deleted) throw taken();
  // Deletion gives such a flag another key, so this one was deleted before the service did that.
  if (rules.deletedKeySuffix && hasExperiment(holder)) {
    throw invalidInput(`The key belongs to the deleted flag ${holder.id}, which has experiments.`);
  }
  store.flags.remove(holder.id);
}

/** Throws a 400 if a live flag has the key. */
export function checkFree({ store }: ServiceContext, { projectId, key }: Pick<StoredFlag, 'projectId' | 'key'>): void {
  if (store.flags.findByKey(projectId, key)?.deleted === false) throw taken();
}

function taken(): Error {
  return invalid('unique', 'There is already a feature flag with this key.', 'key');
}

/** The key of a flag after its deletion. */
export function keyAfterDelete({ rules }: ServiceContext, flag: StoredFlag): string {
  const suffix = deletedSuffix(flag);
  const isRenamed = rules.deletedKeySuffix && hasExperiment(flag) && !flag.key.endsWith(suffix);
  return isRenamed ? `${flag.key}${suffix}` : flag.key;
}

/**
 * The key of a flag after its restoration: the original one, with `-2`, `-3` … if another flag has it, even a
 * deleted one.
 */
export function keyAfterUndelete({ store, rules }: ServiceContext, flag: StoredFlag): string {
  const suffix = deletedSuffix(flag);
  if (!rules.deletedKeySuffix || !flag.key.endsWith(suffix)) return flag.key;
  const key = flag.key.slice(0, -suffix.length);
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? key : `${key}-${number}`;
    const holder = store.flags.findByKey(flag.projectId, candidate);
    if (holder === undefined || holder.id === flag.id) return candidate;
  }
}

function deletedSuffix(flag: StoredFlag): string {
  return `:deleted:${flag.id}`;
}

export function hasExperiment({ fields }: StoredFlag): boolean {
  return arrayOrEmpty(fields['experiment_set']).length > 0;
}
