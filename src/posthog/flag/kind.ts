/** Feature flags as a kind of resource. */

import { fieldsIn } from '../../core/engine/field-kind.ts';
import { isJsonObject, type JsonObject, type JsonValue, jsonEquals, memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { type FieldChange, isPartial } from '../../core/engine/change.ts';
import { namedKeys } from '../../core/engine/desired.ts';
import type { Applied, RefusedInversion } from '../../core/engine/kind.ts';
import type { DesiredFlag } from '../desired.ts';
import { readReference } from './model/cohort-filters.ts';
import type { KindOf } from '../kind.ts';
import { nameResource } from '../names/resource-name.ts';
import type { Change } from '../plan.ts';
import { assessFlags } from './assess.ts';
import { canonicalFlag, ruleOf, TOLERANCE_TREE } from './model/canonical.ts';
import { disables, type FlagChange, type FlagRisk, type FlagWarning, type ChangeOfLive } from './change.ts';
import { changeFlag, deleteFlag, flagBase, updateBody } from './find-changes.ts';
import type { FlagProblems } from './checks/problems.ts';
import {
  hasEncryptedPayloads,
  holdsPayloadDigest,
  withMissingDigests,
  ENCRYPTED_PAYLOAD,
  payloadsOf,
  withDeclaredSecrecy,
  withKeptPayloads,
  withMarksReplaced,
} from './model/encrypted-payloads.ts';
import { FLAGS } from './family.ts';
import type { Flag } from './model/flag.ts';
import { findFlagNeeds, isRefusedAsWhole, divideUpdate, joinUpdates, splitUpdate } from './split-change.ts';
import { cohortValues, flagReferences, namedFlags, mapReferencesIn } from './model/references.ts';
import { type FlagRun, flagWriter, missingEffect } from './write.ts';
import { toFacts } from './schedules.ts';
import type { FlagSnapshot } from './snapshot.ts';
import { leaveFlag, invertedValuesOfOthers, withMoves } from './values-of-others.ts';
import { valueAt } from '../../base/json-pointer.ts';
import { nameChange, findToInvert } from '../../core/engine/body-kind.ts';
import { comparableFields, findDifferences, writableFields } from './comparison.ts';

export interface FlagTypes {
  readonly section: 'flags';
  readonly change: FlagChange;
  readonly warning: FlagWarning;
  readonly risk: FlagRisk;
  readonly problems: FlagProblems;
  readonly desired: DesiredFlag;
  readonly live: Flag;
  /** A live resource, with the name that a plan gives it; for a flag, the flag itself. */
  readonly matched: Flag;
  readonly snapshot: FlagSnapshot;
  readonly run: FlagRun;
}

export const FLAG: KindOf<'flag'> = {
  name: 'flag',
  family: FLAGS,
  isPresent: () => true,
  scopes: {
    object: 'feature_flag',
    why: 'flags',
    completedBy: [{ scope: 'activity_log:read', use: 'completes', why: 'activity' }],
  },
  actions: ['create', 'update', 'delete', 'restore'],

  compare: (match, { flags, schedules, early_access: features }) => {
    const { changes, warnings, ...others } = changeFlag(match, flags);
    const { desired, live } = match;
    if (live === undefined) return { changes, warnings, ...others };
    // A declared early access feature decides about the enrollment of its flag.
    const own = warnings.filter(({ code }) => code !== 'early_access_undeclared' || !features.isDeclared(live.id));
    const planned = (schedules.get(live.id) ?? []).map((schedule) => ({
      code: 'scheduled' as const,
      ...toFacts(desired.key, schedule),
    }));
    return { changes, warnings: [...own, ...planned], ...others };
  },
  prune: ({ live, base }, { flags }) => deleteFlag(live, flags, defined({ base })),
  dependencies: (desired, snapshot) =>
    desired.kind === 'retired' ? [] : namedResources(desired.fields['filters'], snapshot?.cohorts.aliasOf),

  // Only dependencies between flags decide about the order of their changes.
  findNeeds: (changes, { flags }, waived) =>
    flags.hasDependencies() || changes.some(writesDependency) ? findFlagNeeds(changes, flags, waived) : new Map(),
  divide: (change, { flags }) =>
    flags.hasDependencies() && isRefusedAsWhole(change, flags) ? divideUpdate(change, flags) : [change],
  split: (change) =>
    change.action === 'update' && disables(change) && change.body['filters'] !== undefined
      ? splitUpdate(change)
      : [change],

  effects: (change) => {
    if (change.action === 'delete') return change.reason === 'pruned' ? ['delete', 'prune'] : ['delete'];
    if (change.action !== 'update') return [];
    return [
      ...(isPartial(change) ? [] : (['update'] as const)),
      ...(disables(change) ? (['disable'] as const) : []),
      ...(change.body['key'] === undefined ? [] : (['rename'] as const)),
    ];
  },
  // A create may set no field.
  parts: ({ fields, divergence }) => (fields.length > 0 ? fields : [{ path: '', ...defined({ divergence }) }]),
  leave: (given, { flags }) => leaveFlag(given, flags),
  liveKey: (change) => {
    const key = change.action === 'create' ? undefined : change.base.flag['key'];
    return typeof key === 'string' ? key : change.key;
  },
  assess: (changes, snapshot, left) => assessFlags(changes, snapshot, left),

  hideSecrets: (change) => {
    const fields = { ...(change.action === 'create' ? {} : change.base.flag), ...change.body };
    return hasEncryptedPayloads(fields) ? { ...change, body: withMissingDigests(canonicalFlag(change.body)) } : change;
  },
  lacksSecrets: ({ body }) => holdsPayloadDigest(body),

  invert: (applied, { flags }) => invertFlagChange(applied, flags),
  join: joinUpdates,
  rename: (change, newKey) => {
    const renamedAt = (value: JsonValue | undefined, side: JsonObject, path: string): JsonValue | undefined =>
      jsonEquals(value, valueAt(side, path)) ? valueAt(mapFilters(side, newKey), path) : value;
    const body = mapFilters(change.body, newKey);
    const wanted = canonicalFlag(change.body);
    const seen = change.action === 'create' ? {} : change.base.flag;
    const fields = change.fields.map((field): FieldChange => {
      const { path, before, after } = field;
      return { ...field, ...defined({ before: renamedAt(before, seen, path), after: renamedAt(after, wanted, path) }) };
    });
    if (change.action === 'create') return { ...change, fields, body };
    const { flag, former, version } = change.base;
    const base = { version, flag: mapFilters(flag, newKey), former: mapFilters(former, newKey) };
    return { ...change, fields, body, base };
  },

  findUnwritableParts: (warning) => {
    const { key, code } = warning;
    if (code === 'create_opaque') return [{ key, isOutOfPlan: true }];
    if (code === 'not_enabled') return [{ key, fields: ['active'], isOutOfPlan: true }];
    if (code === 'field_unsupported') return [{ key, fields: [warning.field] }];
    const isOpen = code === 'filters_opaque' && warning.omitted.length > 0;
    return isOpen ? [{ key, fields: warning.omitted, isOutOfPlan: true }] : [];
  },
  reads: {
    toPlan: (flag) => ({
      flags: { keys: [...namedKeys(flag), ...(flag.kind === 'declared' ? namedFlags(flag.fields['filters']) : [])] },
    }),
    toApply: ({ action, key, id, body }, { liveKey, created }) => ({
      flags: {
        keys: [
          ...(action === 'create' ? [] : [liveKey(key)]),
          ...namedFlags(body['filters'])
            .filter((named) => !created.has(named))
            .map(liveKey),
        ],
        // The service does not list flags that are soft-deleted.
        ids: (action === 'restore' || action === 'delete') && id !== undefined ? [id] : [],
      },
    }),
    toUndo: (change, answered) => ({
      flags: {
        // A former dependency of the flag may be in the archive, which is read only for keys.
        keys: [change.key, ...(change.action === 'create' ? [] : namedFlags(change.base.former['filters']))],
        ids: change.action !== 'create' ? [change.id] : typeof answered === 'number' ? [answered] : [],
      },
    }),
  },
  writer: flagWriter,
};

/** Other flags, and cohorts: by their alias, or by the id of one that has an alias. */
function namedResources(
  filters: JsonValue | undefined,
  aliasOf: (id: number) => string | undefined = () => undefined,
): string[] {
  const aliases = cohortValues(filters).flatMap((value) => {
    const one = readReference(value);
    return (typeof one === 'number' ? aliasOf(one) : one) ?? [];
  });
  return [...namedFlags(filters), ...aliases.map((alias) => nameResource('cohort', alias))];
}

/** A restored flag has the dependencies that it had. */
function writesDependency(change: Change): boolean {
  if (change.resource !== 'flag' || change.action === 'delete') return false;
  const former = change.action === 'restore' ? change.base.flag : {};
  return [change.body, former].some(({ filters }) => isJsonObject(filters) && flagReferences(filters).length > 0);
}

/** Other flags with the keys that they have afterwards: a rename in the same plan must not look like another flag. */
function mapFilters(fields: JsonObject, newKey: (key: string) => string): JsonObject {
  return mapReferencesIn(fields, { flag: (key) => (typeof key === 'string' ? newKey(key) : key) });
}

/** The opposite of an applied change of a flag, made against what is live now. */
function invertFlagChange(applied: Applied<FlagChange>, flags: FlagSnapshot): FlagChange | RefusedInversion {
  const { change } = applied;
  const see = (live: Flag): Flag =>
    withDeclaredSecrecy(live, change.action === 'create' ? change.body : change.base.flag);
  const found = findToInvert(applied, flags.byId, (live) => missingEffect(change, flags.comparable(see(live)), flags));
  if ('refusal' in found) return found;
  const { live } = found;
  const flag = see(live);
  const now = flags.comparable(flag);
  const wanted = change.action === 'create' ? { deleted: true } : toWriteBack(change, flag, flags);
  if (holdsPayloadDigest(wanted)) return { ref: change.ref, key: change.key, refusal: 'secret', moved: [] };
  const canonical = { live: now, wanted: comparableFields(wanted, now, flags) };
  const fields = findDifferences(canonical, wanted, flags);
  const written = fieldsIn(fields);
  const base = flagBase(flag, { compared: written, written }, flags);
  const body = updateBody(written, wanted, { former: base.former, canonical });
  const valuesOfOthers = invertedValuesOfOthers(change, fields);
  const key = typeof wanted['key'] === 'string' ? wanted['key'] : (flags.keyOf(flag.id) ?? flag.key);
  const common = {
    ...nameChange('flag', key),
    id: flag.id,
    fields,
    body: flag === live ? body : withMarksReplaced(body, live),
    base,
    needs: [],
  };
  if (wanted['deleted'] === true) return { action: 'delete', reason: 'undone', ...common };
  return {
    action: change.action === 'delete' ? 'restore' : 'update',
    ...common,
    ...(valuesOfOthers.length === 0 ? {} : { keeps: valuesOfOthers }),
  };
}

/**
 * The fields that the change wrote, as they were before it, with what others have moved since. A secret that the run did not change is kept
 * by a mark, since only the service has it.
 */
function toWriteBack(change: ChangeOfLive, flag: Flag, flags: FlagSnapshot): JsonObject {
  const { body } = change;
  const names = Object.keys(body);
  // The value that empties a field. Its canonical form omits the field.
  const emptied = (name: string): JsonValue =>
    ruleOf(TOLERANCE_TREE, name)?.absentWhen[0] ?? (name === 'filters' ? { groups: [] } : null);
  const former = Object.fromEntries(names.map((name) => [name, memberOf(change.base.former, name) ?? emptied(name)]));
  const written = writableFields(flag, names, flags);
  const canonical = flags.comparable(flag);
  const [sent, live] = [payloadsOf(body), payloadsOf(canonical)];
  return withKeptPayloads(
    withMoves(former, change, { canonical, written, names: flags }),
    (variant, digest) =>
      Object.hasOwn(live, variant) &&
      (jsonEquals(live[variant], digest) || memberOf(sent, variant) === ENCRYPTED_PAYLOAD),
  );
}
