/** The sentence for a flag whose enabling needs an approval that nobody gave. */

import type { Quote } from '../../engine/labels.ts';
import type { PlanWarning } from '../../posthog/plan.ts';

type NotEnabled = Extract<PlanWarning, { readonly code: 'not_enabled' }>;

/** `checkout is disabled: change request 7 of ann@example.org asks to enable it, and waits for approval (https://…).` */
export function notEnabledText(warning: NotEnabled, quote: Quote): string {
  const page = warning.url === undefined ? '' : ` (${quote(warning.url)})`;
  const fact = `${quote(warning.key)} is disabled: change request ${quote(warning.request)}${STATES[warning.state](warning, quote)}${page}.`;
  if (warning.state === 'open') return fact;
  return `${fact} The manifests do not decide active, so apply does not ask for it: declare active: true to ask, or active: false to keep it disabled.`;
}

const STATES: Readonly<Record<NotEnabled['state'], (warning: NotEnabled, quote: Quote) => string>> = {
  open: ({ by }, quote) => `${by === undefined ? '' : ` of ${quote(by)}`} asks to enable it, and waits for approval`,
  rejected: ({ by, reason }, quote) => ` asked to enable it, and was rejected${detailText(by, reason, quote)}`,
  withdrawn: ({ by, reason }, quote) => ` asked to enable it, and was withdrawn${detailText(by, reason, quote)}`,
  failed: ({ reason }, quote) =>
    ` asked to enable it, and was approved, but the service could not make the change${detailText(undefined, reason, quote)}`,
  expired: () => ' asked to enable it, and expired',
  not_requested: () => ' created it so, and nobody asked to enable it since',
};

function detailText(by: string | undefined, reason: string | undefined, quote: Quote): string {
  return `${by === undefined ? '' : ` by ${quote(by)}`}${reason === undefined ? '' : ` (${quote(reason)})`}`;
}
