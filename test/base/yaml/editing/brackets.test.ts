/** Brackets of any form: entries that share lines, comments above and behind them, trailing commas. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definedKeys, isJsonArray, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import { keptInOrder } from '../../../../src/base/longest-increasing-subsequence.ts';
import { alignElements } from '../../../../src/base/yaml/editing/align.ts';
import { editYaml } from '../../../../src/base/yaml/editing/edit.ts';
import type { LayOut } from '../../../../src/base/yaml/editing/edits.ts';
import { readYaml } from '../../../../src/base/yaml/read.ts';
import { layOutMembers } from '../../../../src/core/manifest/write/layout.ts';
import { holds } from '../../../helpers/runs.ts';

const layOut: LayOut = (members, path, style) => layOutMembers(members, path.map(String), { blocks: {}, style });

function edit(text: string, value: JsonValue | undefined, path: [string, ...(string | number)[]] = ['a']) {
  const { text: after, refused } = editYaml(text, [{ path, value }], { layOut });
  return { after, refused: refused.map(({ reason }) => reason) };
}

describe('an entry goes with its comments, and no other', () => {
  test.each<[what: string, before: string, value: JsonValue, after: string]>([
    [
      'of the line of the bracket, whose comment may be about all',
      'a: [growth, # owner\n  # about beta\n  beta, ramp]\n',
      ['beta', 'ramp'],
      'a: [ # owner\n  # about beta\n  beta, ramp]\n',
    ],
    [
      'of a line with others',
      'a: [growth, # owner\n  # about beta\n  beta, ramp]\n',
      ['growth', 'ramp'],
      'a: [growth, # owner\n  # about beta\n  ramp]\n',
    ],
    [
      'before a comment of the next one',
      'a: { description: all,\n  # ramp, see RFC 7\n  rollout_percentage: 5 }\n',
      { rollout_percentage: 5 },
      'a: {\n  # ramp, see RFC 7\n  rollout_percentage: 5 }\n',
    ],
    [
      'on the line of the closing bracket',
      'a: { description: all,\n  # ramp, see RFC 7\n  rollout_percentage: 5 }\n',
      { description: 'all' },
      'a: { description: all }\n',
    ],
    [
      'of all',
      'a: [\n  # the owner\n  x, # x\n\n  # about the list\n\n  y,\n]\n',
      [],
      'a: [\n\n  # about the list\n\n]\n',
    ],
    ['of all without a comment that stays', 'a: [\n  x, # x\n  y\n]\n', [], 'a: []\n'],
    [
      'alone on its line',
      'a: [\n  x, # x\n  # y, too\n  y, # y\n  z # z\n]\n',
      ['x', 'z'],
      'a: [\n  x, # x\n  z # z\n]\n',
    ],
    ['at the end', 'a: [\n  x, # x\n  y # y\n]\n', ['x'], 'a: [\n  x # x\n]\n'],
    ['of a line that others have', 'a: [x, y, # both\n  z]\n', ['x', 'z'], 'a: [x, # both\n  z]\n'],
  ])('%s', (_, before, value, after) => {
    expect(edit(before, value)).toEqual({ after, refused: [] });
  });
});

describe('an entry comes', () => {
  test.each<[what: string, before: string, value: JsonValue, after: string]>([
    ['below one with a comment', 'a: [x, # x\n  y]\n', ['x', 'new', 'y'], 'a: [x, # x\n  new,\n  y]\n'],
    ['behind one that shares its line', 'a: [x, y,\n  z]\n', ['x', 'new', 'y', 'z'], 'a: [x, new, y,\n  z]\n'],
    ['at the end of a line', 'a: [\n  x, y ]\n', ['x', 'y', 'new'], 'a: [\n  x, y, new ]\n'],
    ['behind a comment at the end', 'a: [\n  x, y # both\n]\n', ['x', 'y', 'new'], 'a: [\n  x, y, # both\n  new\n]\n'],
    ['in place of one on its line', 'a: [\n  x, # x\n  y # y\n]\n', ['x', 'new'], 'a: [\n  x, # x\n  new # y\n]\n'],
    ['in place of one that shares its line', 'a: [x, y, # c\n  z]\n', ['x', 'new', 'z'], 'a: [x, new, # c\n  z]\n'],
    ['into brackets with a comment', 'a: [ # none yet\n]\nb: 1\n', ['new'], 'a: [ # none yet\n  new\n]\nb: 1\n'],
    ['before the first', 'a: [\n  # x\n  x ]\n', ['new', 'x'], 'a: [\n  new,\n  # x\n  x ]\n'],
  ])('%s', (_, before, value, after) => {
    expect(edit(before, value)).toEqual({ after, refused: [] });
  });
});

interface Drawn {
  readonly text: string;
  /** The comments above and at the end of a line, which belong to its entries together. */
  readonly owned: readonly { readonly entries: readonly string[]; readonly comments: readonly string[] }[];
  readonly others: readonly string[];
}

/** One separator for each place between entries: what is behind the comma, and what is above the next entry. */
const place = fc.record({
  isBreak: fc.boolean(),
  comment: fc.boolean(),
  above: fc.nat({ max: 2 }),
  isBlank: fc.boolean(),
});
type Place = typeof place extends fc.Arbitrary<infer One> ? One : never;

