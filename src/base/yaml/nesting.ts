/** Finds nesting that would exhaust the parser's stack (a frame per level), before parsing. */

import { Lexer } from 'yaml';

/** Levels of nesting that a file may have; manifests need about a dozen. */
export const MAX_NESTING = 100;

/** The offset at which brackets, or indicators in a row (`- - -`), nest deeper than `MAX_NESTING`. */
export function findDeepNesting(text: string): number | undefined {
  return mayNestDeeply(text) ? findInTokens(text) : undefined;
}

// A rough count, with brackets in quotes included: cheap, and never too low.
function mayNestDeeply(text: string): boolean {
  let brackets = 0;
  let indicators = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x5b: // [
      case 0x7b: // {
        if (++brackets > MAX_NESTING) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (brackets > 0) brackets--;
        break;
      case 0x2d: // -
      case 0x3f: // ?
      case 0x3a: // :
        if (++indicators > MAX_NESTING) return true;
        break;
      case 0x2c: // ,
      case 0x0a: // line feed
      case 0x0d: // carriage return
        indicators = 0;
        break;
      default:
    }
  }
  return false;
}

const SCALAR_FOLLOWS = '\u001f';

// The exact count, on the tokens of the lexer.
function findInTokens(text: string): number | undefined {
  let brackets = 0;
  let indicators = 0;
  let offset = 0;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    const kind = scalar ? 'scalar' : kindOf(token);
    if (kind === 'open') brackets++;
    if (kind === 'close') brackets--;
    if (kind === 'indicator') indicators++;
    else if (kind !== 'space') indicators = 0;
    if (brackets > MAX_NESTING || indicators > MAX_NESTING) return offset;
    scalar = token === SCALAR_FOLLOWS;
    if (!isControl(token)) offset += token.length;
  }
  return undefined;
}

// Spaces and the properties of a node (anchor, tag) are allowed between two indicators that nest.
function kindOf(token: string): 'open' | 'close' | 'indicator' | 'space' | 'other' {
  if (token === '[' || token === '{') return 'open';
  if (token === ']' || token === '}') return 'close';
  if (token === '-' || token === '?' || token === ':') return 'indicator';
  return /^[ \t&!]/.test(token) ? 'space' : 'other';
}

// The lexer marks documents and scalars with control characters that are not in the text.
function isControl(token: string): boolean {
  return token === SCALAR_FOLLOWS || token === '\u0002' || token === '\u0018';
}
