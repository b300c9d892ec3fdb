/**
 * Keeps flags until they are written, also by another process, so that a version of a flag is parsed once and stays one object:
 * what is computed from it alone can be kept with it.
 */

import { stringifyJson } from '../../../src/base/json-text.ts';
import type { SqlDatabase } from './database.ts';
import { type FlagRow, type StoredFlag, parseFlag } from './flag.ts';
import { versionReader } from './memory.ts';

export interface KeptFlags {
  /** The flags whose ids `select` finds, in its order. */
  read(select: () => readonly number[]): StoredFlag[];
  /** Called before each write of the flag. */
  forget(id: number): void;
  /** Called when a transaction is rolled back, of which kept flags may be. */
  forgetAll(): void;
}

/** The characters of the stored texts of all kept flags. What is made of them takes about ten times as many bytes. */
const MOST_KEPT = 8_000_000;

/** Flags beyond `most` are parsed each time. */
export function keepFlags(database: SqlDatabase, most: number = MOST_KEPT): KeptFlags {
  const readVersion = versionReader(database);
  const rows = database.all<FlagRow & { readonly size: number }>(
    'SELECT *, length(fields) + length(filters) AS size FROM flag WHERE id IN (SELECT value FROM json_each(?))',
  );
  const kept = new Map<number, { readonly flag: StoredFlag; readonly size: number }>();
  let [seen, room] = [-1, most];
  const forget = (id: number): void => {
    room += kept.get(id)?.size ?? 0;
    kept.delete(id);
  };
  const forgetAll = (): void => {
    kept.clear();
    room = most;
  };
  const load = (ids: readonly number[]): StoredFlag[] => {
    const missing = ids.filter((id) => !kept.has(id));
    const loaded = new Map<number, StoredFlag>();
    for (const row of missing.length === 0 ? [] : rows(stringifyJson(missing))) {
      const flag = parseFlag(row);
      const { size } = row;
      if (flag === undefined) continue;
      loaded.set(flag.id, flag);
      if (size > room) continue;
      kept.set(flag.id, { flag, size });
      room -= size;
    }
    return ids.flatMap((id) => kept.get(id)?.flag ?? loaded.get(id) ?? []);
  };
  const read = (select: () => readonly number[]): StoredFlag[] => {
    const version = readVersion();
    if (version !== seen) forgetAll();
    seen = version;
    const flags = load(select());
    // Another process wrote in between: ids and flags may be of two states.
    return readVersion() === version ? flags : read(select);
  };
  return { read, forget, forgetAll };
}
