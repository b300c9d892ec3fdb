/** The name that people write for the place of a JSON pointer; `parseFieldPath` reads it. */

import { fromPointer } from '../../base/json-pointer.ts';
import { MEMBER_NAMES } from './fields.ts';

/** The pointer itself where no name fits every flag: variants, for example, are named by their keys. */
export function nameOfPointer(pointer: string): string {
  const parts = fromPointer(pointer);
  const [field = '', ...rest] = parts;
  if (parts.length === 1) return MEMBER_NAMES.get(field) ?? pointer;
  if (field === 'filters') return nameInFilters(rest) ?? pointer;
  return pointer;
}

/** Conditions are counted from 1. */
function nameInFilters([member, element, ...rest]: readonly string[]): string | undefined {
  if (member === 'payloads' && element !== undefined) return nameOf(['payloads', element, ...rest], 2);
  if (member !== 'groups') return undefined;
  if (element === undefined) return 'conditions';
  if (!/^\d+$/u.test(element)) return undefined;
  return nameOf(['conditions', String(Number(element) + 1), ...rest], 3);
}

/** Uses at most `depth` parts and no quotation marks; `*` would mean every element. */
function nameOf(parts: readonly string[], depth: number): string | undefined {
  return parts.length <= depth && parts.every((part) => /^[\w-]+$/u.test(part)) ? parts.join('.') : undefined;
}
