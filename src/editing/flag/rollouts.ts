/** Edits values that change over time: the steps stay, and a value that somebody set becomes a step that was made. */

import { fromPointer } from '../../base/json-pointer.ts';
import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
} from '../../base/json.ts';
import { rolloutAt } from '../../manifest/at-moment.ts';
import type { Declaration, WrittenRollout } from '../../manifest/declaration.ts';
import { without } from '../../posthog/flag/layout/members.ts';
import type { Moment } from '../../rollout/rollout.ts';
import type { LayerMembers } from '../choose-layer.ts';
import { setIn, valueIn, type MemberPath } from '../members.ts';

/**
 * The members to write, with steps instead of the values at the moment. `undefined` if an edit moves or removes a value that changes over
 * time: its steps would be lost.
 */
export function withSteps(members: LayerMembers, { declaration, rollouts, moment }: Stepped): LayerMembers | undefined {
  const { value: before } = declaration;
  if (members['deleted'] === true) return members;
  return rollouts.reduce<LayerMembers | undefined>((after, rollout) => {
    if (after === undefined) return undefined;
    const path = fromPointer(rollout.pointer);
    const place = findPlace(path, before, after);
    const value = place && valueIn(after, place);
    if (place === undefined || value === undefined) return undefined;
    const steps = jsonEquals(value, valueIn(before, path))
      ? rollout.written
      : endedAt(value, rollout, { declaration, moment });
    return steps && objectOrEmpty(setIn(after, place, steps));
  }, members);
}

interface Stepped {
  readonly declaration: Declaration;
  readonly rollouts: readonly WrittenRollout[];
  readonly moment: Moment | undefined;
}

/** The path after the edit. Elements of a list are identified by everything but their percentage. */
function findPlace(path: MemberPath, before: JsonValue, after: JsonValue): MemberPath | undefined {
  const list = path.findIndex((_, index) => isJsonArray(valueIn(before, path.slice(0, index))));
  if (list === -1) return path;
  const [outer, index, inner] = [path.slice(0, list), Number(path[list]), path.slice(list + 1)];
  const [had, has] = [arrayOrEmpty(valueIn(before, outer)), arrayOrEmpty(valueIn(after, outer))];
  const own = targeting(had[index]);
  const same = has.flatMap((one, at) => (jsonEquals(targeting(one), own) ? [at] : []));
  const isInPlace = same.includes(index) || (had.length === has.length && same.length === 0);
  const place = isInPlace ? index : same.length === 1 ? same[0] : undefined;
  return place === undefined ? undefined : [...outer, String(place), ...inner];
}

function targeting(condition: JsonValue | undefined): JsonObject {
  return isJsonObject(condition) ? without(condition, ['rollout_percentage']) : {};
}

/** The steps that were made, with the value as the last one. */
function endedAt(
  value: JsonValue,
  rollout: WrittenRollout,
  { declaration, moment }: { readonly declaration: Declaration; readonly moment: Moment | undefined },
): JsonObject | undefined {
  const at = rolloutAt(declaration, rollout, moment);
  if (moment === undefined || at === undefined || typeof value !== typeof at.from) return undefined;
  const made = (at.applied?.step ?? at.step) + 1;
  const last = at.steps[made - 1];
  if (last !== undefined && Date.parse(last.at) >= moment.now) return undefined;
  const time = new Date(moment.now).toISOString().replace(/\.\d+Z$/, 'Z');
  const written = arrayOrEmpty(rollout.written['steps']).slice(0, made);
  return { ...rollout.written, steps: [...written, { at: time, to: value, done: true }] };
}
