/** The records of a journal: one JSON object per line, in chronological order. */

import type { RunOrigin } from '../apply/origin.ts';
import type { Outcome, OutcomeCounts } from '../apply/result.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberOf } from '../../base/json.ts';

/** The major version increases when an older flagwright would misread a journal. */
export const JOURNAL_FORMAT_VERSION = '1.0';

export type JournalRecord =
  | {
      readonly kind: 'begun';
      readonly format_version: string;
      readonly run: string;
      readonly at: string;
      /** The runs that no run followed when it began. Before the plan, so that it is read without it. */
      readonly follows?: readonly string[];
      /** The plan's document, which holds no secret. */
      readonly plan: JsonObject;
      readonly origin?: RunOrigin;
    }
  /** The run continues an earlier attempt at the same plan. */
  | { readonly kind: 'resumed'; readonly at: string }
  /** Flushed to disk before the request is sent; a change may have several. */
  | { readonly kind: 'sending'; readonly ref: string; readonly at: string }
  | { readonly kind: 'settled'; readonly ref: string; readonly at: string; readonly result: Outcome }
  | { readonly kind: 'ended'; readonly at: string; readonly outcomes: OutcomeCounts };

/** Whether a line of a journal is a record: the file may be damaged, or another program may have written it. */
export function isRecord(value: JsonValue): boolean {
  if (!isJsonObject(value) || !isString(value['at'])) return false;
  switch (value['kind'] as JournalRecord['kind']) {
    case 'begun':
      return isString(value['format_version']) && isJsonObject(value['plan']);
    case 'sending':
      return isString(value['ref']);
    case 'settled':
      return isString(value['ref']) && isJsonObject(value['result']) && isOutcome(value['result']);
    case 'resumed':
    case 'ended':
      return true;
    default:
      return false;
  }
}

function isOutcome({ outcome, id, error, reason, request, parts }: JsonObject): boolean {
  if (outcome === 'applied') return id === undefined || Number.isSafeInteger(id);
  if (!isOptional(parts, areParts)) return false;
  if (outcome === 'skipped') return isJsonObject(reason) && isSkipReason(reason);
  if (outcome === 'pending' && !isOptional(request, isRequest)) return false;
  return isOneOf(outcome, ['failed', 'pending', 'unknown']) && isJsonObject(error) && isOutcomeError(error);
}

function areParts(parts: JsonValue): boolean {
  if (!isJsonObject(parts) || !isOptional(parts['id'], Number.isSafeInteger)) return false;
  return ['written', 'waiting', 'unsent'].every((name) => {
    const fields = memberOf(parts, name);
    return isJsonArray(fields) && fields.every(isString);
  });
}

function isRequest(request: JsonValue): boolean {
  if (!isJsonObject(request)) return false;
  const { id, url, action, key, wasOpen, asks } = request;
  return (
    isString(id) && typeof wasOpen === 'boolean' && [url, action, key, asks].every((one) => isOptional(one, isString))
  );
}

function isOutcomeError({ code, message, field, status }: JsonObject): boolean {
  return isString(code) && isString(message) && isOptional(field, isString) && isOptional(status, Number.isSafeInteger);
}

function isSkipReason({ code, ref, refs, moved }: JsonObject): boolean {
  if (code === 'needs_failed') return isJsonArray(refs) && refs.every(isString);
  if (code === 'key_refused') return isString(ref);
  if (code === 'stale')
    return isJsonArray(moved) && moved.every((field) => isJsonObject(field) && isString(field['path']));
  return isOneOf(code, ['interrupted', 'deadline', 'not_recorded']);
}

function isString(value: JsonValue | undefined): boolean {
  return typeof value === 'string';
}

function isOptional(value: JsonValue | undefined, check: (value: JsonValue) => boolean): boolean {
  return value === undefined || check(value);
}

function isOneOf(value: JsonValue | undefined, words: readonly string[]): boolean {
  return typeof value === 'string' && words.includes(value);
}
