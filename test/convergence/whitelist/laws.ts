/** The laws: nothing is written that was not shown, no live edit that is to be kept is reverted, and nothing that was turned off is turned on. */

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isNamed } from './document.ts';
import { factsText, type History, type Manifest, placeOf, type Planned } from './history.ts';
import { conditionValue, type Fact } from './live.ts';

export type Way = 'apply' | 'saved' | 'due' | 'resume' | 'off' | 'undo';

/** What a run wrote, held against what it showed. */
export function judge(history: History, way: Way, planned: Planned): void {
  const { watch, told, written } = history;
  for (const { request, facts, after } of watch.seen) {
    const unnamed = facts.filter((fact) => !isNamed(fact, planned.changes, after));
    if (unnamed.length > 0) {
      const shown = planned.changes.map(({ action, key, fields = [] }) => ({ action, key, fields }));
      expect(factsText(unnamed), told(`\nwritten and not shown by ${request}\n${JSON.stringify(shown)}`)).toBe('');
    }
  }
  const facts = watch.seen.flatMap((one) => one.facts);
  for (const fact of facts) {
    const isOverridden = planned.overrides.some((key) => keysOf(history, fact).includes(key));
    if (way !== 'undo' && !isOverridden) checkSwitches(history, way, fact, planned);
    if (way !== 'undo' && way !== 'off' && !isOverridden) checkKept(history, way, fact, planned);
    if (way === 'due') checkDue(history, fact, planned);
    if (way === 'off') checkOff(history, fact);
    if (way === 'undo') checkUndo(history, fact, planned);
    noteWritten(history, way, fact, isOverridden);
  }
  if (facts.length > 0) written.set(planned.name, [...(written.get(planned.name) ?? []), ...facts]);
}

/** The key that the flag has, and those that it is declared under. */
function keysOf({ manifest, watch }: History, { id, key }: Fact): readonly JsonValue[] {
  const now = watch.live.get(id)?.['/key'];
  const named = Object.entries(manifest.flags).filter(([name, flag]) => {
    const former = (flag['previous_keys'] ?? []) as readonly JsonValue[];
    return name === now || former.includes(key);
  });
  return [key, ...(now === undefined ? [] : [now]), ...named.map(([name]) => name)];
}

function checkSwitches(history: History, way: Way, fact: Fact, { base }: Planned): void {
  const { off, people, told } = history;
  const held = off.get(fact.id);
  const isOn = fact.path === '/active' && fact.after === true && !fact.isNew;
  const isWider = fact.path === '/filters/groups' && held === 'zero' && !isAtZero(fact.after);
  if (held === 'active') expect(isOn, told(`${fact.key} was turned off with off, and ${way} turns it on`)).toBe(false);
  if (held === 'zero') expect(isWider, told(`${fact.key} was set to 0% with off, and ${way} widens it`)).toBe(false);
  if (!isOn || people.get(placeOf(fact)) === undefined || isGivenBack(history, fact)) return;
  const declared = declaredOf(base, fact.key)?.['active'];
  expect(declared, told(`a person turned ${fact.key} off, and ${way} turns it on`)).toBe(false);
}

/** A person gave the flag the value that the last run had written. */
function isGivenBack({ recorded }: History, fact: Fact): boolean {
  return recorded.has(placeOf(fact)) && isDeepStrictEqual(recorded.get(placeOf(fact)), fact.before);
}

function isAtZero(conditions: JsonValue | undefined): boolean {
  return ((conditions ?? []) as unknown as readonly JsonObject[]).every((one) => one['rollout_percentage'] === 0);
}

/** A value of which a person had the last word stays, unless git declared the same. */
function checkKept(history: History, way: Way, fact: Fact, { base, keeps }: Planned): void {
  if (!keeps) return;
  const edit = history.people.get(placeOf(fact));
  if (edit === undefined || edit.isNew || isGivenBack(history, fact)) return;
  const law = history.told(
    `a person's edit is kept, and ${way} reverts it: ${factsText([edit])}, then ${factsText([fact])}`,
  );
  const declared = declaredOf(base, fact.key);
  if (fact.path === '/filters/groups') {
    const [was, theirs, is] = [edit.before, edit.after, fact.after].map(
      (value) => (value ?? []) as unknown as readonly JsonObject[],
    );
    const has = (list: readonly JsonObject[] | undefined, one: JsonObject): boolean =>
      (list ?? []).some((other) => isDeepStrictEqual(one, other));
    const known = conditionsOf(declared);
    const lost = (theirs ?? []).filter((one) => !has(was, one) && !has(is, one) && !has(known, one));
    const back = (was ?? []).filter((one) => !has(theirs, one) && has(is, one) && has(known, one));
    // Where steps are declared, the value of a step that a run recorded is not an edit.
    if (isStepped(declared)) return;
    return expect([lost, back], law).toEqual([[], []]);
  }
  expect(isDeclared(fact.path, edit.after, declared), law).toBe(true);
}

