/** Where the rule of a remark is: a place, which the report names from the top of the repository, else in words. */

import { originOf, type BrokenRule } from '../../../policy/broken-rules.ts';
import { ruleSourceText } from '../../words/broken-rules.ts';
import type { Remark } from './remark.ts';

export function sourceOf(broken: BrokenRule): Remark['source'] {
  const origin = originOf(broken);
  return origin?.from === 'configuration' ? origin : ruleSourceText(broken);
}
