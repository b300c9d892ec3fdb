import { expect, test } from 'vitest';
import { createPlacer, placeAt, type PlaceTree } from '../../src/base/place.ts';

const at = (line: number): PlaceTree['place'] => ({ file: 'a.yaml', line, column: 1 });
const TREE: PlaceTree = {
  place: at(1),
  children: { filters: { place: at(2), children: { groups: { place: at(3) } } }, active: { place: at(4) } },
};

test('a value has its own place, or that of the nearest value around it', () => {
  const paths = ['', '/filters', '/filters/groups/0', '/active', '/other', '/filters/constructor', '/active/deeper'];
  expect(paths.map((path) => placeAt(TREE, path).line)).toEqual([1, 2, 3, 4, 1, 2, 4]);
});

test('lines and columns count from 1, and a byte order mark takes none', () => {
  const placesIn = (text: string): string[] => {
    const place = createPlacer('a.yaml', text);
    return Array.from(text, (_, offset) => place(offset)).map(({ line, column }) => `${line}:${column}`);
  };
  expect(placesIn('ab\n\nc')).toEqual(['1:1', '1:2', '1:3', '2:1', '3:1']);
  expect(placesIn('\u{feff}ab\nc')).toEqual(['1:1', '1:1', '1:2', '1:3', '2:1']);
});
