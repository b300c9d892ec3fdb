/** The writes of a recorded run that took place, with their times. */

import type { OwnWrite } from '../posthog/own-writes.ts';
import type { Run } from './read.ts';

export function ownWrites({ name, plan, outcomes, times }: Run): readonly OwnWrite[] {
  return plan.changes.flatMap((change): OwnWrite[] => {
    const outcome = outcomes.get(change.ref);
    const time = times?.get(change.ref);
    if (outcome?.outcome !== 'applied' || outcome.already === true || time === undefined) return [];
    const id = change.action === 'create' ? outcome.id : change.id;
    return id === undefined ? [] : [{ run: name, change, id, ...time }];
  });
}
