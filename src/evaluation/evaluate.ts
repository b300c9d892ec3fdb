/** Evaluates flags for a subject: the entry of this folder. Deterministic: no I/O, clock or randomness. */

import { stringifyJson } from '../base/json-text.ts';
import { isJsonObject, type JsonValue, type JsonObject, isJsonArray, memberOf } from '../base/json.ts';
import { UNKNOWN } from '../base/pattern/read-pattern.ts';
import type { Condition, Flag, Property } from '../posthog/flag/model/flag.ts';
import { findAggregation, matchesFilters } from './condition.ts';
import {
  type Evaluation,
  type FlagValue,
  off,
  type Reason,
  type Verdict,
  type EvaluationInput,
  type HashName,
} from './input.ts';
import {
  HOLDOUT_PREFIX,
  holdoutHash,
  rolloutHash,
  variantHash,
  chooseVariant,
  isRolledOut,
  findBucket,
  holdoutIdentifier,
} from './hash.ts';

import { aggregationOf, conditionsOf, isOpaque, propertiesOf } from './parts.ts';
import { createScope, type EvaluationScope } from './scope.ts';
import { findOperator } from '../posthog/flag/model/operators.ts';
import { findMatch, type FilterMatch } from './match-property.ts';
import { readRules, type FlagRule, type RuleDocument } from './rule-document.ts';

/** All flags that are not deleted, by key, in input order. Inactive flags are included and off. */
export function evaluateFlags(input: EvaluationInput): ReadonlyMap<string, Evaluation> {
  return prepareFlags(input.flags)(input);
}

/** Prepares `evaluateFlags` for many subjects: dependencies are ordered once. */
export function prepareFlags(all: readonly Flag[]): (input: WithoutFlags) => ReadonlyMap<string, Evaluation> {
  const flags = all.filter(isPresent);
  const find = findReadable(flags);
  const { ordered, broken } = orderByDependencies(flags, find);
  const places = new Map([...ordered, ...broken].map((flag, place) => [flag, place]));
  const inputOrder = flags.flatMap((flag) => places.get(flag) ?? []);
  return (input) => {
    const known: Evaluation[] = [];
    const scope = createScope(input, (name) => {
      const flag = find(name);
      return flag && known[places.get(flag) ?? -1];
    });
    for (const flag of ordered) known.push(evaluateKnown(flag, scope, false));
    for (const flag of broken) known.push(evaluateKnown(flag, scope, true));
    const found = new Map<string, Evaluation>();
    for (const place of inputOrder) {
      const evaluation = known[place];
      if (evaluation !== undefined) found.set(evaluation.key, evaluation);
    }
    return found;
  };
}

/** Evaluates one flag and its dependencies. `undefined` for an unknown or deleted flag. */
export function evaluateFlag(key: string, input: EvaluationInput): Evaluation | undefined {
  const flag = input.flags.findLast((one) => one.key === key && isPresent(one));
  return flag === undefined ? undefined : prepareFlag(flag, input.flags)(input).get(flag);
}

/** A flag and those whose values it needed for a subject; empty if the flag is deleted. */
export type EvaluationByFlag = ReadonlyMap<Flag, Evaluation>;

/**
 * Prepares `evaluateFlag` for many subjects: what follows from the flags alone is found once, and a dependency is evaluated when its value is
 * needed.
 */
