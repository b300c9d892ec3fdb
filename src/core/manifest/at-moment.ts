/** Declarations at a moment: the value of the current step stands in for each value that changes over time. */

import { fromPointer } from '../../base/json-pointer.ts';
import {
  isJsonArray,
  isJsonObject,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { type PlaceTree, placeAt } from '../../base/place.ts';
import { MOST_OFF_MS } from '../../base/times.ts';
import { dueAt, lastMade, progressOf, stepAt, valueOf } from '../rollout/position.ts';
import { readRollout } from '../rollout/read-rollout.ts';
import type { DeclaredRollout, Moment } from '../rollout/rollout.ts';
import { isSameRollout } from '../rollout/record.ts';
import type { Declaration, WrittenRollout } from './declaration.ts';
import type { Located } from './layers.ts';
import { previousKeysOf } from './members.ts';

/** A declared rollout and its step at the moment. Its section adds the path in the service's names. */
export type RolloutAtMoment = Omit<DeclaredRollout, 'path'>;

/** `undefined` where the plan cannot be followed: the section reports why. */
export function rolloutAt(
  declaration: Declaration,
  { pointer, written }: WrittenRollout,
  moment: Moment | undefined,
): RolloutAtMoment | undefined {
  const { rollout } = readRollout(written);
  if (rollout === undefined || moment === undefined) return undefined;
  const keys = [declaration.key, ...previousKeysOf(declaration)];
  const progress = progressOf(rollout, moment.progress, { keys, pointer });
  const made = progress && lastMade(rollout, progress, moment.now);
  const applied = made && {
    ...{ step: made.step, at: made.at },
    ...(progress.key === declaration.key ? {} : { key: progress.key }),
    ...(made.step === progress.step ? defined({ let_through: progress.let_through }) : {}),
  };
  const stays = progress?.stays === true;
  const step = applied !== undefined && stays ? applied.step : stepAt(rollout, applied, moment);
  const due = applied === undefined ? undefined : dueAt(rollout, applied, moment);
  const isOverdue = moment.reach !== 'planned' && due !== undefined && moment.now - due > MOST_MISSED * moment.every;
  const isMadeNow = step > (applied?.step ?? -1) && moment.reach === 'due';
  const then = isMadeNow ? dueAt(rollout, { step, at: new Date(moment.now).toISOString() }, moment) : undefined;
  const isRecordedLater =
    moment.reach !== 'planned' && applied !== undefined && Date.parse(applied.at) > moment.now + MOST_OFF_MS;
  return {
    ...rollout,
    pointer,
    step,
    ...defined({ applied, due: timeOf(due), then_due: timeOf(then) }),
    ...defined({
      recorded_later: isRecordedLater || undefined,
      overdue: isOverdue || undefined,
      held: stays || undefined,
      taken_back: progress?.taken_back,
      continued: progress?.continued,
      asked: progress !== undefined && isSameRollout(progress, rollout) ? progress.asked : undefined,
      found_live: progress?.found_live,
      unknown_origin: progress?.unknown_origin,
    }),
  };
}

function timeOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** Hosted schedules are often late by one run. */
export const MOST_MISSED = 2;

export function atMoment(
  declaration: Declaration,
  rollouts: readonly WrittenRollout[],
  moment: Moment | undefined,
): Declaration {
  const located = rollouts.reduce<Located>((before, one) => {
    const at = rolloutAt(declaration, one, moment);
    const path = fromPointer(one.pointer);
    const place = placeAt(
      declaration.places,
      at === undefined || at.step < 0 ? one.pointer : `${one.pointer}/steps/${at.step}/to`,
    );
    const value = at === undefined ? valueLike(one.written) : valueOf(at, at.step);
    return replaceAt(before, path, { value, places: { place } });
  }, declaration);
  return { ...declaration, ...located, written: declaration.value };
}

/** A value in place of a rollout that cannot be followed, so that everything else is still checked. */
function valueLike({ steps }: JsonObject): JsonValue {
  const [first] = isJsonArray(steps) ? steps : [];
  return isJsonObject(first) && typeof first['to'] === 'boolean' ? false : 0;
}

function replaceAt({ value, places }: Located, [name, ...rest]: readonly string[], part: Located): Located {
  // The places of the steps stay, for messages about them.
  if (name === undefined) return { value: part.value, places: { ...places, ...part.places } };
  const inner = isJsonArray(value) ? value[Number(name)] : memberOf(objectOrEmpty(value), name);
  const tree: PlaceTree = memberOf(places.children ?? {}, name) ?? { place: places.place };
  const replaced = replaceAt({ value: inner ?? null, places: tree }, rest, part);
  return {
    value: isJsonArray(value)
      ? value.with(Number(name), replaced.value)
      : { ...(value as JsonObject), [name]: replaced.value },
    places: { ...places, children: { ...places.children, [name]: replaced.places } },
  };
}
