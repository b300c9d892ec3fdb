/** Names in place of what is hashed, while only the way of the decisions matters. No real identifier begins with them. */

export const PERSON = '\u0000person';
export const DEVICE = '\u0000device';
/** Followed by the index of the type. */
export const GROUP = '\u0000group ';