export function prepareFlag(wanted: Flag, all: readonly Flag[]): (input: WithoutFlags) => EvaluationByFlag {
  const flags = all.filter(isPresent);
  const find = findReadable(flags);
  const { ordered, broken } = orderByDependencies([wanted].filter(isPresent), find);
  const places = new Map([...ordered, ...broken].map((flag, place) => [flag, place]));
  const isBroken = new Set(broken);
  return (input) => {
    const known = new Map<Flag, Evaluation>();
    let before = Infinity;
    // A flag has the values of the flags before it, as if all were evaluated in order.
    const evaluationOf = (flag: Flag | undefined): Evaluation | undefined => {
      const place = flag === undefined ? undefined : places.get(flag);
      if (flag === undefined || place === undefined || place >= before) return undefined;
      const found = known.get(flag);
      if (found !== undefined) return found;
      const outer = before;
      before = place;
      const evaluation = evaluateKnown(flag, scope, isBroken.has(flag));
      before = outer;
      known.set(flag, evaluation);
      return evaluation;
    };
    const scope = createScope(input, (name) => evaluationOf(find(name)));
    if (ordered.length > DEEPEST) for (const flag of ordered) evaluationOf(flag);
    evaluationOf(wanted);
    return known;
  };
}

/** A longer chain of dependencies is evaluated in order: otherwise each flag of it would take a part of the stack. */
const DEEPEST = 500;

type WithoutFlags = Omit<EvaluationInput, 'flags'>;

function isPresent({ deleted }: Flag): boolean {
  return deleted !== true;
}

/** The service lets no condition depend on a flag of another format, so a flag that does has no known value. */
function findReadable(flags: readonly Flag[]): FindFlag {
  return createFinder(flags.filter(({ filters }) => !isOpaque(filters)));
}

/** `broken`: a direct or indirect dependency is missing or depends on this flag. */
function evaluateKnown(flag: Flag, scope: EvaluationScope, broken: boolean): Evaluation {
  const verdict = findVerdict(flag, scope, broken);
  const { value, ruled } = verdict;
  const payload = ruled === undefined ? findPayload(flag, value) : textOfRuled(ruled.value);
  return {
    key: flag.key,
    enabled: value !== false,
    ...verdict,
    ...(typeof value === 'string' ? { variant: value } : {}),
    ...(payload === undefined ? {} : { payload }),
  };
}

function findVerdict(flag: Flag, scope: EvaluationScope, broken: boolean): Verdict {
  if (flag.active === false) return off('flag_disabled');
  if (isOpaque(flag.filters)) return evaluateRules(flag.filters ?? {}, scope) ?? off('unknown_format');
  if (broken) return off('missing_dependency');
  if (scope.rules.missingGroup === 'flag' && lacksGroup(flag, scope)) return off('no_group_type');
  return findEarlyAccess(flag, scope) ?? holdout(flag, scope) ?? tryConditions(flag, scope);
}

function lacksGroup(flag: Flag, scope: EvaluationScope): boolean {
  const aggregation = aggregationOf(flag.filters ?? {});
  return aggregation !== null && findBucket(flag, aggregation, scope).kind === 'absent';
}

function tryConditions(flag: Flag, scope: EvaluationScope): Verdict {
  const { rules } = scope;
  let highest: Verdict = { value: false, ...rules.unmatched };
  for (const [conditionIndex, condition] of rules.conditionOrder(conditionsOf(flag.filters))) {
    const attempt = tryCondition(flag, condition, scope);
    const verdict = { value: attempt.value, reason: attempt.reason, conditionIndex };
    if (verdict.reason === 'condition_match' || verdict.reason === 'unknown_pattern') return verdict;
    if (rules.rank[verdict.reason] >= rules.rank[highest.reason]) highest = verdict;
    if (attempt.isFinal) break;
  }
  return highest;
}

interface ConditionResult {
  readonly value: FlagValue;
  readonly reason: Reason;
  /** True ends the search: the condition matched, or its filters matched and `early_exit` is set. */
  readonly isFinal: boolean;
}

