/** The sentences for the warnings about access to flags. */

import type { Quote } from '../../engine/labels.ts';
import type { AccessWarning, PlanWarning } from '../../posthog/plan.ts';
import { count } from './count.ts';

const REFUSED = 'the service does not let the owner of the API key read who has access to';
const SCOPE_REMEDY = 'Give the key the scope access_control:read, and access_control:write to apply.';
const UNREAD =
  'The access that the manifests declare is left out of this plan. A snapshot that is taken once they are merged has it.';
const UNPAID =
  "the organization does not have PostHog's paid feature role-based access, so the plan leaves the levels of roles out. Add the feature, or remove role_access and access from the manifests.";

export function accessWarningText(warning: AccessWarning, quote: Quote): string {
  const key = quote(warning.key);
  switch (warning.code) {
    case 'access_refused': {
      const said = warning.detail === undefined ? '' : ` (${quote(warning.detail)})`;
      return `${REFUSED} ${key}${said}. The plan leaves its access out. ${SCOPE_REMEDY}`;
    }
    case 'access_unread':
      return `the snapshot does not say who has access to ${key}. ${UNREAD}`;
    case 'access_unpaid':
      return `${key}: ${UNPAID}`;
    case 'access_fixed':
      return `${key}: the owner of the API key may not change who has access to this flag. The service will refuse the change.`;
    case 'access_of_members':
      return `${key}: ${count(warning.members, 'level')} of single members, which no manifest manages. Nothing changes there.`;
  }
}

/** `flags` ends the sentence. */
export function foldedAccessText(code: PlanWarning['code'], flags: string): string | undefined {
  if (code === 'access_refused') return `${REFUSED} ${flags} The plan leaves their access out. ${SCOPE_REMEDY}`;
  if (code === 'access_unread') return `the snapshot does not say who has access to ${flags} ${UNREAD}`;
  if (code === 'access_unpaid') return `${UNPAID} It concerns ${flags}`;
  if (code === 'access_of_members')
    return `single members have levels, which no manifest manages and which stay, on ${flags}`;
  return undefined;
}

export function isAccessWarning(warning: PlanWarning): warning is AccessWarning {
  return CODES.some((code) => code === warning.code);
}

const CODES: readonly AccessWarning['code'][] = [
  'access_refused',
  'access_unread',
  'access_unpaid',
  'access_fixed',
  'access_of_members',
];
