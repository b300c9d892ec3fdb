/** Live flags as one value. A flag is made comparable when it is first compared, and only once. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { indexResources, type Snapshot } from '../../engine/snapshot.ts';
import type { LiveState } from '../live.ts';
import { comparableFlag } from './comparison.ts';
import { dependencyGraph, type DependencyGraph } from './dependencies.ts';
import type { Flag } from './flag.ts';
import type { FlagNames } from './names.ts';
import type { TurnedOffFlags } from '../turned-off.ts';

export interface FlagSnapshot extends Snapshot<Flag>, FlagNames {
  /** Every field of a live flag that is ever compared, in canonical form and with dependencies by key. */
  readonly comparable: (flag: Flag) => JsonObject;
  /** The flags that a recorded run turned off; absent if none was, or if no journal was read. */
  readonly turnedOff?: TurnedOffFlags;
  /** The dependencies between the flags. */
  readonly graph: () => DependencyGraph;
}

/** The flags of live state. */
export function takeFlagSnapshot({ flags, hasPayloadDigests, turnedOff }: LiveState): FlagSnapshot {
  return snapshotFlags({ ...indexResources(flags), ...defined({ hasPayloadDigests, turnedOff }) });
}

/** The key and the comparable form of a flag depend on the names of the flags, so one snapshot has all. */
export function snapshotFlags(flags: Snapshot<Flag> & FlagNames & Pick<FlagSnapshot, 'turnedOff'>): FlagSnapshot {
  // Plans go through flags one by one. To keep the forms of all would cost more than it saves.
  let last: { readonly flag: Flag; readonly form: JsonObject } | undefined;
  let graph: DependencyGraph | undefined;
  return {
    ...flags,
    comparable: (flag) => {
      if (last?.flag !== flag) last = { flag, form: comparableFlag(flag, flags) };
      return last.form;
    },
    graph: () => (graph ??= dependencyGraph(flags.all, flags)),
  };
}
