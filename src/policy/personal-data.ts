/** Whether a text identifies a person. In time proportional to its length, whatever it contains. */

import type { PersonalData } from './finding.ts';

/** Only what is surely meant: a pattern for a whole domain names nobody. */
export function findPersonalData(text: string): PersonalData | undefined {
  if (hasEmail(text)) return 'email';
  return PHONE.test(text.slice(0, LONGEST_PHONE + 1)) ? 'phone' : undefined;
}

function hasEmail(text: string): boolean {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    if (LOCAL_END.test(text.charAt(at - 1)) && DOMAIN.test(text.slice(at + 1, at + LONGEST_DOMAIN))) return true;
  }
  return false;
}

const LONGEST_DOMAIN = 255;
const LOCAL_END = /[\p{L}\p{N}_-]/u;
/** A backslash may stand before a dot in a regular expression. */
const DOMAIN = /^[\p{L}\p{N}-]{1,63}(?:\\?\.[\p{L}\p{N}-]{1,63}){0,9}?\\?\.\p{L}{2}/u;

const LONGEST_PHONE = 24;
/** International: a plus, and 8 to 15 digits with the usual separators. */
const PHONE = /^\s*\+[1-9](?:[ ()./-]{0,2}\d){7,14}\s*$/;