function tryCondition(flag: Flag, condition: Condition, scope: EvaluationScope): ConditionResult {
  const aggregation = findAggregation(flag, condition);
  const bucket = findBucket(flag, aggregation, scope);
  if (bucket.kind === 'absent') return { value: false, reason: bucket.reason, isFinal: false };
  const candidate = { flag, condition, identifier: bucket.identifier };
  const exitsEarly = flag.filters?.['early_exit'] === true;
  const outside = { value: false, reason: 'out_of_rollout_bound', isFinal: exitsEarly } as const;
  if (!exitsEarly && isOpen(condition, aggregation, scope) && !isRolledOut(candidate, scope)) return outside;
  const matches = matchesFilters(condition, aggregation, scope);
  // The conditions after it may decide the same; nobody looks, since that takes both answers.
  if (matches === UNKNOWN) return { value: false, reason: 'unknown_pattern', isFinal: true };
  if (!matches) {
    return { value: false, reason: 'no_condition_match', isFinal: false };
  }
  if (!isRolledOut(candidate, scope)) return outside;
  return { value: chooseVariant(candidate, scope) ?? true, reason: 'condition_match', isFinal: true };
}

/** Whether the answer about the filters is assumed, and not known yet. */
function isOpen(condition: Condition, aggregation: number | null, { context }: EvaluationScope): boolean {
  const implied = context.assumptions?.implied;
  const properties = implied === undefined ? undefined : propertiesOf(condition);
  return properties !== undefined && implied?.(properties, aggregation) === undefined;
}

/** Older clients read numbers and objects of rules as payloads, which are JSON texts. */
function textOfRuled(value: JsonValue): string | undefined {
  return typeof value === 'number' || isJsonObject(value) ? stringifyJson(value) : undefined;
}

function findPayload(flag: Flag, value: FlagValue): JsonValue | undefined {
  const payloads = flag.filters?.payloads;
  const name = String(value);
  if (value === false || !payloads || !Object.hasOwn(payloads, name)) return undefined;
  return payloads[name] ?? undefined;
}

/**
 * The share of persons that an experiment excludes, the same for all flags of the holdout. `undefined` for a subject that is not held
 * out. Percentages are clamped to 0 to 100.
 */
function holdout(flag: Flag, scope: EvaluationScope): Verdict | undefined {
  const holdout = flag.filters?.['holdout'];
  if (!isJsonObject(holdout)) return undefined;
  const { id, exclusion_percentage: percentage } = holdout as { id?: unknown; exclusion_percentage?: unknown };
  if (typeof id !== 'number' || typeof percentage !== 'number') return undefined;
  if (percentage < 100 && !isHeldOut(holdoutIdentifier(flag, scope), Math.max(percentage, 0) / 100, scope))
    return undefined;
  return { value: `holdout-${id}`, reason: 'holdout_condition_value', conditionIndex: null };
}

function isHeldOut(identifier: string, share: number, { context }: EvaluationScope): boolean {
  const assumed = context.assumptions?.hash?.({ kind: 'holdout', flagKey: HOLDOUT_PREFIX, identifier }, share);
  return assumed ?? holdoutHash(identifier) <= share;
}

const LONGEST_SUBJECT = 200;

/** `undefined` where the service fails: for a document that it does not know, and for values that a rule cannot compare. */
function evaluateRules(filters: JsonObject, scope: EvaluationScope): Verdict | undefined {
  const document = readRules(filters);
  if (document === undefined) return undefined;
  const { default_value: fallback } = document;
  const subject = Array.from(scope.subject.distinctId).slice(0, LONGEST_SUBJECT).join('');
  // A person without an identifier is in no share and in no holdout.
  const includes = (kind: 'rollout' | 'holdout', seed: string, percentage: number): boolean =>
    subject !== '' &&
    (percentage === 100 || isWithin({ kind, flagKey: seed, identifier: subject }, percentage / 100, scope));
  for (const [index, rule] of document.rules.entries()) {
    const isTargeted = targets(rule.targeting.properties, scope);
    if (isTargeted === undefined) return undefined;
    if (isTargeted === UNKNOWN) return off('unknown_pattern');
    if (!isTargeted) continue;
    const decided = (reason: Reason, value: JsonValue): Verdict => verdictOf(reason, value, { index, rule });
    const { paused, holdout, rollout_percentage: percentage, seed = '' } = rule;
    if (paused === true) return decided('experiment_paused', fallback);
    if (holdout !== undefined && includes('holdout', holdout.seed, holdout.exclusion_percentage)) {
      return decided('holdout_condition_value', fallback);
    }
    if (percentage === undefined || includes('rollout', seed, percentage)) {
      return decided('condition_match', rule.value ?? chooseValue(rule, subject, scope));
    }
    if (rule.on_rollout_miss === 'return_default') return decided('out_of_rollout_bound', fallback);
  }
  return verdictOf('no_condition_match', fallback);
}

