/** Whether a document of a run names a change of a value, with exactly this value before and after. */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { conditionValue, type Fact, filterValues, type Live, ORDER, payload, type Values } from './live.ts';

export interface DocumentChange extends JsonObject {
  readonly action: string;
  readonly resource: string;
  readonly key: string;
}

interface Field {
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

interface Claim {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** What a new flag has where its document names nothing. */
const DEFAULTS: Values = {
  '/name': '',
  '/active': true,
  '/tags': [],
  '/ensure_experience_continuity': false,
  '/early_access/description': '',
};

/** `after`: what is live right after the request; only the places of variants are taken from it. */
export function isNamed(fact: Fact, changes: readonly DocumentChange[], after: Live): boolean {
  const own = changes.filter((change) => concerns(change, fact));
  const values = after.get(fact.id) ?? {};
  if (own.some(({ action, resource }) => action === 'create' && resource === 'flag') && fact.isNew)
    return isCreated(fact, own, values);
  if (fact.path === '/filters/groups') return areConditionsNamed(fact, own);
  return own
    .flatMap((change) => claimsOf(change, values))
    .some(
      ([path, { before, after: wanted }]) =>
        path === fact.path && isDeepStrictEqual(before, fact.before) && isDeepStrictEqual(wanted, fact.after),
    );
}

function concerns({ id, key, flag, resource }: DocumentChange, fact: Fact): boolean {
  if (id !== undefined && id !== null) return id === fact.id;
  return (resource === 'early_access' ? flag : key) === fact.key;
}

function isCreated(fact: Fact, own: readonly DocumentChange[], values: Values): boolean {
  if (fact.path === '/key') return own.some(({ key }) => key === fact.after);
  if (fact.path === '/deleted') return fact.after === false;
  const claimed = own.flatMap((change) => claimsOf(change, values)).filter(([path]) => path === fact.path);
  return isDeepStrictEqual(fact.after, claimed.length === 0 ? DEFAULTS[fact.path] : claimed.at(-1)?.[1].after);
}

function claimsOf(change: DocumentChange, after: Values): readonly (readonly [string, Claim])[] {
  const { action, resource } = change;
  const fields = (change['fields'] ?? []) as unknown as readonly Field[];
  if (resource === 'role_access') return [accessClaim(change)];
  if (resource === 'early_access') {
    const enrolls = change['enrollment'];
    const enrollment: readonly (readonly [string, Claim])[] = [
      ...(enrolls === 'starts' ? [['/filters/feature_enrollment', { before: undefined, after: true }] as const] : []),
      ...(enrolls === 'ends' ? [['/filters/feature_enrollment', { before: true, after: undefined }] as const] : []),
    ];
    return [...fields.map(({ path, ...claim }) => [`/early_access${path}`, both(claim)] as const), ...enrollment];
  }
  if (resource !== 'flag') return [];
  if (action === 'delete') return [['/deleted', { before: false, after: true }]];
  return fields.flatMap((field) => flagClaims(field, after));
}

function accessClaim(change: DocumentChange): readonly [string, Claim] {
  const { id = 'everyone' } = (change['role'] ?? {}) as { readonly id?: string };
  const given = (level: JsonValue | undefined): JsonValue | undefined => level ?? undefined;
  if (change.action === 'grant') {
    return [`/access/${id}`, { before: given(change['before']), after: change['level'] ?? 'editor' }];
  }
  if (change.action === 'adjust')
    return [`/access/${id}`, { before: given(change['before']), after: given(change['level']) }];
  return [`/access/${id}`, { before: change['level'] ?? change['before'] ?? 'editor', after: undefined }];
}

const both = ({ before, after }: Omit<Field, 'path'>): Claim => ({ before, after });

function flagClaims({ path, before, after }: Field, live: Values): readonly (readonly [string, Claim])[] {
  if (path === '/deleted') return [[path, { before: before ?? false, after: after ?? false }]];
  if (path === '/tags') return [[path, { before: sorted(before), after: sorted(after) }]];
  const [, filters, part, , index, name] = path.split('/');
  if (part === 'groups') return [];
  if (filters !== 'filters') return [[path, { before, after }]];
  if (part === undefined)
    return wholes(filterValues((before ?? {}) as JsonObject), filterValues((after ?? {}) as JsonObject));
  if (part === 'payloads' && path.split('/').length > 3) {
    const value = (one: JsonValue | undefined): JsonValue | undefined => (one === undefined ? one : payload(one));
    return [[`/payloads/${path.split('/').slice(3).join('/')}`, { before: value(before), after: value(after) }]];
  }
  if (part === 'multivariate' && name === 'rollout_percentage') {
    return [[`/variants/${((live[ORDER] ?? []) as string[])[Number(index)]}`, { before, after }]];
  }
  const around = (value: JsonValue | undefined): Values => {
    if (value === undefined || value === null) return {};
    if (part !== 'multivariate') return filterValues({ [part]: value });
    if (index !== undefined) return filterValues({ multivariate: { variants: [value] } });
    return filterValues({ multivariate: Array.isArray(value) ? { variants: value } : value });
  };
  return wholes(around(before), around(after));
}

const sorted = (value: JsonValue | undefined): JsonValue => ((value ?? []) as string[]).toSorted();

function wholes(before: Values, after: Values): readonly (readonly [string, Claim])[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths.map((path) => [path, { before: before[path], after: after[path] }]);
}

/** Each condition that is gone is named as removed or as the former of a changed one; each new one as added or as a changed one. */
function areConditionsNamed({ before, after }: Fact, own: readonly DocumentChange[]): boolean {
  const [was, is] = [before ?? [], after ?? []] as unknown as readonly JsonObject[][] as [JsonObject[], JsonObject[]];
  const all = own.flatMap((change) => (change['fields'] ?? []) as unknown as readonly Field[]);
  const fields = all.filter(({ path }) => path.startsWith('/filters/groups'));
  const whole = all.find(({ path }) => path === '/filters/groups' || path === '/filters');
  if (whole !== undefined) return isWhole(whole, was, is);
  const gone = was.filter((one) => !is.some((other) => isDeepStrictEqual(one, other)));
  const removed = fields.flatMap(({ path, before: one, after: other }) =>
    path.split('/').length === 4 && other === undefined ? [conditionValue(one as JsonObject)] : [],
  );
  const fieldsAt = (index: number): readonly Field[] =>
    fields.filter(({ path }) => path.split('/')[3] === String(index));
  const becomes = (former: JsonObject, index: number): boolean =>
    isDeepStrictEqual(changed(former, fieldsAt(index)), is[index]);
  const isAdded = (index: number): boolean =>
    fieldsAt(index).some(({ path, after: wanted }) => {
      return path.split('/').length === 4 && isDeepStrictEqual(conditionValue((wanted ?? {}) as JsonObject), is[index]);
    });
  const hasWord = (one: JsonObject): boolean =>
    removed.some((other) => isDeepStrictEqual(one, other)) || is.some((_, index) => becomes(one, index));
  const isNew = (one: JsonObject): boolean => !was.some((other) => isDeepStrictEqual(one, other));
  const isShown = is.every((one, index) => !isNew(one) || isAdded(index) || was.some((other) => becomes(other, index)));
  return fields.length > 0 && isShown && gone.every(hasWord);
}

function isWhole({ path, before, after }: Field, was: readonly JsonObject[], is: readonly JsonObject[]): boolean {
  const listed = (value: JsonValue | undefined): JsonObject[] => {
    const groups = path === '/filters' ? (value as JsonObject | undefined)?.['groups'] : value;
    return ((groups ?? []) as unknown as readonly JsonObject[]).map(conditionValue);
  };
  return isDeepStrictEqual(listed(before), was) && isDeepStrictEqual(listed(after), is);
}

/** The condition with what these fields change; `undefined` if it does not have what they find. */
function changed(condition: JsonObject, fields: readonly Field[]): JsonObject | undefined {
  let made: JsonObject = condition;
  for (const { path, before, after } of fields) {
    const [, , , , name, ...deeper] = path.split('/');
    if (name === undefined || deeper.length > 0) return deeper.length > 0 ? undeclared(condition, fields) : undefined;
    const former = conditionValue(before === undefined ? {} : { [name]: before });
    if (!isDeepStrictEqual(former[name], condition[name])) return undefined;
    made = conditionValue({ ...made, [name]: after ?? null });
  }
  return fields.length === 0 ? undefined : made;
}

/** Fields inside a property, such as its value: put at their place. */
function undeclared(condition: JsonObject, fields: readonly Field[]): JsonObject | undefined {
  const made = structuredClone(condition) as Record<string, JsonValue>;
  for (const { path, after } of fields) {
    const [name = '', ...rest] = path.split('/').slice(4);
    if (rest.length === 0) made[name] = after ?? null;
    else if (made[name] === undefined) return undefined;
    else put(made[name] as unknown as Record<string, JsonValue>, rest, after);
  }
  return conditionValue(made);
}

function put(
  holder: Record<string, JsonValue>,
  [name = '', ...rest]: readonly string[],
  value: JsonValue | undefined,
): void {
  // Another condition has no such place.
  if (rest.length > 0 && holder[name] === undefined) return;
  if (rest.length > 0) return put(holder[name] as unknown as Record<string, JsonValue>, rest, value);
  if (value !== undefined) holder[name] = value;
  else if (Array.isArray(holder)) (holder as JsonValue[]).splice(Number(name), 1);
  else delete holder[name];
}
