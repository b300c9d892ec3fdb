/** The levels of access to a flag. */

/** Sorted from the lowest to the highest. */
export const LEVELS = ['none', 'viewer', 'editor', 'manager'] as const;

/** The level of everyone where neither the flag nor the project has another one. */
export const DEFAULT_LEVEL = 'editor';

/** The resource of the rules of a flag. */
export const RESOURCE = 'feature_flag';
