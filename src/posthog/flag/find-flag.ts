/** Reads flags by id or by key, and tolerates their absence. */

import type { Flag } from './model/flag.ts';
import type { ServiceClient } from '../service-client.ts';
import { unlessNotFound } from '../client/service-error.ts';

/** The flag, even when it is soft-deleted; `undefined` once a create with the same key has destroyed it. */
export async function findFlag(client: ServiceClient, id: number): Promise<Flag | undefined> {
  return unlessNotFound(client.getFlag(id));
}

interface FlagsByKey {
  readonly found: ReadonlyMap<string, Flag>;
  /** Every flag that the service lists, where all were read: services of 2023 ignore the key. */
  readonly all?: readonly Flag[];
  /** Flags whose keys differ from a selected one in case only. */
  readonly similar: readonly Flag[];
}

/** A list of more keys takes more requests than the pages of most projects. */
const MOST_KEYS = 10;

/**
 * Reads flags by their keys: one request for each key, or the list if that takes fewer. Archived flags count as found.
 * @throws {ServiceError} when a part cannot be read.
 */
export async function findFlagsByKey(client: ServiceClient, keys: readonly string[]): Promise<FlagsByKey> {
  const [first, ...others] = keys;
  if (first === undefined) return { found: new Map(), similar: [] };
  const listed = await client.listFlags(keys.length > MOST_KEYS ? {} : { key: first });
  const isWhole = keys.length > MOST_KEYS || listed.some(({ key }) => !isSimilar(key, first));
  const asked = isWhole ? [] : await Promise.all(others.map((key) => client.listFlags({ key })));
  const visible = [...listed, ...asked.flat()];
  const missing = keys.filter((key) => !visible.some((flag) => flag.key === key));
  // Services since 2026 hide archived flags from the list (docs/service.md, "Flag list").
  const mayHide = visible.length === 0 || visible.some((flag) => Object.hasOwn(flag, 'archived'));
  const archived = mayHide ? await Promise.all(missing.map((key) => client.listFlags({ key, archived: true }))) : [];
  const read = [...visible, ...archived.flat()];
  return {
    found: new Map(read.filter(({ key }) => keys.includes(key)).map((flag) => [flag.key, flag])),
    similar: read.filter(({ key }) => missing.some((one) => one !== key && isSimilar(key, one))),
    ...(isWhole ? { all: listed } : {}),
  };
}

function isSimilar(key: string, other: string): boolean {
  return key.toLowerCase() === other.toLowerCase();
}
