/** All code that may read the flags of a configuration. */

import type { KnownCode } from '../../references/use.ts';
import { searchCode, type CodePlace, type CodeSearch } from './search-code.ts';

export interface FoundCode {
  readonly code: KnownCode;
  /** The top of the repository, absolute: places in its code are relative to it. */
  readonly top: string;
}

/** @throws {FlagwrightError} `usage` for an unknown commit, `file` if git fails. */
export async function knowCode(place: CodePlace, search: CodeSearch): Promise<FoundCode> {
  const { top, repository } = await searchCode(place, search);
  return { top, code: { repositories: [repository], gaps: [] } };
}
