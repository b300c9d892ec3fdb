/** What operators leave to the generation of the evaluator. */

import type { JsonValue } from '../../base/json.ts';
import type { Comparison } from './ordering.ts';

export interface OperatorRules {
  /** `exact` and `is_not`. */
  readonly equals: (found: JsonValue, wanted: JsonValue) => boolean;
  /** `gt`, `gte`, `lt`, `lte`; `undefined` where the two cannot be compared. */
  readonly compare: (found: JsonValue, wanted: JsonValue) => Comparison | undefined;
  /** A value as the operators on text see it. */
  readonly text: (value: JsonValue) => string;
  readonly lowerCase: (text: string) => string;
}
