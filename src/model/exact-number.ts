/** Numbers that a double cannot hold: reading one from JSON text would silently change it. */

/** Whether a number as written in JSON is another one once it is parsed: `90071992547409921`, `1e400`. */
export function isRounded(literal: string): boolean {
  return decimal(literal) !== decimal(String(Number(literal)));
}

/** Whether JSON text holds such a number; numbers inside of texts do not count. */
export function holdsRoundedNumber(jsonText: string): boolean {
  for (const [token] of jsonText.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (!token.startsWith('"') && isRounded(token)) return true;
  }
  return false;
}

/** One form for all spellings of a decimal number: `1.50`, `15e-1` and `1.5` are the same. */
function decimal(literal: string): string {
  const parts = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal);
  if (parts === null) return literal;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${literal.startsWith('-') ? '-' : ''}${significant}e${scale}`;
}
