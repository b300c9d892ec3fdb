/** The words for what guards of rollouts say. */

import type { GuardReading, UnknownReason } from '../../core/rollout/guard.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { timeText } from './amounts.ts';

/** `checkout-errors holds: the alert "Checkout errors" fires (checked at 2026-12-03 08:00:00 UTC)`. */
export function readingText(reading: GuardReading): string {
  const { guard, source, says, at } = reading;
  const name = escapeLine(guard);
  const what = source === undefined ? undefined : sourceText(source);
  if (says === 'unknown') {
    const { why, detail } = reading;
    const said = detail === undefined ? '' : ` (${quoteShort(detail)})`;
    return `${name} does not know: ${UNKNOWN[why](what ?? 'what it looks at', at === undefined ? '' : timeText(at))}${said}`;
  }
  const isAlert = source !== undefined && 'alert' in source;
  const reason = reading.reason === undefined ? '' : `: ${quoteShort(reading.reason)}`;
  const when = at === undefined ? '' : ` (${isAlert ? 'checked' : 'given'} at ${timeText(at)})`;
  if (says === 'hold') return `${name} holds: ${what} ${isAlert ? 'fires' : 'says hold'}${reason}${when}`;
  return `${name} passes: ${what} ${isAlert ? 'does not fire' : 'says pass'}${reason}${when}`;
}

function sourceText(source: NonNullable<GuardReading['source']>): string {
  return 'alert' in source ? `the alert ${quoteShort(source.alert)}` : `the verdict ${quoteShort(source.verdict)}`;
}

const UNKNOWN: Readonly<Record<UnknownReason, (what: string, at: string) => string>> = {
  undeclared: () => 'nothing declares it under `guards` of flagwright.yaml',
  not_given: (what) => `${what} is in no file, since the run has no \`--verdicts FILE\``,
  not_read: (what) => `${what} was not read: this run asks the service nothing`,
  file_unread: (what) => `${what} is not known: the file of \`--verdicts\` cannot be read`,
  not_in_file: (what) => `${what} is not in the file of \`--verdicts\``,
  no_scope: (what) => `${what} cannot be read: the API key lacks \`alert:read\``,
  not_supported: (what) => `${what} cannot be read: the service has no alerts`,
  failed: (what) => `${what} could not be read`,
  missing: (what) => `${what} does not exist, or its insight is not visible to the API key`,
  ambiguous: (what) => `${what} is not one: several have the name`,
  disabled: (what) => `${what} is disabled`,
  snoozed: (what) => `${what} is snoozed`,
  errored: (what) => `the last check of ${what} failed`,
  never_checked: (what) => `${what} was not checked yet`,
  reset: (what) => `${what} was edited after its last check, which set it to not firing`,
  state_unknown: (what) => `${what} has a state that this release does not know`,
  before_step: (what, at) => `${what} is from ${at}, which is not after the last step`,
  too_old: (what, at) => `${what} is from ${at}, which is longer ago than \`max_age\``,
  in_future: (what, at) => `${what} has a time that is still to come: ${at}`,
};
