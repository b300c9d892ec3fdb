/** The sentences for the safety rules that a plan breaks, and the options that allow it. */

import type { Hazard } from '../../posthog/plan.ts';
import type { Permit } from '../../engine/safety.ts';
import type { Quote } from '../../engine/labels.ts';
import { quoteShort } from '../escape.ts';
import { count } from './count.ts';
import { experimentsText, keysText } from './lists.ts';

export function hazardText(hazard: Hazard, quote: Quote = quoteShort): string {
  switch (hazard.code) {
    case 'deletes':
      return `${count(hazard.count, 'flag')} would be deleted; the limit is ${hazard.limit}.`;
    case 'updates':
      return `${count(hazard.count, 'flag')} would be updated; the limit is ${hazard.limit}.`;
    case 'disables':
      return `${count(hazard.count, 'active flag')} would be disabled; the limit is ${hazard.limit}.`;
    case 'deletes_percent':
      return `${hazard.count} of ${count(hazard.of, 'flag')} would be deleted; the limit is ${hazard.limit_percent} %.`;
    case 'updates_percent':
      return `${hazard.count} of ${count(hazard.of, 'flag')} would be updated; the limit is ${hazard.limit_percent} %.`;
    case 'manifests_shrunk':
      return `--prune would delete ${count(hazard.count, 'flag')}, but the manifests declare only ${hazard.kept} of the live flags. Are manifest files missing?`;
    case 'protected':
      return `${quote(hazard.key)} is protected, but the plan would ${hazard.action} it.`;
    case 'experiments':
      return `${quote(hazard.key)} would be deleted, but it is linked to ${experimentsText(hazard.experiments)}.`;
    case 'dependents':
      return `${quote(hazard.key)} would be ${hazard.action}d, but active flags depend on it (${keysText(hazard.dependents, quote)}).`;
    case 'lockout':
      return `${quote(hazard.key)} would lose the last role that can edit it.`;
    case 'own_access':
      return `${quote(hazard.key)} would lose its last manager, perhaps the owner of the API key, who could then not change its access again.`;
  }
}

/** The option as it is typed. */
export function permitText({ permit }: Hazard): string {
  return `${PERMIT_OPTIONS[permit.kind]} ${quoteShort(String(permit.value))}`;
}

const PERMIT_OPTIONS: Readonly<Record<Permit['kind'], string>> = {
  deletes: '--allow-deletes',
  updates: '--allow-updates',
  disables: '--allow-disables',
  protected: '--allow-protected',
  risky: '--allow-risky',
};
