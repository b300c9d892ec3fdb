/** The plan of a random change. */

import { jsonText } from '../../../src/evaluation/values/scalars.ts';
import { isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import type { RandomChange } from './arbitraries.ts';

/** Live flags and the plan that makes them as declared. In every other change, flags are named by number in place of key. */
export function plannedFrom({ before, after }: RandomChange): { readonly plan: Plan; readonly live: readonly Flag[] } {
  const keys = Object.keys(before);
  const ids = new Map(keys.map((key, index) => [key, index + 11]));
  const live = keys.map((key) =>
    liveFlag(
      ids.get(key) ?? 0,
      key,
      withReferences(before[key] ?? {}, (name) => String(ids.get(name))),
    ),
  );
  const byNumber = JSON.stringify(after).length % 2 === 0;
  const desired = keys.map((key) =>
    declared(
      key,
      withReferences(after[key] ?? {}, (name) => (byNumber ? (ids.get(name) ?? name) : name)),
    ),
  );
  return { plan: planFor(desiredState(...desired), liveState(live)), live };
}

function withReferences(value: JsonObject, of: (key: string) => string | number): JsonObject {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    isJsonObject(member) && member['type'] === 'flag'
      ? { ...member, key: of(jsonText(member['key'] ?? null)) }
      : member,
  ) as JsonObject;
}
