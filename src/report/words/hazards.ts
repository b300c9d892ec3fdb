/** The sentences of safety rules that a plan breaks, and the options that permit it. */

import type { Hazard } from '../../posthog/plan.ts';
import type { Permit } from '../../engine/safety.ts';
import { quoteShort } from '../escape.ts';
import { count } from './count.ts';
import { keysText } from './keys.ts';

export function hazardText(hazard: Hazard): string {
  switch (hazard.code) {
    case 'deletes':
      return `${count(hazard.count, 'flag')} would be deleted, and the limit is ${hazard.limit}.`;
    case 'updates':
      return `${count(hazard.count, 'flag')} would be updated, and the limit is ${hazard.limit}.`;
    case 'disables':
      return `${count(hazard.count, 'active flag')} would be disabled, and the limit is ${hazard.limit}.`;
    case 'deletes_percent':
      return `${hazard.count} of ${count(hazard.of, 'flag')} would be deleted, more than ${hazard.limit_percent} %.`;
    case 'updates_percent':
      return `${hazard.count} of ${count(hazard.of, 'flag')} would be updated, more than ${hazard.limit_percent} %.`;
    case 'manifests_shrunk':
      return `--prune would delete ${count(hazard.count, 'flag')}, and the manifests keep ${hazard.kept}: are all manifests there?`;
    case 'protected':
      return `${quoteShort(hazard.key)} is protected, and the plan would ${hazard.action} it.`;
    case 'experiments':
      return `${quoteShort(hazard.key)} would be deleted, and experiments belong to it (${hazard.experiments.join(', ')}).`;
    case 'dependents':
      return `${quoteShort(hazard.key)} would be ${hazard.action}d, and active flags depend on it (${keysText(hazard.dependents)}).`;
    case 'lockout':
      return `${quoteShort(hazard.key)} would lose the last role that may edit it.`;
  }
}

/** The option as a person types it. */
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
