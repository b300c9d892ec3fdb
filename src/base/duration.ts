/** Durations as options and files give them: `500ms`, `90s`, `5m`, `1h30m`, `7d`. */

import { memberOf } from './json.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; `undefined` for a string that is not a duration, and for a duration of zero. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (memberOf(UNITS, unit) ?? 0);
  }
  return total > 0 && Number.isFinite(total) ? total : undefined;
}
