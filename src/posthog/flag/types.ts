/** The types of flags as a kind of resource. */

import type { DesiredFlag } from '../desired.ts';
import type { FlagChange, FlagRisk, FlagWarning } from './change.ts';
import type { FlagProblems } from './checks/problems.ts';
import type { Flag } from './flag.ts';
import type { FlagRun } from './run-state.ts';
import type { FlagSnapshot } from './snapshot.ts';

export interface FlagTypes {
  readonly section: 'flags';
  readonly change: FlagChange;
  readonly warning: FlagWarning;
  readonly risk: FlagRisk;
  readonly problems: FlagProblems;
  readonly desired: DesiredFlag;
  readonly live: Flag;
  /** A live resource with the name that a plan gives it; of a flag the flag itself. */
  readonly matched: Flag;
  readonly snapshot: FlagSnapshot;
  readonly run: FlagRun;
}
