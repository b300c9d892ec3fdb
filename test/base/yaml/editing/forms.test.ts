/** A member that takes the place of another form of the same value: every comment of the other form stays, or the edit is refused. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memberOf, type JsonObject } from '../../../../src/base/json.ts';
import { editYaml } from '../../../../src/base/yaml/editing/edit.ts';
import type { LayOut } from '../../../../src/base/yaml/editing/edits.ts';
import { readYaml } from '../../../../src/base/yaml/read.ts';
import { layOutMembers } from '../../../../src/core/manifest/write/layout.ts';
import { holds } from '../../../helpers/runs.ts';

const layOut: LayOut = Object.assign(
  (...[members, path, style]: Parameters<LayOut>) => layOutMembers(members, path.map(String), { blocks: {}, style }),
  { forms: [new Set(['filters', 'parts', 'rollout']), new Set(['other', 'x'])] },
);

function restate(text: string, from: string, to: JsonObject): { readonly after: string; readonly refused: unknown } {
  const edits = [
    { path: ['f', from] as const, value: undefined },
    ...Object.entries(to).map(([name, value]) => ({ path: ['f', name] as const, value })),
  ];
  const { text: after, refused } = editYaml(text, edits, { layOut });
  return { after, refused: refused.map(({ reason }) => reason) };
}

test.each([
  [
    'above it and on its line',
    'f:\n  a: 1\n  # for the pilot\n  rollout: 10 # agreed with legal\n',
    'rollout',
    { filters: { groups: 1 } },
    'f:\n  a: 1\n  # for the pilot\n  # agreed with legal\n  filters: { groups: 1 }\n',
  ],
  [
    'deep inside it',
    'f:\n  filters: # all\n    groups:\n      - a: "# no comment" # one\n        # two\n        b: [1, # three\n          2]\n      # four\n  z: 1 # z\n',
    'filters',
    { rollout: 5 },
    'f:\n  z: 1 # z\n  # all\n  # one\n  # two\n  # three\n  # four\n  rollout: 5\n',
  ],
  [
    'and none of a member that goes without another form',
    'f:\n  a: 1\n  other: # gone\n    - 1 # too\n',
    'other',
    { rollout: 5 },
    'f:\n  a: 1\n  rollout: 5\n',
  ],
])('the comments %s are above the other form', (_which, text, from, to, after) => {
  expect(restate(text, from, to)).toEqual({ after, refused: [] });
});

test('in brackets, an edit that would lose a comment is refused', () => {
  const text = 'f: {\n  filters: {\n    # agreed with legal\n    groups: 1 },\n  a: 1 }\n';
  expect(restate(text, 'filters', { rollout: 5 }).refused).toEqual(['reads-differently']);
});

/** A value as lines, each of which may have a comment; `indent`: of the lines below the first. */
const { value: arbitraryValue } = fc.letrec<{ value: (indent: string) => string }>((tie) => {
  const scalar = fc.constantFrom('1', "'# no comment'", 'x#y', 'null');
  const comment = fc.constantFrom('', '', ' #');
  const above = fc.constantFrom(false, false, true);
  const entry = fc.record({ inner: tie('value'), above, comment });
  return {
    value: fc.oneof(
      { maxDepth: 3 },
      fc.record({ scalar, comment }).map((one) => () => ` ${one.scalar}${one.comment}\n`),
      fc.constant((indent: string) => ` |\n${indent}  # text\n`),
      fc.record({ comment, flow: fc.constantFrom('[', '{') }).map((one) => (indent: string) => {
        const [element, close] = one.flow === '[' ? ['1', ']'] : ['k: 1', '}'];
        return ` ${one.flow} ${element},${one.comment}\n${indent}  l: 2${one.comment}\n${indent}  ${close}${one.comment}\n`;
      }),
      fc.record({ entries: fc.array(entry, { minLength: 1, maxLength: 3 }), isList: fc.boolean(), comment }).map(
        (one) => (indent: string) =>
          `${one.comment}\n${one.entries
            .map(({ inner, above: has }, index) => {
              const name = one.isList ? '-' : `m${index}:`;
              return `${has ? `${indent}  #\n` : ''}${indent}  ${name}${inner(`${indent}  `)}`;
            })
            .join('')}`,
      ),
    ),
  };
});

test('no restated value loses a comment', () => {
  const counts = { made: 0, refused: 0, comments: 0 };
  holds(
    2000,
    [arbitraryValue, arbitraryValue, fc.constantFrom('filters', 'parts'), fc.boolean()],
    (value, other, name, isFirst) => {
      const members = [`  ${name}:${value('  ')}`, `  z:${other('  ')}`];
      let number = 0;
      const text = `a: 1 # first\nf:\n${(isFirst ? members : members.toReversed()).join('')}b: 2 # last\n`.replaceAll(
        /(?<=^ *|[\w'\]},:|-] )#$/gm,
        () => `# c${(number += 1)}.`,
      );
      expect(readYaml('', text).diagnostics, text).toEqual([]);
      const { after, refused } = restate(text, name, { rollout: 5 });
      if ((refused as unknown[]).length > 0) {
        counts.refused += 1;
        expect(after).toBe(text);
        return;
      }
      counts.made += 1;
      const comments = text.match(/# (?:c\d+\.|first|last)/g) ?? [];
      counts.comments += comments.length;
      expect(
        comments.filter((comment) => !after.includes(comment)),
        `${text}---\n${after}`,
      ).toEqual([]);
      const [was, is] = [text, after].map((one) => readYaml('', one).documents[0]?.value as JsonObject);
      const { [name]: _gone, ...rest } = memberOf(was ?? {}, 'f') as JsonObject;
      expect(is).toEqual({ ...was, f: { ...rest, rollout: 5 } });
    },
  );
  expect(counts.comments).toBeGreaterThan(1000);
  expect(counts.refused / (counts.made + counts.refused)).toBeLessThan(0.02);
});
