/** Keeps what was computed from flags, cohorts and groups until one of them is written, also by another process. */

import type { SqlDatabase } from './database.ts';

export interface Memory {
  /** The value that `read` returned at the last call with this name, unless something was written since. */
  remember<T>(name: string, read: () => T): T;
  /** Forgets everything. Called after each write, and when a transaction is rolled back. */
  forget(): void;
}

export function createMemory(database: SqlDatabase): Memory {
  const readVersion = versionReader(database);
  const values = new Map<string, unknown>();
  let seen = -1;
  return {
    remember: <T>(name: string, read: () => T): T => {
      const current = readVersion();
      if (current !== seen) values.clear();
      seen = current;
      if (values.has(name)) return values.get(name) as T;
      const value = read();
      values.set(name, value);
      return value;
    },
    forget: () => values.clear(),
  };
}

/** A number that changes when another connection writes, not when this one does. */
export function versionReader(database: SqlDatabase): () => number {
  const version = database.get<{ data_version: number }>('PRAGMA data_version');
  return () => version()?.data_version ?? 0;
}

/** The same store, whose named writes make the memory forget. */
export function forgetting<Store extends object>(
  store: Store,
  memory: Memory,
  writes: readonly (keyof Store)[],
): Store {
  const wrapped = writes.map((name) => {
    const write = store[name] as (...values: readonly unknown[]) => unknown;
    const forget = (...values: readonly unknown[]): unknown => {
      memory.forget();
      return write(...values);
    };
    return [name, forget] as const;
  });
  return { ...store, ...Object.fromEntries(wrapped) };
}
