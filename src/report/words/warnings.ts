/** The sentences of a plan's warnings. */

import type { PlanWarning } from '../../posthog/plan.ts';
import { quoteShort } from '../escape.ts';
import { count } from './count.ts';
import { keysText } from './keys.ts';

export function warningText(warning: PlanWarning): string {
  switch (warning.code) {
    case 'cannot_edit':
      return `${quoteShort(warning.key)}: the owner of the API key may not edit this flag; the service will refuse the change.`;
    case 'experiments_linked':
      return `${quoteShort(warning.key)}: experiments belong to this flag (${warning.experiments.join(', ')}); the service may refuse the delete while one of them runs.`;
    case 'dependents_remain':
      return `${quoteShort(warning.key)}: other flags still depend on it (${keysText(warning.dependents)}); the service may refuse the change.`;
    case 'dependency_missing':
      return `${quoteShort(warning.key)}: it depends on ${quoteShort(warning.dependency)}, which neither the manifests nor the service have.`;
    case 'dependency_disabled':
      return `${quoteShort(warning.key)}: it depends on ${quoteShort(warning.dependency)}, which is not active; the service may refuse the change.`;
    case 'field_unsupported':
      return `${quoteShort(warning.key)}: the service does not have the field ${quoteShort(warning.field)}; it is left out.`;
    case 'unarchives':
      return `${quoteShort(warning.key)}: the flag is archived in the service and will be brought back.`;
    case 'key_shared':
      return `${quoteShort(warning.key)}: several live flags have this key (ids ${warning.ids.join(', ')}); the first one is managed.`;
    case 'previous_key_live':
      return `${quoteShort(warning.key)}: a flag with the former key ${quoteShort(warning.previous)} is live too (id ${warning.id}); it is left alone.`;
    case 'named_elsewhere':
      return `${quoteShort(warning.key)}: the flag is live here (id ${warning.id}), and the manifests declare it for other projects only; it is left alone.`;
    case 'payloads_encrypted':
      return `${quoteShort(warning.key)}: its encrypted payloads change, which no file may hold: a saved plan with this change cannot be applied.`;
    case 'protected_unmatched':
      return `protected: ${quoteShort(warning.key)} matches no flag, neither declared nor live, so it protects nothing.`;
    case 'holdout_undeclared':
      return `${quoteShort(warning.key)}: ${part(warning.part)} holds out ${warning.percent} % of everybody, and no manifest declares it.`;
    case 'early_access_undeclared':
      return `${quoteShort(warning.key)}: ${part(warning.part)} decides before the conditions, and no manifest declares it.`;
    case 'target_unknown':
      return `--target ${quoteShort(warning.key)} matches no flag, neither declared nor live.`;
  }
}

/** One sentence for many flags that are alike, or `undefined` for warnings that are told one by one. */
export function foldedWarningText(code: PlanWarning['code'], keys: readonly string[]): string | undefined {
  const flags = `${count(keys.length, 'flag')}: ${keysText(keys)}.`;
  if (code === 'holdout_undeclared') return `Holdouts that no manifest declares hold people out of ${flags}`;
  if (code === 'early_access_undeclared') {
    return `Early access that no manifest declares decides before the conditions of ${flags}`;
  }
  return undefined;
}

function part(name: string): string {
  return `filters.${name}`;
}
