/** A run's knowledge of the project that it writes to: live state as it was read, and what its own writes changed. */

import type { Writer } from '../core/engine/writer.ts';
import type { ServiceClient } from './service-client.ts';
import { mapFamilies } from './families.ts';
import type { Flag } from './flag/model/flag.ts';
import type { FamilyName, FamilyTypes } from './kind-types.ts';
import type { LiveState } from './live.ts';
import type { Change } from './plan.ts';

/** Writes a kind of resource to this service. */
export type KindWriter<Change> = Writer<Change, RunState, ServiceClient, Flag>;

/** The run's knowledge of the resources of each family. */
type FamilyRuns = { readonly [Name in FamilyName]: FamilyTypes[Name]['run'] };

export interface RunState extends FamilyRuns {
  readonly roleAccess: LiveState['roleAccess'];
  /** Whether an earlier run may have made the change, by ref: its effect is no sign that another user changed anything. */
  readonly isExpected: (ref: string) => boolean;
}

type OwnChange = FamilyTypes[FamilyName]['change'];

export interface RunOptions {
  /** The run finishes one that was cut off. */
  readonly resumed: boolean;
}

export function openRun(live: LiveState, changes: readonly Change[], { resumed }: RunOptions): RunState {
  const expected = new Set(resumed ? changes.map(({ ref }) => ref) : []);
  return {
    ...mapFamilies<FamilyRuns>((family, earlier) => {
      const own = changes.filter((change): change is OwnChange => change.resource === family.kind);
      return family.openRun(live, own, earlier);
    }),
    roleAccess: live.roleAccess,
    isExpected: (ref) => expected.has(ref),
  };
}
