/** The levels of access to a flag. */

/** From the lowest to the highest. */
export const LEVELS = ['none', 'viewer', 'editor', 'manager'] as const;

/** The level of everyone where neither the flag nor the project has another one. */
export const DEFAULT_LEVEL = 'editor';

/** What the rules of a flag are about. */
export const RESOURCE = 'feature_flag';
