/** Who owns a field of a flag, or a part of its `filters`. The facts are in the tables of fields and of tolerances. */

import type { Owner } from '../../engine/ownership.ts';
import { SERVICE_FIELDS } from './fields.ts';
import { FILTER_PARTS_OWNED_ELSEWHERE } from './tolerances.ts';

export function findFieldOwner(field: string): Owner {
  return SERVICE_FIELDS.has(field) ? 'service' : 'manifest';
}

/** A manifest that declares `filters` owns all parts, except undeclared ones of other products. */
export function findPartOwner(part: string, isDeclared: boolean): Owner {
  return !isDeclared && FILTER_PARTS_OWNED_ELSEWHERE.includes(part) ? 'other-product' : 'manifest';
}
