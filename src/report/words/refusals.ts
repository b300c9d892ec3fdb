/** Why a change of a run cannot be undone. */

import type { RefusedInversion } from '../../posthog/invert-plan.ts';

export const REFUSALS: Readonly<Record<RefusedInversion['refusal'], string>> = {
  moved: 'changed after the run',
  gone: 'no longer exists in the service',
  secret: 'its previous payloads are encrypted, so the journal does not contain them',
};
