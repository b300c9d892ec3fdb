/** The public part of the embedded service: everything that the rest imports of it. */

import type { EmbeddedOptions, EmbeddedService } from './options.ts';

export type { EmbeddedOptions, EmbeddedService } from './options.ts';
export { PROFILES, type Profile } from './handler/profile.ts';
export type { SeededProject } from './seed/register.ts';
export type { FlagDeclaration, ProjectDeclaration } from './declare/declaration.ts';
export type { RequestRecord } from './answering/request.ts';
export type { EditEffect, Effects, FaultMatch, FaultRule, When } from './faults/script.ts';

/**
 * Opens the database, loads the seed into an empty project, and listens. Throws `FlagwrightError`: `usage` for invalid
 * options (a seed or fault script that breaks its schema, a port in use), `file` for a database that cannot be opened
 * or a missing libsql.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedService> {
  // Loaded only here, so that a run without the service does not pay for it.
  const { startService } = await import('./service.ts');
  return startService(options);
}

/** Throws `FlagwrightError` `file` if SQLite, an optional part of the installation, cannot be loaded. */
export async function loadSqlite(): Promise<void> {
  const { loadLibsql } = await import('./store/libsql.ts');
  loadLibsql();
}
