/** Finds where each value of a declared flag comes from, and what is live in its place. Pure. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, jsonEquals } from '../../base/json.ts';
import { fromPointer, toPointer, valueAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import { matchResources } from '../../core/engine/match.ts';
import { indexResources, type KeysAfterPlan } from '../../core/engine/snapshot.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import { atMoment } from '../../core/manifest/at-moment.ts';
import type { DesiredFlag } from '../desired.ts';
import {
  isAround,
  toSeek,
  type AttributedValue,
  type DeclarationScope,
  type DeclaredValue,
  type ExplainedFamily,
  type ExplainedLive,
} from '../declared/explain.ts';
import type { LiveState } from '../live.ts';
import type { OwnWrite, Attribution, Attributions, KnownAttribution } from '../authors/attribution.ts';
import { EDITOR, heldAccess, INHERITED } from '../role-access/access.ts';
import { attributeHeld } from '../role-access/attribution.ts';
import { EVERYONE } from '../role-access/change.ts';
import { comparableFlag, compareFields } from './comparison.ts';
import { completed, supportedFields } from './compare-flag.ts';
import { matchesField, type FieldPath } from '../../core/engine/field-path.ts';
import { memberPointer, toFields } from './manifest/fields.ts';
import { layering } from './manifest/layering.ts';
import { findOwnership, FLAG_FIELDS } from './model/fields.ts';
import { takeFlagSnapshot, revertedValues, type TurnedOff, type TurnedOffFlags } from './snapshot.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { diff, type Difference } from '../../core/engine/diff.ts';
import type { EditedChange, LoggedInquiry } from '../reading/read-attributions.ts';
import { type LogEntry, parseLog } from '../authors/log-entry.ts';
import type { Plan } from '../plan.ts';
import { type Logged, placeFields, type SoughtValue } from '../authors/replay-log.ts';
import { canonicalFlag } from './model/canonical.ts';
import type { FlagChange } from './change.ts';
import { withPayloadDigests } from './model/encrypted-payloads.ts';
import type { Flag } from './model/flag.ts';

export const EXPLAINED_FLAGS: ExplainedFamily<'flags'> = {
  values: (flag, scope) => [...explainDeclaration(scope), ...explainAccess(flag, scope.path)],
  ownershipOf: (flag, pointer) =>
    flag.kind === 'retired' ? 'managed' : (findOwnership(flag.ownership ?? [], pointer, flag.fields) ?? 'managed'),
  isUsual: ({ path, value }) => {
    const field = FLAG_FIELDS.find(({ api }) => path === toPointer([api]));
    return field?.usual?.some((one) => jsonEquals(one, value)) === true;
  },
  live: liveFlag,
};

/** The values that a declaration gives to a project, one for each field and each part of its filters. */
function explainDeclaration({
  declaration: written,
  project,
  moment,
  path,
}: DeclarationScope): readonly DeclaredValue[] {
  const { rollouts } = written;
  const declaration = rollouts === undefined ? written : atMoment(written, rollouts, moment);
  const layer = layerDeclaration(declaration, project, layering);
  const { fields, places } = toFields(layer);
  const base = toFields(layerDeclaration(declaration, undefined, layering));
  const overlay = `${declaration.path}${toPointer(['projects', project])}/`;
  return Object.keys(fields)
    .flatMap((field) => partsOf(fields[field] as JsonValue, [field]))
    .filter((pointer) => path === undefined || isAround(path, pointer, fields))
    .map((pointer): DeclaredValue => {
      const isOverlaid = layer.pathOf(memberPointer(layer, pointer)).startsWith(overlay);
      const replaced = isOverlaid ? replacedValue(base.fields, fields, pointer) : undefined;
      return {
        path: pointer,
        value: valueAt(fields, pointer) as JsonValue,
        place: placeAt(places, pointer),
        layer: isOverlaid ? 'overlay' : 'base',
        ...(replaced === undefined ? {} : { replaces: { value: replaced, place: placeAt(base.places, pointer) } }),
      };
    });
}

/** The access that a flag declares, by role, and for everyone. */
function explainAccess(flag: DesiredFlag, path?: FieldPath): readonly DeclaredValue[] {
  if (flag.kind === 'retired') return [];
  const { roleAccess = [], everyone } = flag;
  const ofRoles = roleAccess.map(({ id, name, level = EDITOR, place }) => ({
    path: toPointer([...ROLES, name ?? id]),
    value: level,
    place,
  }));
  const ofEveryone =
    everyone === undefined ? [] : [{ path: DEFAULT, value: everyone.level ?? INHERITED, place: everyone.place }];
  const isNamed = ({ path: pointer }: DeclaredValue): boolean =>
    path === undefined || matchesField(path, pointer, {}) || isAround(path, pointer, {});
  return [...ofEveryone, ...ofRoles].filter(isNamed);
}

