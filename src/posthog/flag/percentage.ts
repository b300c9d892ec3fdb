/** The percentages of conditions and variants. Flags that people or other tools made by hand may hold any value there. */

import { isJsonNumber, type JsonObject, type JsonValue } from '../../base/json.ts';

/** The percentage of a condition's people; without a value, all of them. `undefined` for anything but a number from 0 to 100. */
export function rolloutOf({ rollout_percentage: rollout }: JsonObject): number | undefined {
  return readPercentage(rollout ?? 100);
}

/** The percentage of all people by their hash; without a value, nobody. `undefined` for anything but a number from 0 to 100. */
export function shareOf({ rollout_percentage: share }: JsonObject): number | undefined {
  return readPercentage(share ?? 0);
}

function readPercentage(value: JsonValue): number | undefined {
  if (!isJsonNumber(value)) return undefined;
  const number = Number(String(value));
  return number >= 0 && number <= 100 ? number : undefined;
}
