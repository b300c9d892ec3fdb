import { expect, test } from 'vitest';
import { TextMemo } from '../../src/base/text-memo.ts';

function counting(mostCharacters: number): { get: (name: string, text: string) => string; made: string[] } {
  const memo = new TextMemo<string>(mostCharacters);
  const made: string[] = [];
  const make = (name: string, text: string) => (): string => {
    made.push(`${name} ${text}`);
    return `${name} made of ${text}`;
  };
  return { get: (name, text) => memo.get(name, text, make(name, text)), made };
}

test('equal texts are made once', () => {
  const { get, made } = counting(100);
  expect([get('a', 'x'), get('b', 'y'), get('a', 'x'), get('b', 'y')]).toEqual([
    'a made of x',
    'b made of y',
    'a made of x',
    'b made of y',
  ]);
  expect(made).toEqual(['a x', 'b y']);
});

test('another text of a name, and the text under another name, are made for themselves', () => {
  const { get, made } = counting(100);
  expect([get('a', 'x'), get('a', 'y'), get('b', 'x'), get('a', 'y')]).toEqual([
    'a made of x',
    'a made of y',
    'b made of x',
    'a made of y',
  ]);
  expect(made).toEqual(['a x', 'a y', 'b x']);
});

test('the texts that were not asked for longest are forgotten', () => {
  const { get, made } = counting(6);
  for (const text of ['aa', 'bb', 'cc', 'aa', 'dd', 'aa', 'cc', 'bb']) get('', text);
  expect(made).toEqual([' aa', ' bb', ' cc', ' dd', ' bb']);
});

test('a text that is longer than all together is made each time', () => {
  const { get, made } = counting(6);
  for (const text of ['aaaaaaa', 'b', 'aaaaaaa', 'b']) get('', text);
  expect(made).toEqual([' aaaaaaa', ' b', ' aaaaaaa', ' b']);
});
