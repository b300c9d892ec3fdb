/** Differences that reading back found although a write was accepted. */

import type { JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { Difference } from './diff.ts';
import type { Change } from './change.ts';

/**
 * A difference that remains: the service changed or dropped the value. `changed_afterwards`: an earlier run or another
 * user wrote it, so anyone may have changed it since.
 */
export interface Remainder {
  readonly ref: string;
  readonly key: string;
  readonly path: string;
  readonly wanted?: JsonValue;
  readonly found?: JsonValue;
  readonly reason:
    'service_changed_value' | 'service_dropped_value' | 'service_ignores_field' | 'changed_afterwards' | 'not_found';
}

/** The remainder of a change at one path. */
export function remainderOf({ ref, key }: Pick<Change, 'ref' | 'key'>, { path, before, after }: Difference): Remainder {
  const reason = before === undefined ? 'service_dropped_value' : 'service_changed_value';
  return { ref, key, path, ...defined({ wanted: after, found: before }), reason };
}
