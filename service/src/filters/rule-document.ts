/**
 * `filters` with rules (format version 2), as projects accept them that PostHog has opened for the format: the identity of rules, and the
 * checks of a document. (docs/service.md, "Filters of format version 2")
 */

import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  memberOf,
  nestsWithin,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { invalid, type Refusal } from '../handler/envelope.ts';
import { findValueRule, isPatternOperator, isRegex, OPERATOR_NAMES } from './operators.ts';

/** What writing a document needs in addition to it. */
export interface RuleWrite {
  /** The filters that it replaces; empty for a new flag. */
  readonly stored: JsonObject;
  readonly newId: () => string;
}

/** Returns the filters to store, or throws a 400. `sent` replaces the stored document as a whole. */
export function acceptRules(sent: JsonValue, { stored, newId }: RuleWrite): JsonObject {
  if (!isJsonObject(sent)) throw problem('invalid', 'filters', 'Must be an object.');
  const type = memberOf(stored, 'return_type') ?? sent['return_type'];
  const document = withIdentity(sent, rulesById(stored), newId);
  checkRules(document);
  if (document['return_type'] !== type) throw problem('invalid', 'filters.return_type', 'Cannot be changed.');
  return document;
}

/** Throws a 400 for a document that the service would not store: a flag with such a document cannot be enabled. */
export function checkRules(document: JsonObject): void {
  if (Buffer.byteLength(canonicalText(document)) > SIZE_LIMIT) {
    throw problem('limit_exceeded', 'filters', 'The document is too large.');
  }
  checkMembers(document, 'filters', {
    version: { fits: (value) => value === 2, expected: 'Must be 2.' },
    return_type: oneOf(Object.keys(VALUES)),
    default_value: { fits: () => true, expected: '' },
    rules: {
      fits: (value) => isJsonArray(value) && value.length <= MOST_RULES,
      expected: `Must be a list of at most ${MOST_RULES}.`,
    },
    aggregation_group_type_index: { fits: (value) => value === null, expected: 'Must be null.', isOptional: true },
  });
  const value = VALUES[document['return_type'] as string] as MemberRule;
  const fallback = document['default_value'] ?? null;
  if (fallback !== null && !value.fits(fallback)) throw problem('invalid', 'filters.default_value', value.expected);
  for (const [index, rule] of (document['rules'] as JsonValue[]).entries()) {
    checkRule(rule, `filters.rules[${index}]`, value);
  }
}

const SIZE_LIMIT = 512 * 1024;
const MOST_RULES = 100;
const MOST_PROPERTIES = 100;
const RESERVED = ['$false', '$true'];
const DEEPEST = 20;

interface MemberRule {
  readonly fits: (value: JsonValue) => boolean;
  readonly expected: string;
  readonly isOptional?: true;
}

const TEXT: MemberRule = { fits: (value) => typeof value === 'string', expected: 'Must be a string.' };
const OBJECT: MemberRule = { fits: isJsonObject, expected: 'Must be an object.' };

