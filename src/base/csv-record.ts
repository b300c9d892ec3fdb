/** Reads one record of a CSV text (RFC 4180). */

/** The cells; `undefined` for a text in which quotes stand where they may not. */
export function splitRecord(text: string): readonly string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    CELL.lastIndex = at;
    const found = CELL.exec(text);
    if (found === null) return undefined;
    const [whole, quoted] = found;
    cells.push(quoted === undefined ? whole : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (at >= text.length) return cells;
    if (text[at] !== ',') return undefined;
  }
}

const CELL = /"([^"]*(?:""[^"]*)*)"(?!")|[^",]*/y;

/** Whether a line leaves a quoted cell open. `isInside`: the line begins in one. */
export function isOpenRecord(line: string, isInside: boolean): boolean {
  const text = isInside ? `"${line}` : line;
  for (let at = 0; at <= text.length; at += 1) {
    CELL.lastIndex = at;
    const whole = CELL.exec(text)?.[0] ?? '';
    if (whole === '' && text[at] === '"') return true;
    at += whole.length;
    if (text[at] !== ',') return false;
  }
  return false;
}