const ROLES = ['role_access', 'roles'];
const DEFAULT = '/role_access/default';

function liveFlag(
  desired: DesiredFlag,
  declared: readonly DeclaredValue[],
  live: LiveState,
): ExplainedLive | undefined {
  const { flags, traces } = live;
  const snapshot = takeFlagSnapshot({ flags, roleAccess: {} });
  const flag = matchResources([desired], snapshot, defined({ traces: traces?.flags })).pairs[0]?.live;
  if (flag === undefined) return undefined;
  const names = indexResources(live.flags);
  const fields: JsonObject = desired.kind === 'declared' ? supportedFields(completed(desired), flag).wanted : {};
  // The places of the values in the live flag, to find their authors.
  const values = declared.filter(({ layer }) => layer !== undefined);
  const comparable = comparableFlag(flag, names);
  const differences = compareFields(fields, comparable, names);
  const sought = soughtIn(toSeek(values, differences), { flag, names, body: fields });
  return {
    id: flag.id,
    ...(sought.length === 0 ? {} : { logged: loggedFlag(flag, names) }),
    sought,
    liveValueOf: ({ path, place }) => {
      const pointer = toPointer(place);
      const differs = differences.some(
        (one) => `${one.path}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${one.path}/`),
      );
      return { ...defined({ value: valueAt(comparable, pointer) ?? valueAt(flag, pointer) }), differs };
    },
    attached: (writes) => liveAccessOf(desired, declared, { live, flagId: flag.id, writes }),
  };
}

/** The live values of the declared access, by path. */
function liveAccessOf(
  flag: DesiredFlag,
  declared: readonly DeclaredValue[],
  { live, flagId, writes }: { readonly live: LiveState; readonly flagId: number; readonly writes: readonly OwnWrite[] },
): ReadonlyMap<string, AttributedValue> {
  const access = live.roleAccess[String(flagId)];
  const held = access === undefined ? undefined : heldAccess(access, live.organization);
  if (flag.kind === 'retired' || held === undefined) return new Map();
  const subjects = [
    { path: DEFAULT, subject: EVERYONE, level: held.everyone ?? INHERITED },
    ...(flag.roleAccess ?? []).map(({ id, name }) => ({
      path: toPointer([...ROLES, name ?? id]),
      subject: id,
      level: held.roles.find(({ role }) => role.id === id)?.level,
    })),
  ];
  const values = new Map(declared.map((one) => [one.path, one.value]));
  return new Map(
    subjects
      .filter(({ path }) => values.has(path))
      .map(({ path, subject, level }) => [
        path,
        {
          live: { ...defined({ value: level }), differs: level !== values.get(path) },
          attribution: attributeHeld({ subject, flagId }, access, writes),
        },
      ]),
  );
}

/** Mappings and lists of mappings are taken apart, but the properties of a condition are one value. */
function partsOf(value: JsonValue, path: readonly string[]): string[] {
  const isWhole = path.at(-1) === 'properties' || path.at(-2) === 'payloads' || path.length > DEEPEST;
  // The shorthand of filters implies it.
  if (path.at(-1) === 'properties' && isJsonArray(value) && value.length === 0) return [];
  const isTaken = isJsonObject(value) || (isJsonArray(value) && value.every(isJsonObject));
  const parts = isWhole || !isTaken ? [] : Object.entries(value);
  if (parts.length === 0) return [toPointer(path)];
  return parts.flatMap(([name, part]) => partsOf(part as JsonValue, [...path, name]));
}

const DEEPEST = 6;

/** If an overlay removes elements of a list, the others move, so their places in the base are not known by index. */
function replacedValue(base: JsonObject, merged: JsonObject, pointer: string): JsonValue | undefined {
  const segments = fromPointer(pointer);
  const isMoved = segments.some((_segment, at) => {
    const [before, after] = [base, merged].map((fields) => valueAt(fields, toPointer(segments.slice(0, at))));
    return isJsonArray(before) && isJsonArray(after) && before.length !== after.length;
  });
  return isMoved ? undefined : valueAt(base, pointer);
}