interface Drawing {
  readonly kind: 'list' | 'mapping';
  readonly isTrailing: boolean;
  readonly places: readonly Place[];
}

/** Writes the entries with their comments, each with a number of its own. */
function draw(names: readonly string[], { kind, isTrailing, places }: Drawing): Drawn {
  let count = 0;
  const comment = (): string => `# c${(count += 1)}.`;
  const lines: { text: string; entries: string[]; above: string[]; end: string[]; isBracket: boolean }[] = [];
  const [open, close] = kind === 'list' ? ['[', ']'] : ['{', '}'];
  let line = {
    text: `a: ${open}`,
    entries: [] as string[],
    above: [] as string[],
    end: [] as string[],
    isBracket: true,
  };
  const others: string[] = [];
  const separate = ({ isBreak, comment: has, above, isBlank }: Place): void => {
    if (!isBreak && !has) {
      line.text += ' ';
      return;
    }
    if (has) {
      const text = comment();
      line.text += ` ${text}`;
      line.end.push(text);
    }
    lines.push(line);
    line = { text: '', entries: [], above: [], end: [], isBracket: false };
    const texts = Array.from({ length: above }, comment);
    line.above.push(...(isBlank ? [] : texts));
    others.push(...(isBlank ? texts : []));
    line.text = texts.map((text) => `  ${text}\n`).join('') + (isBlank ? '\n' : '') + '  ';
  };
  for (const [index, name] of names.entries()) {
    separate(places[index] ?? { isBreak: false, comment: false, above: 0, isBlank: false });
    line.entries.push(name);
    line.text += (kind === 'list' ? name : `${name}: 1`) + (index < names.length - 1 || isTrailing ? ',' : '');
  }
  separate(places[names.length] ?? { isBreak: true, comment: false, above: 0, isBlank: false });
  if (line.entries.length === 0) others.push(...line.above);
  lines.push({ ...line, text: `${line.text}${close}`, isBracket: true });
  const owned = lines.map(({ entries, above, end, isBracket }) => {
    others.push(...(isBracket || entries.length === 0 ? end : []));
    return { entries, comments: [...above, ...(isBracket ? [] : end)] };
  });
  return { text: `${lines.map(({ text }) => text).join('\n')}\nb: 1 # last\n`, owned, others };
}

/** A line without what follows its last value. */
const bare = (line: string): string => line.replace(/,?(?: ?[\]}])?(?=$| #)/, '');

const NAMES = ['k', 'l', 'm', 'n', 'o'];
const drawing = fc.record({
  kind: fc.constantFrom<'list' | 'mapping'>('list', 'mapping'),
  isTrailing: fc.boolean(),
  places: fc.array(place, { minLength: 6, maxLength: 6 }),
});

test('no edit of brackets of any form loses the comment of what stays, or changes another line', () => {
  const results = { edits: 0, refused: 0 };
  holds(
    2000,
    [
      fc.subarray(NAMES, { minLength: 1 }),
      drawing,
      fc.subarray(NAMES),
      fc.array(fc.record({ at: fc.nat({ max: 5 }), name: fc.constantFrom('p', 'q', 'r') }), { maxLength: 2 }),
    ],
    (names, form, staying, added) => {
      const { text, owned, others } = draw(names, form);
      const kept = names.filter((name) => staying.includes(name));
      const wanted = [...new Set(added.reduce((all, { at, name }) => all.toSpliced(at, 0, name), kept))];
      const value: JsonValue = form.kind === 'list' ? wanted : Object.fromEntries(wanted.map((one) => [one, 1]));
      expect(readYaml('', text).diagnostics, text).toEqual([]);
      const { after, refused } = edit(text, value);
      results.edits += 1;
      results.refused += refused.length;
      if (refused.length > 0) {
        expect(after).toBe(text);
        return;
      }
      const read = readYaml('', after).documents[0]?.value as JsonObject;
      const found = read['a'] ?? null;
      expect(isJsonArray(found) ? found : definedKeys(found as JsonObject).toSorted(), after).toEqual(
        form.kind === 'list' ? wanted : wanted.toSorted(),
      );
      const required = [
        ...others,
        ...owned.flatMap(({ entries, comments }) => (entries.some((one) => kept.includes(one)) ? comments : [])),
        '# last',
      ];
      expect(
        required.filter((comment) => !after.includes(comment)),
        `${text}\n---\n${after}`,
      ).toEqual([]);
      const inPlace = keptInOrder(alignElements(names, wanted));
      const stays = (one: string): boolean => form.kind === 'mapping' || inPlace.has(names.indexOf(one));
      // A line of entries that stay where they are, and of nothing else, is there as it was, but for the comma or bracket at its end.
      const same = text.split('\n').filter((line) => /^ {2}[k-o](?:: 1)?,?(?: #.*)?$/.test(line));
      for (const line of same.filter((one) => kept.includes(one[2] ?? '') && stays(one[2] ?? ''))) {
        expect(after.split('\n').map(bare), `${text}\n---\n${after}`).toContain(bare(line));
      }
      expect(after.endsWith('\nb: 1 # last\n'), after).toBe(true);
    },
  );
  // Nearly everything can be written.
  expect(results.refused / results.edits).toBeLessThan(0.02);
});