function declaredOf({ flags }: Manifest, key: string): JsonObject | undefined {
  return (
    flags[key] ?? Object.values(flags).find((flag) => ((flag['previous_keys'] ?? []) as JsonValue[]).includes(key))
  );
}

function isStepped(flag: JsonObject = {}): boolean {
  return [flag['active'], flag['rollout_percentage']].some((value) => typeof value === 'object');
}

function conditionsOf(flag: JsonObject = {}): readonly JsonObject[] {
  const filters = (flag['filters'] ?? {}) as { readonly groups?: readonly JsonObject[] };
  const { rollout_percentage } = flag;
  return (filters.groups ?? (rollout_percentage === undefined ? [] : [{ rollout_percentage }])).map(conditionValue);
}

/** Whether git declared the value, or declared nothing about the place, so that it begins to manage it. */
function isDeclared(path: string, value: JsonValue | undefined, flag: JsonObject | undefined): boolean {
  if (flag === undefined) return true;
  if (path === '/deleted') return (flag['deleted'] ?? false) === value;
  if (flag['deleted'] === true) return value === true;
  const name = path === '/name' ? 'description' : path.slice(1);
  if (!['description', 'active', 'tags'].includes(name)) return path !== '/key';
  return !(name in flag) || isDeepStrictEqual(flag[name], value);
}

/** A due step of the commit that was applied last, and nothing else. */
function checkDue({ now, told }: History, fact: Fact, { base }: Planned): void {
  const flag = declaredOf(base, fact.key);
  const isSwitch = fact.path === '/active';
  const { steps = [] } = (flag?.[isSwitch ? 'active' : 'rollout_percentage'] ?? {}) as {
    readonly steps?: readonly { readonly at: string; readonly to: JsonValue }[];
  };
  const conditions = (isSwitch ? [] : (fact.after ?? [])) as unknown as readonly JsonObject[];
  const value = isSwitch ? fact.after : conditions[0]?.['rollout_percentage'];
  const law = told(`a due run makes due steps only: ${factsText([fact])}`);
  expect(['/active', '/filters/groups'], law).toContain(fact.path);
  expect(
    steps.filter(({ at }) => Date.parse(at) <= now).map(({ to }) => to),
    law,
  ).toContainEqual(value);
}

function checkOff({ told }: History, fact: Fact): void {
  const isOff =
    fact.path === '/active' ? fact.after === false : fact.path === '/filters/groups' && isAtZero(fact.after);
  expect(isOff, told(`off turns off: ${factsText([fact])}`)).toBe(true);
}

/** What a run changed goes back, and nothing else. A feature that the run made is archived. */
function checkUndo({ written, told }: History, fact: Fact, { undoes = '' }: Planned): void {
  if (fact.path.startsWith('/early_access/') || fact.path === '/filters/feature_enrollment') return;
  const of = written.get(undoes) ?? [];
  const isBack = of.some(({ id, path, before, after }) => {
    if (id !== fact.id || path !== fact.path) return false;
    if (path === '/filters/groups' || path === '/deleted') return true;
    return isDeepStrictEqual(after, fact.before) && (before === undefined || isDeepStrictEqual(before, fact.after));
  });
  expect(
    isBack,
    told(`an undo of ${undoes}, which wrote ${factsText(of)}, takes back only that: ${factsText([fact])}`),
  ).toBe(true);
}

function noteWritten({ people, off, recorded }: History, way: Way, fact: Fact, isOverridden: boolean): void {
  people.delete(placeOf(fact));
  if (way !== 'off' && way !== 'undo') recorded.set(placeOf(fact), fact.after);
  if (way === 'off') return void off.set(fact.id, fact.path === '/active' ? 'active' : 'zero');
  const isAnew = fact.path === '/deleted' && fact.after === true;
  if (way === 'undo' || isOverridden || isAnew) off.delete(fact.id);
}
