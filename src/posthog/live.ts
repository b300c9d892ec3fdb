/** Live state: what the service holds for one project, as far as the run needs it. */

import type { Trace } from '../engine/trace.ts';
import type { FlagSurroundings } from './flag/surroundings.ts';
import type { ByFamily, FamilyName, FamilyTypes } from './kind-types.ts';

/**
 * Every flag that the service lists, with archived ones if the run needs them. Of each further family, the resources that are not
 * deleted, and those with a wanted id; absent where none was wanted.
 */
export interface LiveState
  extends ByFamily<{ readonly [Name in FamilyName]: readonly FamilyTypes[Name]['live'][] }>, FlagSurroundings {
  /** What became of declared resources that are not found, by family; each name at most once. */
  readonly traces?: Partial<Readonly<Record<FamilyName, readonly Trace[]>>>;
}
