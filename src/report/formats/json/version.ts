/** The version of every document but the plan's, which has its own. */

/** `schemas/*.schema.json` describe it. */
export const FORMAT_VERSION = '1.0';
