/** Live state: what the service holds of one project, as far as a run had to read it. */

import type { Flag } from './flag/flag.ts';
import type { RoleAccessEntry } from './role-access/entry.ts';

export interface LiveState {
  /** Every flag that the service lists, and the archived ones where those had to be looked for. */
  readonly flags: readonly Flag[];
  /** Role access by flag id (as text), only for flags whose role access is managed. */
  readonly roleAccess: Readonly<Record<string, readonly RoleAccessEntry[]>>;
}
