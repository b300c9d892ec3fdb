/**
 * `filters` with rules (format version 2): what a document may hold, and the rules of one. (docs/service/rules.md)
 */

import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  memberOf,
  nestsWithin,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import type { Property } from '../posthog/flag/model/flag.ts';
import { OPERATORS } from '../posthog/flag/model/operators.ts';

/** A document that the service evaluates. */
export interface RuleDocument {
  /** Null leaves the choice to the code that reads the flag. */
  readonly default_value: JsonValue;
  readonly rules: readonly FlagRule[];
}

export interface FlagRule {
  readonly id: string;
  readonly rule_type: string;
  readonly targeting: { readonly properties: readonly Property[] };
  /** Absent in a split, whose variants have values. */
  readonly value?: JsonValue;
  /** Absent in a rule for everybody whom it targets. */
  readonly rollout_percentage?: number;
  readonly on_rollout_miss?: 'continue' | 'return_default';
  readonly seed?: string;
  readonly paused?: boolean;
  readonly variants?: readonly { readonly key: string; readonly weight: number; readonly value: JsonValue }[];
  readonly holdout?: { readonly seed: string; readonly exclusion_percentage: number };
}

export interface RuleProblem {
  readonly code: 'invalid' | 'required' | 'unknown_field' | 'unsupported' | 'limit_exceeded' | 'not_unique';
  /** `filters.rules[0].value` */
  readonly path: string;
  readonly expected: string;
}

/** The rules of a document; `undefined` for one that the service cannot evaluate. */
export function readRules(filters: JsonObject): RuleDocument | undefined {
  const known = READ.get(filters);
  if (known !== undefined) return known ?? undefined;
  const isKnown = memberOf(filters, 'version') === 2 && findRuleProblem(filters) === undefined;
  const document = isKnown ? withOpposites(filters as unknown as RuleDocument) : null;
  READ.set(filters, document);
  return document ?? undefined;
}

const READ = new WeakMap<JsonObject, RuleDocument | null>();

/** Puts the opposite operator in place of a negation where there is one: it has the same answer. */
function withOpposites({ rules, ...others }: RuleDocument): RuleDocument {
  const plain = ({ negation, ...property }: Property): Property => {
    if (negation !== true) return property;
    const operator = OPPOSITES.get(property.operator ?? 'exact');
    return operator === undefined ? { ...property, negation } : { ...property, operator };
  };
  return {
    ...others,
    rules: rules.map((rule) => ({ ...rule, targeting: { properties: rule.targeting.properties.map(plain) } })),
  };
}

/** Operators that can compare any two values, and their negations. */
const OPPOSITES: ReadonlyMap<string, string> = new Map(
  ['exact', 'is_set', 'icontains', 'icontains_multi', 'starts_with', 'ends_with'].flatMap((name) => {
    const negation = Object.entries(OPERATORS).find(([, { negates }]) => negates === name)?.[0] ?? '';
    return [[name, negation] as const, [negation, name] as const];
  }),
);

/** The first problem of a document that the service would neither store nor evaluate. */
export function findRuleProblem(document: JsonObject): RuleProblem | undefined {
  const [first] = problemsIn(document);
  return first;
}

const SIZE_LIMIT = 512 * 1024;
const MOST_RULES = 100;
const MOST_PROPERTIES = 100;
const LONGEST_SEED = 400;
const RESERVED = ['$false', '$true'];
const DEEPEST = 20;

interface MemberRule {
  readonly fits: (value: JsonValue) => boolean;
  readonly expected: string;
  readonly isOptional?: true;
}

type MemberRules = Readonly<Record<string, MemberRule>>;

