/** The sentence for a change that the service is to make by itself. */

import type { PlanWarning } from '../../posthog/plan.ts';
import type { Quote } from '../../engine/labels.ts';
import { timeText } from './time.ts';

type Scheduled = Extract<PlanWarning, { readonly code: 'scheduled' }>;

/** `Schedule 12 changes search on 2026-12-01 09:00:00 UTC (turns it on, weekly).` */
export function scheduleText({ key, id, at, operation, value, repeats }: Scheduled, quote: Quote): string {
  const what = operationText(operation, value, quote);
  const parts = repeats === undefined ? what : `${what}, ${quote(repeats)}`;
  return `Schedule ${id} changes ${quote(key)} on ${quote(timeText(at))} (${parts}).`;
}

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['add_release_condition', 'adds conditions'],
  ['update_variants', 'replaces its variants'],
]);

/** An operation of a service to come is named as it is. */
function operationText(operation: string, value: boolean | undefined, quote: Quote): string {
  if (operation === 'update_status' && value !== undefined) return value ? 'turns it on' : 'turns it off';
  return OPERATIONS.get(operation) ?? quote(operation);
}
