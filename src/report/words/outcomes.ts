/** The sentences for the outcome of a change, the remedy, and the remaining differences. */

import { readRef } from '../../posthog/names/resource-name.ts';
import type { Outcome, OutcomeError, WrittenParts, PendingRequest, SkipReason } from '../../loop/apply/result.ts';
import type { RequestMatch } from '../../core/engine/change-request.ts';
import type { Remainder } from '../../core/engine/diff.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { count, keysText } from './amounts.ts';
import { labelsOf, RESOURCES } from './kinds.ts';
import { inlineValue } from './values.ts';
import { viewFilters } from '../../posthog/flag/model/flag.ts';
import { KIND_BY_NAME } from '../../posthog/kinds.ts';
import type { Change } from '../../posthog/plan.ts';
import { changeRemedy, refusesKey } from '../../posthog/client/failure-table.ts';

export function skipText(reason: SkipReason): string {
  const text = SKIPS[reason.code].text as (reason: SkipReason) => string;
  return text(reason);
}

const RUN_AGAIN = 'Run the same command again; what was applied stays applied.';

/** A run whose journal failed has a separate remedy; a change that waited for another has that change's remedy. */
const SKIPS: {
  readonly [Code in SkipReason['code']]: {
    readonly text: (reason: Extract<SkipReason, { readonly code: Code }>) => string;
    readonly remedy?: string;
  };
} = {
  interrupted: { text: () => 'the run was interrupted before this change started', remedy: RUN_AGAIN },
  deadline: { text: () => 'the deadline passed before this change started', remedy: RUN_AGAIN },
  not_recorded: { text: () => 'not sent: the journal could not be written' },
  key_refused: {
    text: ({ ref }) => `not sent: the service refused the API key for ${neededText([ref])}`,
    remedy: 'Give the API key the permission, or use another one, and run `flagwright apply --resume`.',
  },
  needs_failed: { text: ({ refs }) => `it needs ${neededText(refs)}, which was not applied` },
  stale: {
    text: () => 'the flag changed after the plan was made',
    remedy: 'Plan again, review what changed, and apply the new plan.',
  },
};

export const NOT_VERIFIED =
  'Not verified: the project was not read again after the changes. The next plan shows what is live.';

function neededText(refs: readonly string[]): string {
  const named = refs.map(readRef);
  return RESOURCES.flatMap((resource) => {
    const keys = named.filter(({ kind }) => kind === resource).map(({ key }) => key);
    return keys.length === 0 ? [] : [`${labelsOf({ resource }).need}${keysText([...new Set(keys)])}`];
  }).join(' and ');
}

/** The notes about the change request that a change waits for, its page, and which of its parts are written. */
export function outcomeNotes(result: Outcome): readonly string[] {
  if (result.outcome === 'applied') return [];
  const request = result.outcome === 'pending' ? result.request : undefined;
  return [
    ...(request === undefined ? [] : [requestText(request)]),
    ...(request?.url === undefined ? [] : [escapeLine(request.url)]),
    ...(result.parts === undefined ? [] : [partsText(result.parts)]),
  ];
}

/** The content of an open change request; the end of `change request 7 is open`. */
const ASKS: Readonly<Record<RequestMatch, (request: PendingRequest) => string>> = {
  this_change: () => ' and asks for this change',
  other_values: () => ' and asks for other values',
  other_resource: ({ key = 'another flag' }) => ` for ${quoteShort(key)}: the service takes one creation at a time`,
  outdated_version: () => ', but the flag has changed since, so the service cannot make the requested change',
};

/** `change request 7 is open and asks for this change`. */
export function requestText(request: PendingRequest): string {
  const name = `change request ${quoteShort(request.id)}`;
  if (!request.wasOpen) return `${name} waits for approval`;
  return `${name} is open${request.asks === undefined ? '' : ASKS[request.asks](request)}`;
}

/** `written: filters · waiting: active`: of a change that was sent in parts. */
export function partsText({ written, waiting, unsent }: WrittenParts): string {
  const some = [
    ['written', written],
    ['not written', waiting],
    ['not sent', unsent],
  ] as const;
  const shown = some
    .filter(([, fields]) => fields.length > 0)
    .map(([word, fields]) => `${word}: ${fields.map((field) => quoteShort(field)).join(', ')}`);
  return `sent in parts; ${shown.join(' · ')}`;
}

/** The error of the service or the network on one line; `changes`: how many failed with it. */
export function outcomeErrorText(error: OutcomeError, changes = 1): string {
  const status = error.status === undefined ? '' : `${error.status} `;
  const field = error.field === undefined ? '' : ` (${quoteShort(error.field)})`;
  const folded = changes === 1 ? '' : ` for ${count(changes, 'change')}`;
  return `${status}${quoteShort(error.code)}${field}${folded}: ${quoteShort(error.message, 400)}`;
}