function* problemsIn(document: JsonObject): Generator<RuleProblem, void> {
  if (Buffer.byteLength(canonicalText(document)) > SIZE_LIMIT) {
    yield { code: 'limit_exceeded', path: 'filters', expected: 'The document is too large.' };
  }
  const { return_type: type } = document;
  const value = (typeof type === 'string' ? memberOf(VALUES, type) : undefined) ?? ANY;
  yield* membersIn(document, 'filters', {
    version: { fits: (version) => version === 2, expected: 'Must be 2.' },
    return_type: oneOf(Object.keys(VALUES)),
    default_value: { ...value, fits: (fallback) => fallback === null || value.fits(fallback) },
    rules: listUpTo(MOST_RULES),
    aggregation_group_type_index: { fits: (type) => type === null, expected: 'Must be null.', isOptional: true },
  });
  const ids = new Set<JsonValue>();
  for (const [index, rule] of (document['rules'] as readonly JsonValue[]).entries()) {
    const path = `filters.rules[${index}]`;
    if (!isJsonObject(rule)) yield { code: 'invalid', path, expected: OBJECT.expected };
    else yield* problemsOfRule(rule, path, value);
    const { id = null } = rule as JsonObject;
    if (ids.has(id)) yield { code: 'not_unique', path: `${path}.id`, expected: 'Another rule has this id.' };
    ids.add(id);
  }
}

const ANY: MemberRule = { fits: () => true, expected: '' };
const TEXT: MemberRule = { fits: (value) => typeof value === 'string', expected: 'Must be a string.' };
const TRUTH: MemberRule = { fits: (value) => typeof value === 'boolean', expected: 'Must be true or false.' };
const OBJECT: MemberRule = { fits: isJsonObject, expected: 'Must be an object.' };
const NULL: MemberRule = { fits: (value) => value === null, expected: 'Must be null.' };
const NAME: MemberRule = { fits: (value) => typeof value === 'string' && value !== '', expected: 'Must be a string.' };
const SEED: MemberRule = {
  fits: (value) => typeof value === 'string' && value !== '' && value.length <= LONGEST_SEED,
  expected: `Must be a string of at most ${LONGEST_SEED} characters.`,
};
const PERCENTAGE: MemberRule = {
  fits: (value) => typeof value === 'number' && value >= 0 && value <= 100 && /^\d+(\.\d\d?)?$/.test(String(value)),
  expected: 'Must be between 0 and 100, with at most two decimal places.',
};

/** What a rule may answer, by the type that the document returns. */
const VALUES: MemberRules = {
  boolean: TRUTH,
  string: {
    fits: (value) => typeof value === 'string' && value !== '' && !RESERVED.includes(value),
    expected: 'Must be a string that is neither empty nor reserved.',
  },
  number: {
    fits: (value) => typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER,
    expected: 'Must be a number that every client can hold.',
  },
  object: {
    fits: (value) => isJsonObject(value) && nestsWithin(value, DEEPEST),
    expected: `Must be an object with at most ${DEEPEST} levels.`,
  },
};

const ANY_RULE: MemberRules = {
  id: NAME,
  rule_type: TEXT,
  targeting: OBJECT,
  description: { ...TEXT, isOptional: true },
  metadata: { ...OBJECT, isOptional: true },
};

const SHARE: MemberRules = {
  rollout_percentage: PERCENTAGE,
  on_rollout_miss: oneOf(['continue', 'return_default']),
  assignment_algorithm: oneOf(['sha1_60_v1']),
  seed: SEED,
  assign_by: { ...oneOf(['person']), isOptional: true },
};

const SPLIT: MemberRules = {
  ...SHARE,
  experiment_id: NULL,
  paused: TRUTH,
  variants: listUpTo(20, 2),
  holdout: { ...OBJECT, isOptional: true },
};

