/**
 * `filters` with rules (format version 2), as projects accept them that PostHog has opened for the format: the identity of rules, and the
 * checks of a document. (docs/service/rules.md)
 */

import { findPythonFault } from '../../../src/base/pattern/python.ts';
import {
  isJsonArray,
  isJsonObject,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { findRuleProblem, type FlagRule, type RuleProblem } from '../../../src/evaluation/rule-document.ts';
import { invalid, type Refusal } from '../handler/envelope.ts';
import { findValueRule, isPatternOperator } from './operators.ts';

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
  const found = findRuleProblem(document) ?? findValueProblem(document);
  if (found !== undefined) throw problem(found.code, found.path, found.expected);
}

/** The first value that the operator of its property does not take. */
function findValueProblem({ rules }: JsonObject): RuleProblem | undefined {
  for (const [index, { targeting }] of (rules as unknown as readonly FlagRule[]).entries()) {
    for (const [place, { operator, value = null }] of targeting.properties.entries()) {
      const rule = findValueRule(operator ?? 'exact');
      const isPattern = isPatternOperator(operator) && typeof value === 'string';
      if (rule?.fits(value) !== false && !(isPattern && findPythonFault(value) !== undefined)) continue;
      const path = `filters.rules[${index}].targeting.properties[${place}].value`;
      return { code: 'invalid', path, expected: `Must be ${isPattern ? 'a regular expression' : rule?.expected}.` };
    }
  }
  return undefined;
}

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

/** A rule that assigns a share of people has a seed, also where another type of rule follows it, and so has the holdout of a split. */
function seedOf(rule: JsonObject, { stored, path, newId }: SeedContext): JsonObject {
  const { rule_type: type, holdout } = rule;
  if (type !== 'percentage_rollout' && type !== 'experiment') return {};
  const seedIn = (own: JsonObject, former: JsonValue | undefined, at: string): string => {
    if (Object.hasOwn(own, 'seed') && own['seed'] !== former) {
      throw problem('invalid', `${at}.seed`, 'The service gives seeds, and none can be changed.');
    }
    return typeof former === 'string' ? former : newId();
  };
  const seed = seedIn(rule, stored?.['seed'], path);
  if (type !== 'experiment' || !isJsonObject(holdout)) return { seed };
  const ofHoldout = seedIn(holdout, objectOrEmpty(stored?.['holdout'])['seed'], `${path}.holdout`);
  return { seed, holdout: { ...holdout, seed: ofHoldout } };
}

/** The place is written as the service writes it: `filters__rules__0__value`. */
function problem(code: string, path: string, detail: string): Refusal {
  const place = path.replaceAll(/\]?\.|\[|\]/g, '__').replace(/__$/, '');
  return invalid(code === 'invalid' ? 'invalid_input' : code, detail, place);
}
