/** Reads from a record who executed its run: the file may be damaged, or written by another release. */

import type { Actor, RunOrigin } from '../apply/origin.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';

/** Members of another type are left out. */
export function readOrigin(value: JsonValue | undefined): RunOrigin {
  if (!isJsonObject(value)) return {};
  const actor = isJsonObject(value['actor']) ? readActor(value['actor']) : undefined;
  return defined({ actor, commit: stringOf(value['commit']) });
}

function readActor({ name, host, ci, url }: JsonObject): Actor | undefined {
  if (typeof name !== 'string') return undefined;
  return { name, ...defined({ host: stringOf(host), ci: stringOf(ci), url: stringOf(url) }) };
}

function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
