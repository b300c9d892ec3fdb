/** The options that say which differences a plan covers, as a file of plans keeps them: what a run left is judged by the same. */

import { FlagwrightError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { PlanningOptions } from '../line/options.ts';

export type Selection = Pick<PlanningOptions, 'target' | 'prune' | 'override' | 'onlyPending' | 'due' | 'base'>;

const isText = (value: unknown): value is string => typeof value === 'string';
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);
const isTrue = (value: unknown): boolean => value === true;

/** The name of each in a file, and what it may be. */
const MEMBERS: Readonly<Record<keyof Selection, readonly [name: string, fits: (value: unknown) => boolean]>> = {
  target: ['target', areTexts],
  prune: ['prune', isTrue],
  override: ['override', areTexts],
  onlyPending: ['only_pending', isTrue],
  due: ['due', isTrue],
  base: ['base', isText],
};
const OPTIONS = Object.keys(MEMBERS) as (keyof Selection)[];

export function selectionIn(options: PlanningOptions): Selection {
  return defined(Object.fromEntries(OPTIONS.map((option) => [option, options[option]])));
}

/** Absent if the plans cover all differences. */
export function selectionDocument(options: PlanningOptions): JsonObject | undefined {
  const members = OPTIONS.flatMap((option): [string, JsonValue][] => {
    const value = options[option];
    return value === undefined || value === false ? [] : [[MEMBERS[option][0], value]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** @throws {FlagwrightError} `plan_invalid` for members that this release does not know: it would judge by less than what the plans cover. */
export function parseSelection(document: JsonValue | undefined): Selection {
  if (document === undefined) return {};
  const members = isJsonObject(document) ? Object.entries(document) : [];
  const found = members.flatMap(([name, value]) => {
    const option = OPTIONS.find((one) => MEMBERS[one][0] === name && MEMBERS[one][1](value));
    return option === undefined ? [] : [[option, value] as const];
  });
  if (found.length > 0 && found.length === members.length) return Object.fromEntries(found);
  throw new FlagwrightError(
    'plan_invalid',
    'The saved plans cannot be used. They do not say which differences they cover.',
    {
      remedy: 'Save the plans anew with `flagwright plan --all-projects --out FILE`.',
    },
  );
}