function* problemsOfRule(rule: JsonObject, path: string, value: MemberRule): Generator<RuleProblem, void> {
  const type = rule['rule_type'] ?? null;
  // The service does not read the experiment that a rule is linked to.
  if (type === 'experiment' && typeof rule['experiment_id'] === 'number') {
    yield { code: 'unsupported', path: `${path}.experiment_id`, expected: 'Rules of experiments are not supported.' };
  }
  if (type === 'experiment') yield* problemsOfSplit(rule, path, value);
  else if (type === 'percentage_rollout') yield* membersIn(rule, path, { ...ANY_RULE, value, ...SHARE });
  else if (type === 'targeted_release') yield* membersIn(rule, path, { ...ANY_RULE, value });
  else yield { code: 'invalid', path: `${path}.rule_type`, expected: oneOf(TYPES).expected };
  const targeting = rule['targeting'] as JsonObject;
  yield* membersIn(targeting, `${path}.targeting`, { properties: listUpTo(MOST_PROPERTIES) });
  for (const [index, property] of (targeting['properties'] as readonly JsonValue[]).entries()) {
    yield* membersIn(property, `${path}.targeting.properties[${index}]`, PROPERTY);
  }
}

const TYPES = ['targeted_release', 'percentage_rollout', 'experiment'];

/** A split that belongs to no experiment; its holdout is its own. */
function* problemsOfSplit(rule: JsonObject, path: string, value: MemberRule): Generator<RuleProblem, void> {
  yield* membersIn(rule, path, { ...ANY_RULE, ...SPLIT });
  const [keys, variants] = [new Set<JsonValue>(), rule['variants'] as readonly JsonValue[]];
  let hundredths = 0;
  for (const [index, variant] of variants.entries()) {
    const at = `${path}.variants[${index}]`;
    yield* membersIn(variant, at, { key: VARIANT_KEY, weight: PERCENTAGE, value });
    const { key = null, weight } = variant as JsonObject;
    if (keys.has(key)) yield { code: 'not_unique', path: `${at}.key`, expected: 'Another variant has this key.' };
    keys.add(key);
    hundredths += Math.round(Number(weight) * 100);
  }
  if (hundredths !== 10_000) {
    yield { code: 'invalid', path: `${path}.variants`, expected: 'The weights must have the sum 100.' };
  }
  const { holdout } = rule;
  const members = { id: NULL, seed: SEED, exclusion_percentage: PERCENTAGE };
  if (holdout !== undefined) yield* membersIn(holdout, `${path}.holdout`, members);
}

const VARIANT_KEY: MemberRule = {
  fits: (value) => typeof value === 'string' && /^[\w-]+$/.test(value),
  expected: 'Must have only letters, digits, dashes and underscores.',
};

const PROPERTY: MemberRules = {
  key: NAME,
  type: oneOf(['person']),
  operator: {
    ...oneOf(
      Object.entries(OPERATORS).flatMap(([name, { subject, renamedTo, evaluatedOnly }]) =>
        subject !== 'value' || renamedTo !== undefined || evaluatedOnly ? [] : [name],
      ),
    ),
    isOptional: true,
  },
  value: { ...ANY, isOptional: true },
  negation: { ...TRUTH, isOptional: true },
  label: { ...TEXT, isOptional: true },
};

function* membersIn(object: JsonValue, path: string, members: MemberRules): Generator<RuleProblem, void> {
  if (!isJsonObject(object)) return yield { code: 'invalid', path, expected: OBJECT.expected };
  for (const [name, { fits, expected, isOptional }] of Object.entries(members)) {
    const value = memberOf(object, name);
    if (value === undefined && isOptional !== true) {
      yield { code: 'required', path: `${path}.${name}`, expected: 'Is required.' };
    }
    if (value !== undefined && !fits(value)) yield { code: 'invalid', path: `${path}.${name}`, expected };
  }
  const unknown = Object.keys(object).find((name) => !Object.hasOwn(members, name));
  if (unknown !== undefined) yield { code: 'unknown_field', path: `${path}.${unknown}`, expected: 'Is not known.' };
}

function listUpTo(most: number, least = 0): MemberRule {
  return {
    fits: (value) => isJsonArray(value) && value.length <= most && value.length >= least,
    expected: `Must be a list of ${least === 0 ? '' : `at least ${least} and `}at most ${most}.`,
  };
}

function oneOf(values: readonly string[]): MemberRule {
  return {
    fits: (value) => typeof value === 'string' && values.includes(value),
    expected: `Must be ${values.join(' or ')}.`,
  };
}