function verdictOf(
  reason: Reason,
  value: JsonValue,
  decider?: { readonly index: number; readonly rule: RuleDocument['rules'][number] },
): Verdict {
  const isPlain = typeof value === 'boolean' || typeof value === 'string';
  return {
    value: isPlain ? value : value !== null,
    reason,
    conditionIndex: decider?.index ?? null,
    ruled: { value, ...(decider !== undefined && { id: decider.rule.id, type: decider.rule.rule_type }) },
  };
}

/** `undefined` if a value cannot be compared, in which case neither the property nor its negation has an answer. */
function targets(properties: readonly Property[], { context, person }: EvaluationScope): FilterMatch | undefined {
  const assumed = context.assumptions?.filters?.(properties, null);
  if (assumed !== undefined) return assumed;
  for (const property of properties) {
    const { assumptions } = context;
    const asked = assumptions?.filter?.(property, null) ?? findMatch(property, person, context);
    const found = asked === UNKNOWN ? (assumptions?.undecided?.(property, null) ?? UNKNOWN) : asked;
    // The service fails where it gives up, and then no other filter counts.
    if (found === UNKNOWN) return UNKNOWN;
    const matches = found ?? (FAILING.has(findOperator(property.operator ?? 'exact')?.operand ?? '') ? found : false);
    if (matches === undefined) return undefined;
    if (matches === (property['negation'] === true)) return false;
  }
  return true;
}

/** The service fails at a number and a pattern that are none; other values that it cannot compare do not match. */
const FAILING: ReadonlySet<string> = new Set(['number-string', 'regex']);

/** The last variant gets what rounding leaves. */
function chooseValue({ variants = [], seed = '' }: FlagRule, identifier: string, scope: EvaluationScope): JsonValue {
  let bound = 0;
  const name = { kind: 'variant', flagKey: seed, identifier } as const;
  const chosen = variants.slice(0, -1).find(({ weight }) => {
    bound += weight / 100;
    return isWithin(name, bound, scope);
  });
  return (chosen ?? variants.at(-1))?.value ?? null;
}

function isWithin(name: HashName, share: number, { context }: EvaluationScope): boolean {
  const assumed = context.assumptions?.hash?.(name, share);
  if (assumed !== undefined) return assumed;
  const { kind, flagKey, identifier } = name;
  if (kind === 'variant') return variantHash(flagKey, identifier) < share;
  return (kind === 'holdout' ? holdoutHash(identifier, flagKey) : rolloutHash(flagKey, identifier)) <= share;
}

/** `undefined` if the person neither enrolled nor declined, or the flag has no early access. */
function findEarlyAccess(flag: Flag, scope: EvaluationScope): Verdict | undefined {
  const enrolled =
    flag.filters?.['feature_enrollment'] === true ? enrollment(flag, scope) : superCondition(flag, scope);
  if (enrolled === UNKNOWN) return off('unknown_pattern');
  return enrolled === undefined ? undefined : { value: enrolled, reason: 'super_condition_value', conditionIndex: 0 };
}

function enrollment(flag: Flag, scope: EvaluationScope): boolean | undefined {
  const name = enrollmentProperty(flag.key);
  if (!hasProperty(name, scope)) return undefined;
  return scope.context.assumptions?.enrolled?.(name) ?? isEnrolled(memberOf(scope.person, name));
}

