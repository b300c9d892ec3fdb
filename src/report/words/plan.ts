/** The sentences of plans and results: one exhaustive switch for each kind of fact, and nowhere else. */

import type { OutcomeError, SkipReason } from '../../apply/result.ts';
import type { Remainder } from '../../engine/remainder.ts';
import type { Forecast } from '../../engine/forecast.ts';
import type { Action, Hazard, PlanSummary, PlanWarning } from '../../posthog/plan.ts';
import type { Permit } from '../../engine/safety.ts';
import { wholeSecondsText } from './duration.ts';
import { quoteShort } from '../escape.ts';
import { inlineValue } from '../formats/text/value.ts';
import { count } from './count.ts';
import { ALL_LABELS, labelsOfRef } from './kinds.ts';

/** `1 to create, 2 to grant`, in the order of a plan's table; empty when there is nothing to do. */
export function actionCounts(summary: PlanSummary, word: (action: Action, amount: number) => string): string {
  const actions: readonly Action[] = ['create', 'update', 'restore', 'delete', 'grant', 'revoke'];
  return actions
    .filter((action) => summary[action] > 0)
    .map((action) => word(action, summary[action]))
    .join(', ');
}

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

/** `Applying takes 37 requests, about 9 s, 0.8 % of the hourly budget.` */
export function forecastText({ requests, seconds, hour_percent: share }: Forecast): string {
  const time = seconds < 1 ? [] : [`about ${wholeSecondsText(seconds * 1000)}`];
  const budget = share === undefined ? [] : [`${share < 0.1 ? 'less than 0.1' : share} % of the hourly budget`];
  return `Applying takes ${[count(requests, 'request'), ...time, ...budget].join(', ')}.`;
}

const MOST_KEYS = 5;

function keysText(keys: readonly string[]): string {
  const shown = keys.slice(0, MOST_KEYS).map((key) => quoteShort(key));
  const hidden = keys.length - shown.length;
  return [...shown, ...(hidden === 0 ? [] : [`${hidden} more`])].join(', ');
}

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

export function skipText(reason: SkipReason): string {
  switch (reason.code) {
    case 'interrupted':
      return 'the run was interrupted before it began';
    case 'deadline':
      return 'the deadline passed before it began';
    case 'not_recorded':
      return 'nothing was sent: the journal could not be written';
    case 'needs_failed':
      return `it needs ${neededText(reason.refs)}, which was not applied`;
    case 'stale':
      return 'the flag was changed after the plan was made';
  }
}

function neededText(refs: readonly string[]): string {
  return ALL_LABELS.flatMap((labels) => {
    const keys = refs.filter((ref) => labelsOfRef(ref) === labels).map(labels.keyOfRef);
    return keys.length === 0 ? [] : [`${labels.need}${keysText([...new Set(keys)])}`];
  }).join(' and ');
}

/** What the service or the network said, on one line. */
export function outcomeErrorText(error: OutcomeError): string {
  const status = error.status === undefined ? '' : `${error.status} `;
  const field = error.field === undefined ? '' : ` (${quoteShort(error.field)})`;
  return `${status}${quoteShort(error.code)}${field}: ${quoteShort(error.message, 400)}`;
}

export function remainderText(remainder: Remainder): string {
  switch (remainder.reason) {
    case 'service_changed_value':
      return `the service made ${side(remainder.found)} of ${side(remainder.wanted)}`;
    case 'service_dropped_value':
      return `the service dropped ${side(remainder.wanted)}`;
    case 'service_ignores_field':
      return 'the service does not know this field; plans leave it out from now on';
    case 'changed_afterwards':
      return `it is ${side(remainder.found)} instead of ${side(remainder.wanted)}: somebody, or the service, changed it after it was written`;
    case 'not_found':
      return 'the service no longer has it';
  }
}

function side(value: Remainder['found']): string {
  return value === undefined ? 'nothing' : quoteShort(inlineValue(value));
}
