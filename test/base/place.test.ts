import { expect, test } from 'vitest';
import { createPlacer, placeAt, type PlaceTree, withPlace } from '../../src/base/place.ts';

const at = (line: number): PlaceTree['place'] => ({ file: 'a.yaml', line, column: 1 });
const TREE: PlaceTree = {
  place: at(1),
  children: { filters: { place: at(2), children: { groups: { place: at(3) } } }, active: { place: at(4) } },
};

test('a value gets another place, and all others keep theirs', () => {
  const moved = withPlace(TREE, '/filters', at(9));
  expect(['', '/filters', '/filters/groups', '/active'].map((path) => placeAt(moved, path).line)).toEqual([1, 9, 3, 4]);
  expect(placeAt(withPlace(TREE, '/filters/groups', at(9)), '/filters/groups/0')).toEqual(at(9));
});

test.each(['/other', '/filters/constructor', '/active/deeper'])('the tree has no value at %s, and stays', (path) => {
  expect(withPlace(TREE, path, at(9))).toEqual(TREE);
});

test('lines and columns count from 1, and a byte order mark takes none', () => {
  const placesIn = (text: string): string[] => {
    const place = createPlacer('a.yaml', text);
    return Array.from(text, (_, offset) => place(offset)).map(({ line, column }) => `${line}:${column}`);
  };
  expect(placesIn('ab\n\nc')).toEqual(['1:1', '1:2', '1:3', '2:1', '3:1']);
  expect(placesIn('\u{feff}ab\nc')).toEqual(['1:1', '1:1', '1:2', '1:3', '2:1']);
});
