/** The parts of operators that differ between generations. */

import type { JsonValue } from '../../base/json.ts';
import type { Comparison } from './ordering.ts';

export interface OperatorRules {
  /** `exact` and `is_not`. */
  readonly equals: (found: JsonValue, wanted: JsonValue) => boolean;
  /** `gt`, `gte`, `lt`, `lte`; `undefined` for values that cannot be compared. */
  readonly compare: (found: JsonValue, wanted: JsonValue) => Comparison | undefined;
  /** A value as a string, for operators on strings. */
  readonly text: (value: JsonValue) => string;
  readonly lowerCase: (text: string) => string;
}
