/** Reads the change request that an answer of the approval gate names; its place in the body varies with the release. */

import { isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ChangeRequest } from '../../engine/change-request.ts';
import type { Redactor } from './redact.ts';

export function readChangeRequest(envelope: JsonObject, redactor: Redactor): ChangeRequest | undefined {
  const holders = [envelope, envelope['extra']].filter(isJsonObject);
  const id = holders.map((holder) => idText(holder['change_request_id'])).find((found) => found !== undefined);
  if (id === undefined) return undefined;
  const whole = holders
    .flatMap((holder) => [holder['change_request'], holder['existing_change_request']])
    .find(isJsonObject);
  return { id: redactor.text(id), ...describeRequest(objectOrEmpty(whole), (text) => redactor.text(text)) };
}

function idText(id: JsonValue | undefined): string | undefined {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** The change that the description of a request states. `show` is applied to each string. */
export function describeRequest(request: JsonObject, show: (text: string) => string): Omit<ChangeRequest, 'id'> {
  const text = (value: JsonValue | undefined): string | undefined =>
    typeof value === 'string' ? show(value) : undefined;
  const intent = objectOrEmpty(request['intent']);
  const asked = intent['full_request_data'];
  const { version } = objectOrEmpty(intent['preconditions']);
  return defined({
    action: text(request['action_key']),
    key: text(intent['flag_key']),
    version: typeof version === 'number' ? version : undefined,
    asked: isJsonObject(asked) ? () => asked : undefined,
  });
}