/** What a rule may answer, by the type that the document returns. */
const VALUES: Readonly<Record<string, MemberRule>> = {
  boolean: { fits: (value) => typeof value === 'boolean', expected: 'Must be true or false.' },
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

function rulesById({ rules = [] }: JsonObject): ReadonlyMap<JsonValue, JsonObject> {
  const known = isJsonArray(rules) ? rules.filter(isJsonObject) : [];
  return new Map(known.map((rule) => [rule['id'] ?? null, rule]));
}

/**
 * Ids and seeds belong to the service. A rule with the id of a stored one keeps its seed wherever it stands; a rule without an id is new,
 * and its new seed assigns everybody anew.
 */
function withIdentity(sent: JsonObject, known: ReadonlyMap<JsonValue, JsonObject>, newId: () => string): JsonObject {
  const { rules } = sent;
  if (!isJsonArray(rules)) return sent;
  const claimed = new Set<JsonValue>();
  const identified = rules.map((rule, index): JsonValue => {
    if (!isJsonObject(rule)) return rule;
    const path = `filters.rules[${index}]`;
    const { id = newId() } = rule;
    const stored = known.get(id);
    if (Object.hasOwn(rule, 'id')) {
      if (stored === undefined) throw problem('invalid', `${path}.id`, 'Must be the id of a rule that the flag has.');
      if (claimed.has(id)) throw problem('not_unique', `${path}.id`, 'Another rule has this id.');
      claimed.add(id);
    }
    return { ...rule, id, ...seedOf(rule, { stored, path, newId }) };
  });
  return { ...sent, rules: identified };
}

interface SeedContext {
  readonly stored: JsonObject | undefined;
  readonly path: string;
  readonly newId: () => string;
}

/** Only a rule that assigns a share of people has a seed. */
function seedOf(rule: JsonObject, { stored, path, newId }: SeedContext): JsonObject {
  if (rule['rule_type'] !== SHARE) return {};
  const former = stored?.['rule_type'] === SHARE ? stored['seed'] : undefined;
  if (Object.hasOwn(rule, 'seed') && rule['seed'] !== former) {
    throw problem('invalid', `${path}.seed`, 'The service gives seeds, and none can be changed.');
  }
  return { seed: former ?? newId() };
}

const SHARE = 'percentage_rollout';

const ANY_RULE: Readonly<Record<string, MemberRule>> = {
  id: TEXT,
  rule_type: TEXT,
  targeting: OBJECT,
  description: { ...TEXT, isOptional: true },
  metadata: { ...OBJECT, isOptional: true },
};

const SHARE_RULE: Readonly<Record<string, MemberRule>> = {
  rollout_percentage: {
    fits: (value) => typeof value === 'number' && value >= 0 && value <= 100 && /^\d+(\.\d\d?)?$/.test(String(value)),
    expected: 'Must be between 0 and 100, with at most two decimal places.',
  },
  on_rollout_miss: oneOf(['continue', 'return_default']),
  assignment_algorithm: oneOf(['sha1_60_v1']),
  seed: TEXT,
  assign_by: { ...oneOf(['person']), isOptional: true },
};

function checkRule(rule: JsonValue, path: string, value: MemberRule): void {
  if (!isJsonObject(rule)) throw problem('invalid', path, OBJECT.expected);
  const type = rule['rule_type'] ?? null;
  if (type === 'experiment') throw problem('unsupported', `${path}.rule_type`, 'Rules of experiments are not stored.');
  if (type !== SHARE && type !== 'targeted_release') {
    throw problem('invalid', `${path}.rule_type`, 'Must be targeted_release or percentage_rollout.');
  }
  checkMembers(rule, path, { ...ANY_RULE, value, ...(type === SHARE && SHARE_RULE) });
  const targeting = rule['targeting'] as JsonObject;
  checkMembers(targeting, `${path}.targeting`, {
    properties: {
      fits: (list) => isJsonArray(list) && list.length <= MOST_PROPERTIES,
      expected: `Must be a list of at most ${MOST_PROPERTIES}.`,
    },
  });
  for (const [index, property] of (targeting['properties'] as JsonValue[]).entries()) {
    checkProperty(property, `${path}.targeting.properties[${index}]`);
  }
}

const PROPERTY: Readonly<Record<string, MemberRule>> = {
  key: { fits: (value) => typeof value === 'string' && value !== '', expected: 'Must be a string.' },
  type: oneOf(['person']),
  operator: { ...oneOf(OPERATOR_NAMES), isOptional: true },
  value: { fits: () => true, expected: '', isOptional: true },
  negation: { fits: (value) => typeof value === 'boolean', expected: 'Must be true or false.', isOptional: true },
  label: { ...TEXT, isOptional: true },
};

function checkProperty(property: JsonValue, path: string): void {
  if (!isJsonObject(property)) throw problem('invalid', path, OBJECT.expected);
  checkMembers(property, path, PROPERTY);
  const { operator = 'exact', value = null } = property;
  const rule = typeof operator === 'string' ? findValueRule(operator) : undefined;
  const isPattern = isPatternOperator(operator) && typeof value === 'string';
  if (rule?.fits(value) === false || (isPattern && !isRegex(value))) {
    throw problem('invalid', `${path}.value`, `Must be ${isPattern ? 'a regular expression' : rule?.expected}.`);
  }
}

function checkMembers(object: JsonObject, path: string, members: Readonly<Record<string, MemberRule>>): void {
  for (const [name, { fits, expected, isOptional }] of Object.entries(members)) {
    const value = memberOf(object, name);
    if (value === undefined && isOptional !== true) throw problem('required', `${path}.${name}`, 'Is required.');
    if (value !== undefined && !fits(value)) throw problem('invalid', `${path}.${name}`, expected);
  }
  const unknown = Object.keys(object).find((name) => !Object.hasOwn(members, name));
  if (unknown !== undefined) throw problem('unknown_field', `${path}.${unknown}`, 'Is not known.');
}

function oneOf(values: readonly string[]): MemberRule {
  return {
    fits: (value) => typeof value === 'string' && values.includes(value),
    expected: `Must be ${values.join(' or ')}.`,
  };
}

/** The place is written as the service writes it: `filters__rules__0__value`. */
function problem(code: string, path: string, detail: string): Refusal {
  const place = path.replaceAll(/\]?\.|\[|\]/g, '__').replace(/__$/, '');
  return invalid(code === 'invalid' ? 'invalid_input' : code, detail, place);
}
