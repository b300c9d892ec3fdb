/** A snapshot file: live state of one project at one time, for plans without a key. Nothing is applied from it. */

import type { Progress } from '../../rollout/rollout.ts';
import type { EarlierBase } from '../../engine/base.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { LiveState } from '../live.ts';

/** The major number grows when readers of the old form would misread the new one. */
export const SNAPSHOT_FORMAT_VERSION = '1.0';

export interface SavedSnapshot {
  readonly project: ProjectIdentity;
  /** When the service was read, ISO 8601, UTC. */
  readonly takenAt: string;
  /** The commit that had been applied last; absent if it was unknown. */
  readonly base?: string;
  /** The differences that applies had left; absent if there are none. */
  readonly earlier?: readonly EarlierBase[];
  /** How far the rollouts of that commit had come; absent if it has none. */
  readonly rollouts?: readonly Progress[];
  /** Role ids by name, as manifests may name them. */
  readonly roles: Readonly<Record<string, string>>;
  /** Every flag, archived ones included, and every cohort that the key could read. */
  readonly live: LiveState;
}

/** The facts in a report about the snapshot that a plan was made against. */
export interface Against {
  readonly taken_at: string;
  /** When the plan was made; negative where the clocks differ. */
  readonly age_seconds: number;
  /** The fingerprint of the file. */
  readonly fingerprint: string;
}