/** The property of people who chose about the early access of a flag. */
function enrollmentProperty(key: string): string {
  return `$feature_enrollment/${key}`;
}

export function isEnrolled(value: JsonValue | undefined): boolean {
  return value === true || value === 'true';
}

function hasProperty(name: string, { context, person }: EvaluationScope): boolean {
  return context.assumptions?.has?.(name) ?? Object.hasOwn(person, name);
}

// The older form. It applies only to persons that have one of its properties, and never to groups.
function superCondition(flag: Flag, scope: EvaluationScope): FilterMatch | undefined {
  const groups = flag.filters?.['super_groups'];
  const first = isJsonArray(groups) ? groups[0] : undefined;
  if (!isJsonObject(first)) return undefined;
  const condition = first as Condition;
  const concerned = (propertiesOf(condition) ?? []).some(({ key }) => hasProperty(String(key), scope));
  if (!concerned) return undefined;
  const bucket = findBucket(flag, null, scope);
  const identifier = bucket.kind === 'identifier' ? bucket.identifier : scope.subject.distinctId;
  const matches = matchesFilters(condition, null, scope);
  return matches !== false && (isRolledOut({ flag, condition, identifier }, scope) ? matches : false);
}

/** Finds a flag by the name in a dependency: an id as a string (in stored filters) or a key (in definitions). */
type FindFlag = (name: string) => Flag | undefined;

interface DependencyOrder {
  /** Every flag follows its dependencies. */
  readonly ordered: readonly Flag[];
  /** Flags in a cycle, and flags that depend on a cycle or on a missing flag. */
  readonly broken: readonly Flag[];
}

export function createFinder(flags: readonly Flag[]): FindFlag {
  const byId = new Map(flags.map((flag) => [String(flag.id), flag]));
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  return (name) => byId.get(name) ?? byKey.get(name);
}

/** The wanted flags and their dependencies. Iterative, since a chain may be as long as a project has flags. */
export function orderByDependencies(wanted: readonly Flag[], find: FindFlag): DependencyOrder {
  const { missing, dependents } = findEdges(wanted, find);
  const ordered = [...missing.keys()].filter((flag) => missing.get(flag) === 0);
  for (const flag of ordered) {
    for (const dependent of dependents.get(flag) ?? []) {
      const left = (missing.get(dependent) ?? 0) - 1;
      missing.set(dependent, left);
      if (left === 0) ordered.push(dependent);
    }
  }
  const done = new Set(ordered);
  return { ordered, broken: [...missing.keys()].filter((flag) => !done.has(flag)) };
}

interface Edges {
  /** The number of dependencies without a value yet. A dependency that does not exist is never subtracted. */
  readonly missing: Map<Flag, number>;
  readonly dependents: ReadonlyMap<Flag, readonly Flag[]>;
}

function findEdges(wanted: readonly Flag[], find: FindFlag): Edges {
  const missing = new Map<Flag, number>();
  const dependents = new Map<Flag, Flag[]>();
  const found = [...wanted];
  for (const flag of found) {
    if (missing.has(flag)) continue;
    const names = listDependencies(flag);
    missing.set(flag, names.size);
    for (const dependency of [...names].map(find).filter((other) => other !== undefined)) {
      const known = dependents.get(dependency);
      if (known === undefined) dependents.set(dependency, [flag]);
      else known.push(flag);
      found.push(dependency);
    }
  }
  return { missing, dependents };
}

// A disabled flag is false regardless of its dependencies.
function listDependencies(flag: Flag): Set<string> {
  if (flag.active === false) return new Set();
  const properties = conditionsOf(flag.filters).flatMap(([, condition]) => propertiesOf(condition) ?? []);
  return new Set(properties.filter((property) => property.type === 'flag').map((property) => String(property.key)));
}
