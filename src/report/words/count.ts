/** A count with its noun: `1 flag`, `2 flags`. */

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}
