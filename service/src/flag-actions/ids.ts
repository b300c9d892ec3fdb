/** The ids in the body of an action on several flags: numbers, or strings of digits. */

import { isJsonArray, type JsonValue } from '../../../src/base/json.ts';

export interface SentIds {
  readonly valid: readonly number[];
  /** The values as they were sent. */
  readonly invalid: readonly JsonValue[];
}

/** `undefined` for anything but a list; absent counts as empty. */
export function readIds(sent: JsonValue | undefined): SentIds | undefined {
  if (!isJsonArray(sent ?? [])) return undefined;
  const elements = (sent ?? []) as readonly JsonValue[];
  const ids = elements.map((element) => ({ element, id: toId(element) }));
  return {
    valid: ids.flatMap(({ id }) => (id === undefined ? [] : [id])),
    invalid: ids.flatMap(({ element, id }) => (id === undefined ? [element] : [])),
  };
}

function toId(element: JsonValue): number | undefined {
  if (typeof element === 'string' && /^\d{1,15}$/.test(element)) return Number(element);
  return typeof element === 'number' && Number.isSafeInteger(element) ? element : undefined;
}
