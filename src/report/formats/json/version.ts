/** The version of every document except the plan, which has its own. */

/** `schemas/*.schema.json` describe it. */
export const FORMAT_VERSION = '1.0';
