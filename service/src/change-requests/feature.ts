/** Approvals are a paid feature: an organization without it is answered with 402. */

import type { ServiceContext } from '../handler/call.ts';
import { Refusal } from '../handler/envelope.ts';

export function requireFeature({ store }: ServiceContext): void {
  if (!store.organization.missingFeatures().has('approvals')) return;
  throw new Refusal('Approvals are a paid feature.', { status: 402, type: 'server_error', code: 'payment_required' });
}
