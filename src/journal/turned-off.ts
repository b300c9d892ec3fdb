/** Finds what a recorded run did to the switches of flags. */

import type { Actor } from '../apply/origin.ts';
import { defined } from '../base/optional.ts';
import type { Change, FlagChange } from '../posthog/plan.ts';
import type { TurnedOff } from '../posthog/turned-off.ts';
import type { Run } from './read.ts';
import { wasSent } from './undo.ts';

/**
 * The flags of which the run wrote, or may have written, `active` or the conditions, by id: what it turned off, or `undefined` if the run
 * is not one of `off`.
 */
export function switchedIn(run: Run): ReadonlyMap<number, TurnedOff | undefined> {
  const { plan, name: recorded, startedAt: at, origin } = run;
  const by = origin?.actor === undefined ? undefined : nameOf(origin.actor);
  return new Map(
    plan.changes
      .filter(switches)
      .filter((change) => wasSent(run, change))
      .flatMap((change) => {
        if (change.id === undefined) return [];
        const paths = 'fields' in change ? change.fields.map(({ path }) => path) : [];
        const off = plan.off && { run: recorded, at, ...defined({ reason: plan.off.reason, by }), paths };
        return [[change.id, off] as const];
      }),
  );
}

function switches(change: Change): change is FlagChange {
  return change.resource === 'flag' && (change.body['active'] !== undefined || change.body['filters'] !== undefined);
}

function nameOf({ name, host }: Actor): string {
  return host === undefined ? name : `${name}@${host}`;
}
