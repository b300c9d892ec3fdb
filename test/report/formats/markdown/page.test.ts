import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitEntries, type FittedEntry } from '../../../../src/report/formats/markdown/page.ts';
import { holds } from '../../../helpers/runs.ts';

const line = fc.string({ unit: fc.constantFrom('a', 'ü', '💻'), minLength: 1, maxLength: 8 });
const entry = fc
  .tuple(line, fc.array(line, { maxLength: 3 }))
  .map(([brief, details]): FittedEntry => ({ brief, full: [brief, ...details] }));
const entries = fc.array(entry, { minLength: 1, maxLength: 12 });

/** With their line breaks. */
const bytes = (lines: readonly string[]): number => Buffer.byteLength(lines.map((one) => `${one}\n`).join(''));
const wholeOf = (all: readonly FittedEntry[]): number => bytes(all.flatMap(({ full }) => full));
const namesOf = (all: readonly FittedEntry[]): number => bytes(all.map(({ brief }) => brief));

test('what is shown fits, and the last entries are left out first', () => {
  holds(200, [entries, fc.nat(400)], (all, space) => {
    const fits = fitEntries(all, space);
    const shown = all.flatMap(({ full, brief }, index) => {
      if (fits[index] === 'hidden') return [];
      return fits[index] === 'full' ? full : [brief];
    });
    expect(bytes(shown)).toBeLessThanOrEqual(space);
    const first = fits.indexOf('hidden');
    if (first !== -1) expect(new Set(fits.slice(first))).toEqual(new Set(['hidden']));
  });
});

test('the first byte that is missing shortens one entry, and the first that is missing for the names hides the last', () => {
  holds(200, [entries], (all) => {
    const whole = fitEntries(all, wholeOf(all));
    expect(new Set(whole)).toEqual(new Set(['full']));
    const less = fitEntries(all, wholeOf(all) - 1);
    if (wholeOf(all) > namesOf(all)) {
      expect(less.filter((fit) => fit !== 'full')).toEqual(['brief']);
      expect(fitEntries(all, namesOf(all))).not.toContain('hidden');
    }
    const unnamed = fitEntries(all, namesOf(all) - 1);
    expect(unnamed.filter((fit) => fit === 'hidden')).toEqual(['hidden']);
    expect(unnamed.at(-1)).toBe('hidden');
    expect(new Set(fitEntries(all, 0))).toEqual(new Set(['hidden']));
  });
});
