/** The key that the service makes of the name of an early access feature. */

/** Letters without accents, digits, dashes and underscores; other characters are dropped. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\P{ASCII}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/[-\s]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '');
}
