/** Random filters as older services may have stored them: valid ones with a few broken leaves. */

import fc from 'fast-check';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { filters } from '../../helpers/arbitraries.ts';
import { ANY_CHARACTER } from '../../helpers/any-character.ts';

const TREE = { type: 'AND', values: [{ key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' }] };
const PLAIN_VALUES: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  150,
  1e21,
  '',
  '5',
  'nobody',
  [],
  {},
  ['a', null],
  [[{}]],
  { a: 1 },
  TREE,
];
const MEANINGFUL = [
  'is_cool',
  'gt',
  'regex',
  'icontains',
  'between',
  'in',
  'flag_evaluates_to',
  'is_date_before',
  'semver_eq',
  '(a',
  'flag',
  'cohort',
  'group',
  'event',
  '1',
  'other',
  '42',
  'beta-testers',
  '-7d',
];
const HARD_TEXTS = [
  '<<',
  '~',
  'null',
  'yes',
  '0x1',
  '2024-01-01',
  ' a ',
  'a\r\nb',
  '\u{1b}[1m',
  '\u{2028}',
  '\u{0}',
  '\ud800',
  '🚧',
  "it's",
  '- a',
  'k: v # c',
];
const NAMES = [
  'operater',
  'bytecode',
  'version',
  'type',
  'value',
  'groups',
  'variant',
  'payloads',
  'super_groups',
  'cohort_name',
  'label',
  '__proto__',
  'constructor',
  '',
  '<<',
  'a: b',
  '#',
  'true',
  '7',
  '\n',
  'k'.repeat(1100),
];

const badValue: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom(...PLAIN_VALUES),
  fc.constantFrom(...MEANINGFUL),
  fc.constantFrom(...HARD_TEXTS),
  fc.string({ unit: ANY_CHARACTER, maxLength: 6 }),
);

interface Break {
  /** Selects a value in the filters: its index in document order, modulo their number. */
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'add' | 'wrap' | 'spread' | 'as-text';
  readonly value: JsonValue;
  readonly name: string;
}

const oneBreak: fc.Arbitrary<Break> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'wrap', 'spread', 'as-text'),
  value: badValue,
  name: fc.constantFrom(...NAMES),
});

const property: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  { key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true },
  { key: '11', type: 'flag', operator: 'flag_evaluates_to', value: 'control' },
  { key: 'email', type: 'person', operator: 'regex', value: '@acme\\.com$' },
  { key: 'seats', type: 'person', operator: 'gte', value: '5' },
  { key: 'joined', type: 'person', operator: 'is_date_after', value: '2024-01-01' },
);

export const soundFilters: fc.Arbitrary<JsonObject> = fc.oneof(
  filters(),
  fc.array(property, { maxLength: 3 }).map((properties) => ({ groups: [{ properties, rollout_percentage: 60 }] })),
);

const brokenFilters: fc.Arbitrary<JsonObject> = fc
  .tuple(soundFilters, fc.array(oneBreak, { minLength: 1, maxLength: 3 }))
  .map(([sound, breaks]) => {
    const broken = breaks.reduce<JsonValue>(breakOne, sound);
    return isJsonObject(broken) ? broken : { groups: broken };
  });

const legacyFlag = fc.record({
  filters: fc.oneof({ weight: 1, arbitrary: soundFilters }, { weight: 4, arbitrary: brokenFilters }),
  active: fc.boolean(),
  suffix: fc.oneof(
    { weight: 19, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('/main', ' 2', '.ü') },
  ),
});

/** A project: a flag that others may depend on, valid and broken ones, and sometimes a key that is invalid in manifests. */
export function legacyFlags(size: { readonly minLength: number; readonly maxLength: number }): fc.Arbitrary<Flag[]> {
  return fc.array(legacyFlag, size).map((flags) => [
    { id: 1, key: 'other', active: true, filters: { groups: [{}] } } as Flag,
    ...flags.map(({ filters: own, active, suffix }, index) => {
      const key = `flag-${index}${suffix}`;
      return { id: 10 + index, key, name: '', active, tags: [], filters: own } as Flag;
    }),
  ]);
}

/** Copies the value and changes the part with index `at`. */
function breakOne(root: JsonValue, change: Break): JsonValue {
  const size = countValues(root);
  const state = { left: change.at % size };
  return rewrite(root, change, state) ?? {};
}

function countValues(value: JsonValue | undefined): number {
  const children = isJsonArray(value) || isJsonObject(value) ? Object.values(value) : [];
  return children.reduce<number>((sum, child) => sum + countValues(child), 1);
}

function rewrite(value: JsonValue | undefined, change: Break, state: { left: number }): JsonValue | undefined {
  if (value === undefined) return undefined;
  state.left -= 1;
  if (state.left < 0) {
    state.left = Infinity;
    return broken(value, change);
  }
  if (isJsonArray(value)) return value.flatMap((element) => rewrite(element, change, state) ?? []);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, rewrite(member, change, state)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function broken(value: JsonValue, { how, value: other, name }: Break): JsonValue | undefined {
  switch (how) {
    case 'replace':
      return other;
    case 'remove':
      return undefined;
    case 'wrap':
      return [value];
    case 'as-text':
      return JSON.stringify(value);
    case 'add':
      return isJsonObject(value) ? Object.fromEntries([...Object.entries(value), [name, other]]) : { [name]: value };
    case 'spread':
      return isJsonArray(value) ? Object.fromEntries(value.map((element, index) => [index, element])) : [value, other];
  }
}