/** One inquiry for each flag, even if it has two changes. */
export function inquireFlags(edits: readonly EditedChange<FlagChange>[], live: LiveState): readonly LoggedInquiry[] {
  const names = indexResources(live.flags);
  const byFlag = new Map<Flag, Map<string, readonly SoughtValue[]>>();
  for (const { change, fields } of edits) {
    // A declared flag that was deleted or renamed in the service is known by its trace.
    const trace = live.traces?.flags?.find((one) => one.kind === 'former' && one.key === change.key);
    const former = trace?.kind === 'former' ? live.flags.find(({ id }) => id === trace.id) : undefined;
    const flag = change.action === 'create' ? former : names.byId(change.id);
    if (flag === undefined) continue;
    const sought =
      change.action === 'create'
        ? [{ path: '', place: [flag.deleted === true ? 'deleted' : 'key'] }]
        : soughtIn(fields, { flag, names, body: change.body });
    byFlag.set(flag, (byFlag.get(flag) ?? new Map<string, readonly SoughtValue[]>()).set(change.ref, sought));
  }
  return [...byFlag].map(([flag, sought]) => ({ logged: loggedFlag(flag, names), sought }));
}

export function loggedFlag(flag: Flag, names: KeysAfterPlan): Logged {
  const secrecy = defined({ has_encrypted_payloads: flag['has_encrypted_payloads'] });
  return {
    resource: 'flag',
    id: flag.id,
    current: comparableFlag(flag, names),
    formOf: (field, value) => comparableFlag({ ...secrecy, [field]: value } as unknown as Flag, names),
    isLater: ({ version }) => version !== undefined && typeof flag.version === 'number' && version > flag.version,
    unlogged: UNLOGGED,
  };
}

/** The service stores them after it wrote the entry. */
const UNLOGGED: ReadonlySet<string> = new Set(['tags', 'evaluation_tags']);

/** The places of a change's fields in its live flag. `body`: of the change, whose lists are the wanted ones. */
export function soughtIn(
  fields: readonly FieldChange[],
  { flag, names, body }: { readonly flag: Flag; readonly names: KeysAfterPlan; readonly body: JsonObject },
): readonly SoughtValue[] {
  return placeFields(fields, {
    live: comparableFlag(flag, names),
    wanted: comparableFlag({ ...flag, ...body }, names),
  });
}

/**
 * Names the recorded runs of `off` as authors of differences: the journal knows what the log may not. An entry of the log by another author
 * has priority.
 */
export function withTurnedOff(
  attributions: Attributions,
  { changes }: Pick<Plan, 'changes'>,
  turnedOff: TurnedOffFlags = new Map(),
): Attributions {
  const found = new Map(attributions);
  for (const change of changes) {
    const off = change.resource === 'flag' && change.id !== undefined ? turnedOff.get(change.id) : undefined;
    if (off === undefined || !('fields' in change)) continue;
    const own = new Map(found.get(change.ref));
    for (const { path } of revertedValues(change.fields, off)) own.set(path, attributionOf(own.get(path), off));
    if (own.size > 0) found.set(change.ref, own);
  }
  return found;
}

function attributionOf(logged: Attribution | undefined, off: TurnedOff): KnownAttribution {
  const { run, at, by, reason } = off;
  const facts = { run, off: defined({ reason }) };
  if (logged?.kind !== 'known') return { kind: 'known', ...defined({ by }), at, via: 'apply', ...facts };
  return logged.run === run ? { ...logged, ...facts } : logged;
}

/**
 * The changes in an entry of the activity log: field by field, and condition by condition if it has whole filters. `isOpen`: whether the
 * payloads of the flag are known not to be secret; digests stand for any others. The counter of updates is left out, since each update
 * changes it. `entry`: absent if the answer is not a known one.
 */
export function readEdit(
  answered: JsonObject,
  isOpen: boolean,
): { readonly entry?: LogEntry; readonly differences: readonly Difference[] } {
  const [entry] = parseLog([answered]);
  if (entry === undefined) return { differences: [] };
  const shown = (field: string, value: JsonValue): JsonObject => {
    const form = canonicalFlag({ [field]: value });
    return isOpen ? form : withPayloadDigests(form);
  };
  const differences = [...entry.changes].flatMap(([field, { before, after }]): Difference[] => {
    if (field === 'version') return [];
    const found = diff(shown(field, before), shown(field, after));
    // A difference that the canonical form omits is a change too.
    return found.length > 0 || jsonEquals(before, after) ? found : [{ path: `/${field}`, before, after }];
  });
  return { entry, differences };
}
