/** Finding words of a set in the bytes of a file. */

import { expect, test } from 'vitest';
import { wordSet } from '../../../src/code/references/tokens.ts';

function found(
  text: string,
  {
    words = [],
    parts = [],
    anyCasing = [],
    everyRun = false,
  }: { words?: string[]; parts?: string[]; anyCasing?: string[]; everyRun?: boolean },
): { readonly words: string[]; readonly runs: string[] } {
  const [hits, runs]: [string[], string[]] = [[], []];
  wordSet(words, { parts, anyCasing }).find(Buffer.from(text, 'latin1'), {
    onWord: (word, start) => hits.push(`${word} ${start}`),
    onRun: (word, start) => runs.push(`${word} ${start}`),
    everyRun,
  });
  return { words: hits, runs };
}

test.each<[text: string, words: string[], hits: string[]]>([
  ['new', ['new'], ['new 0']],
  ['(new)', ['new'], ['new 1']],
  ['new new', ['new'], ['new 0', 'new 4']],
  ['new-checkout', ['new', 'checkout', 'new-checkout'], ['new 0', 'checkout 4', 'new-checkout 0']],
  ['a-new-b', ['new'], ['new 2']],
  ['new_checkout', ['new', 'new_checkout'], ['new_checkout 0']],
  ['anew newa', ['new'], []],
  ['New', ['new'], []],
  ['-new-', ['new', '-new-'], ['new 1', '-new- 0']],
  ['v2.new9', ['v2', 'new9'], ['v2 0', 'new9 3']],
  ['n\xe9w', ['n', 'w'], ['n 0', 'w 2']],
  ['', ['new'], []],
])('in %j the words of %j are %j', (text, words, hits) => {
  expect(found(text, { words }).words).toEqual(hits);
});

test('words of any casing are found as they are written', () => {
  expect(found('New NEW-x new', { anyCasing: ['new'] }).words).toEqual(['New 0', 'NEW 4', 'new 10']);
});

test.each<[text: string, runs: string[]]>([
  ["'new'", ['new 1']],
  ['"new"', ['new 1']],
  ['`new`', ['new 1']],
  ['`new${x}`', ['new 1']],
  ['}new', ['new 1']],
  ['$new', ['new 1']],
  ['%new', ['new 1']],
  [')new', ['new 1']],
  ['>new', ['new 1']],
  ['@new', ['new 1']],
  ['^new', ['new 1']],
  ['new$', ['new 0']],
  ['new#{', ['new 0']],
  ['new@', ['new 0']],
  ['new{', ['new 0']],
  ['new%', ['new 0']],
  ['new<', ['new 0']],
  ['new\\', ['new 0']],
  ['new*', ['new 0']],
  ['new-', ['new- 0']],
  ['_new', ['_new 0']],
  ["'NEW-x_y'", ['NEW-x_y 1']],
  ["'x-New'", ['x-New 1']],
  ['new', []],
  ['(new)', []],
  ["'anew'", []],
  ["'x'", []],
])('in %j, runs that may be a part of a key are %j', (text, runs) => {
  expect(found(text, { parts: ['new'] }).runs).toEqual(runs);
});

test('each run with a part is told where strings need no quotes, but for one that is too long for a key', () => {
  expect(found('new x-new y', { parts: ['new'], everyRun: true }).runs).toEqual(['new 0', 'x-new 4']);
  const run = (length: number): string => `new-${'x'.repeat(length - 4)}`;
  expect(found(run(400), { parts: ['new'], everyRun: true }).runs).toHaveLength(1);
  expect(found(run(401), { parts: ['new'], everyRun: true }).runs).toEqual([]);
});
