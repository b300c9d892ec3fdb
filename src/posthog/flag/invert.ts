/** Reverts the change of a flag, or says why not. */

import { jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { nameChange, findToInvert } from '../../engine/body-kind.ts';
import type { Applied, RefusedInversion } from '../../engine/kind.ts';
import type { ChangeOfLive, FlagChange } from './change.ts';
import { flagBase } from './find-changes.ts';
import { comparableFields, findDifferences, writableFields } from './comparison.ts';
import { missingEffect } from './write-verification.ts';
import {
  ENCRYPTED_PAYLOAD,
  holdsPayloadDigest,
  payloadsOf,
  withDeclaredSecrecy,
  withKeptPayloads,
  withMarksReplaced,
} from './model/encrypted-payloads.ts';
import type { Flag } from './model/flag.ts';
import { invertedValuesOfOthers, withMoves } from './values-of-others.ts';
import { updateBody } from './request-body.ts';
import type { FlagSnapshot } from './snapshot.ts';
import { TOLERANCES } from './model/tolerances.ts';

/** The opposite of an applied change of a flag, made against what is live now. */
export function invertFlagChange(applied: Applied<FlagChange>, flags: FlagSnapshot): FlagChange | RefusedInversion {
  const { change } = applied;
  const see = (live: Flag): Flag =>
    withDeclaredSecrecy(live, change.action === 'create' ? change.body : change.base.flag);
  const found = findToInvert(applied, flags.byId, (live) => missingEffect(change, flags.comparable(see(live)), flags));
  if ('refusal' in found) return found;
  const { live } = found;
  const flag = see(live);
  const now = flags.comparable(flag);
  const wanted =
    change.action === 'create' ? { deleted: true } : withSecretsThatStay(toWriteBack(change, flag, flags), change, now);
  if (holdsPayloadDigest(wanted)) return { ref: change.ref, key: change.key, refusal: 'secret', moved: [] };
  const canonical = { live: now, wanted: comparableFields(wanted, now, flags) };
  const fields = findDifferences(canonical, wanted, flags);
  const written = [...new Set(fields.map(({ path }) => fromPointer(path)[0] ?? ''))];
  const base = flagBase(flag, { compared: written, written }, flags);
  const body = updateBody(written, wanted, { former: base.former, canonical });
  const key = typeof wanted['key'] === 'string' ? wanted['key'] : (flags.keyOf(flag.id) ?? flag.key);
  const common = {
    ...nameChange('flag', key),
    id: flag.id,
    fields,
    body: flag === live ? body : withMarksReplaced(body, live),
    base,
    needs: [],
  };
  const valuesOfOthers = invertedValuesOfOthers(change, fields);
  if (wanted['deleted'] === true) return { action: 'delete', reason: 'undone', ...common };
  return {
    action: change.action === 'delete' ? 'restore' : 'update',
    ...common,
    ...(valuesOfOthers.length === 0 ? {} : { keeps: valuesOfOthers }),
  };
}

/** The fields that the change wrote, as they were before it, with what others have moved since. */
function toWriteBack(change: ChangeOfLive, flag: Flag, flags: FlagSnapshot): JsonObject {
  const written = writableFields(flag, Object.keys(change.body), flags);
  return withMoves(formerFields(change), change, { canonical: flags.comparable(flag), written, names: flags });
}

function formerFields(change: ChangeOfLive): JsonObject {
  const { former } = change.base;
  const fields = Object.keys(change.body).map((field): [string, JsonValue] => [
    field,
    memberOf(former, field) ?? emptyValue(field),
  ]);
  return Object.fromEntries(fields);
}

/** A secret that the run did not change is kept by a mark, since only the service has it. */
function withSecretsThatStay(former: JsonObject, { body }: FlagChange, now: JsonObject): JsonObject {
  const [sent, live] = [payloadsOf(body), payloadsOf(now)];
  return withKeptPayloads(
    former,
    (variant, digest) =>
      Object.hasOwn(live, variant) &&
      (jsonEquals(live[variant], digest) || memberOf(sent, variant) === ENCRYPTED_PAYLOAD),
  );
}

/** The value that empties a field. Its canonical form omits the field. */
function emptyValue(field: string): JsonValue {
  for (const { path, treat } of TOLERANCES) {
    if (path === `/${field}` && treat.kind === 'absent') return treat.when[0] ?? null;
  }
  return field === 'filters' ? { groups: [] } : null;
}
