/** One change with its outcome, in the documents of a result and of a recorded run. */

import type { ResourceId } from '../../../engine/snapshot.ts';
import type { ChangeResult, Outcome, Parts, PendingRequest, SkipReason } from '../../../apply/result.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { FieldChange } from '../../../posthog/plan.ts';
import { labelsOf } from '../../words/kinds.ts';

export function changeDocument({ change, result }: ChangeResult): JsonObject {
  return { ...(change as unknown as JsonObject), ...outcomeDocument(change, result) };
}

export function fieldDocuments(fields: readonly FieldChange[]): JsonValue[] {
  return fields.map((field) => ({ ...field }) as unknown as JsonValue);
}

function outcomeDocument(change: ChangeResult['change'], result: Outcome): JsonObject {
  switch (result.outcome) {
    case 'applied':
      return {
        outcome: 'applied',
        ...appliedId(change, result.id),
        ...(result.already === true ? { already: true } : {}),
      };
    case 'pending':
      return {
        outcome: 'pending',
        error: { ...result.error },
        ...requestDocument(result.request),
        ...partsDocument(result),
      };
    case 'failed':
    case 'unknown':
      return { outcome: result.outcome, error: { ...result.error }, ...partsDocument(result) };
    case 'skipped':
      return { outcome: 'skipped', skipped: skipDocument(result.reason), ...partsDocument(result) };
  }
}

function requestDocument(request: PendingRequest | undefined): JsonObject {
  if (request === undefined) return {};
  const { id, url, action, key, wasOpen, asks } = request;
  return { change_request: { id, ...defined({ url, action, key }), was_open: wasOpen, ...defined({ asks }) } };
}

function partsDocument({ parts }: { readonly parts?: Parts }): JsonObject {
  return parts === undefined ? {} : { parts: { ...parts } as unknown as JsonObject };
}

/** `id` is always the id of the flag. A service of 2023 answers a grant with the id of its entry. */
function appliedId(change: ChangeResult['change'], id: ResourceId | undefined): JsonObject {
  if (id === undefined) return {};
  return { [labelsOf(change).answeredId(change)]: id };
}

function skipDocument(reason: SkipReason): JsonObject {
  const { code } = reason;
  switch (code) {
    case 'interrupted':
    case 'deadline':
    case 'not_recorded':
      return { code };
    case 'key_refused':
      return { code, ref: reason.ref };
    case 'needs_failed':
      return { code, refs: [...reason.refs] };
    case 'stale':
      return { code, moved: fieldDocuments(reason.moved) };
  }
}
