/** Known facts about a resource whose key no live resource has now: a create under that key could replace it. */

import type { ResourceId } from './snapshot.ts';
import { namedKeys, type DesiredResource } from './desired.ts';

export type Trace = FormerHolder | UnknownHolder;

/** The newest resource that had the key. Live state holds it under its id: deleted, or under another key. */
export interface FormerHolder {
  readonly kind: 'former';
  readonly key: string;
  readonly id: ResourceId;
  /** `recorded`: an apply wrote the resource under the key. `logged`: the service's log says that it had the key. */
  readonly evidence: 'recorded' | 'logged';
  /** When it lost the key, ISO 8601; absent if only a record names it. */
  readonly since?: string;
}

/** Whether a resource had the key could not be found out. */
interface UnknownHolder {
  readonly kind: 'unknown';
  readonly key: string;
  readonly why: UnknownReason;
}

/**
 * `forbidden`: this API key may not read the log. `failed`: the log could not be read. `too_long`: the log is longer than what
 * a plan reads of it. `not_read`: the snapshot in place of the service does not tell.
 */
export type UnknownReason = 'forbidden' | 'failed' | 'too_long' | 'not_read';

/** The keys whose former holders a plan must know, given the keys that live resources have. */
export function findMissingKeys(desired: readonly DesiredResource[], live: ReadonlySet<string>): readonly string[] {
  return desired.flatMap((resource) => {
    if (resource.kind === 'retired' || live.has(resource.key)) return [];
    const keys = namedKeys(resource);
    return keys.some((key) => live.has(key)) ? [resource.key] : keys;
  });
}