export function remainderText(remainder: Remainder): string {
  switch (remainder.reason) {
    case 'service_changed_value':
      return `the service stored ${side(remainder.found)} instead of ${side(remainder.wanted)}`;
    case 'service_dropped_value':
      return `the service dropped ${side(remainder.wanted)}`;
    case 'service_ignores_field':
      return 'the service has no such field; later plans leave it out';
    case 'changed_afterwards':
      return `found ${side(remainder.found)} instead of ${side(remainder.wanted)}: another user or the service changed it after the write`;
    case 'not_found':
      return 'it no longer exists in the service';
  }
}

function side(value: Remainder['found']): string {
  return value === undefined ? 'nothing' : quoteShort(inlineValue(value));
}

const NOT_PROVEN =
  'Run the command again: it reads the flag, and turns it off if it is on. If that does not help, turn it off in the web interface.';

/** Codes that say more than the status. */
const BY_CODE: Readonly<Record<string, string>> = {
  unique:
    'Another flag has this key. Plan again: if the project lists the flag, it is adopted. Otherwise it is archived, belongs to a survey, or is hidden from this API key.',
  conflict: 'Another user changed the flag in the meantime. Plan again to see what changed.',
  approval_required: 'Have the change request approved in the service, then plan again.',
  change_request_pending: 'A change request for this flag is open. Have it approved or withdrawn, then plan again.',
  policy_conflict:
    'Several approval policies in PostHog match this change. Change the policies, or apply the change in parts.',
  name_shared: 'Run `flagwright plan`: it says which flags use each of them, and how to merge them.',
  not_stored: NOT_PROVEN,
  not_verified: NOT_PROVEN,
  does_not_exist:
    'The change refers to something that does not exist. Check the ids of roles and cohorts in flagwright.yaml.',
};

/** `keyVariable`: the environment variable that holds the API key. */
export function remedyOf(
  result: Exclude<Outcome, { outcome: 'applied' }>,
  change: Change,
  keyVariable?: string,
): string | undefined {
  if (result.outcome === 'skipped') return SKIPS[result.reason.code].remedy;
  const { error, parts } = result;
  const asks = result.outcome === 'pending' ? result.request?.asks : undefined;
  if (asks === 'this_change' && parts !== undefined && parts.unsent.length > 0) {
    // A flag that exists already is only enabled where the manifests say so.
    const isCreate = parts.waiting.includes('key') && parts.unsent.includes('active');
    return `Once it is approved, the service makes this part by itself. Then apply again: the rest is not requested yet.${isCreate ? ' That takes active: true in the manifests.' : ''}`;
  }
  if (asks !== undefined) return BY_ASKING[asks];
  if (error.field === 'filters' && NO_FLAG_CONDITIONS.test(error.message)) {
    return 'This service accepts neither conditions on other flags (type: flag) nor group conditions without aggregation. The embedded service accepts them with profile: posthog.';
  }
  if (error.status === 403) return rightsText(error, change, keyVariable);
  return Object.hasOwn(BY_CODE, error.code) ? BY_CODE[error.code] : changeRemedy(error);
}

function rightsText(error: OutcomeError, change: Change, keyVariable: string | undefined): string {
  const scope = `the scope ${KIND_BY_NAME[change.resource].scopes.object}:write`;
  const rights = refusesKey(error) ? scope : `${scope}, and its user the right to edit this ${labelsOf(change).noun}`;
  const key = `The API key${keyVariable === undefined ? '' : ` in ${keyVariable}`} needs ${rights}.`;
  return hasRules(change) ? `${key} A flag with rules is refused, too, while an approval policy is enabled.` : key;
}

/** Whether the live flag has filters of format version 2. (docs/service/rules.md) */
function hasRules(change: Change): boolean {
  return change.resource === 'flag' && 'base' in change && viewFilters(change.base.flag['filters']).isOpaque;
}

/** The service of 2023 does not know conditions on flags and answers with this message and no code. */
const NO_FLAG_CONDITIONS = /can only (have|use) person and cohort/i;

const BY_ASKING: Readonly<Record<RequestMatch, string>> = {
  this_change: 'Once it is approved, the service makes the change by itself; the next plan no longer has it.',
  other_values:
    'Have it rejected or withdrawn, then apply again. If it is approved instead, the flag gets the values that it asks for.',
  other_resource: 'Have it approved, rejected or withdrawn, then apply again: nobody was asked to approve this change.',
  outdated_version: 'Have it rejected or withdrawn, then apply again.',
};
