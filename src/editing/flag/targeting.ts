/** Writes who gets a flag into a declaration, in the existing form and layer or in the smallest overlay that holds it. */

import {
  without,
  arrayOrEmpty,
  canonicalText,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  objectFrom,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
} from '../../base/json.ts';
import { fromPointer, toPointer, type JsonPath } from '../../base/json-pointer.ts';
import type { Layer } from '../../core/manifest/layers.ts';
import { plainRollout } from '../../posthog/flag/layout.ts';
import {
  declaredFilters,
  FILTERS,
  findConditions,
  findTargeting,
  findVariants,
  isPart,
  isUnchecked,
  PARTS,
  pathTo,
  SHORTHAND,
  UNCHECKED,
} from '../../posthog/flag/manifest/fields.ts';
import { firstThat, layerOf, overlayIn, overlayPath, type Editing, type LayerMembers } from '../choose-layer.ts';
import { patchTo, setIn, valueIn, withMember } from '../members.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { toForm } from '../../posthog/flag/model/normal-forms.ts';

export interface TargetingEdit {
  /** The filters in the form of manifests, with existing parts that mean the same. */
  readonly filters: JsonObject;
  /** The filters are under `fields`, since they break rules. */
  readonly unchecked: boolean;
  /** Whether filters as written mean what is wanted. */
  readonly means: (filters: JsonObject) => boolean;
}

/** The declaration's value with the filters; `undefined` if no layer can hold them. */
export function writeTargeting(members: LayerMembers, edit: TargetingEdit, editing: Editing): LayerMembers | undefined {
  const isWritten = ({ value }: Layer): boolean => {
    const filters = declaredFilters(value);
    const hasOneForm = findTargeting(value).length === 1;
    return hasOneForm && filters !== undefined && isUnchecked(value) === edit.unchecked && edit.means(filters);
  };
  if (isWritten(layerOf(members, editing))) return members;
  const at: TargetingTask = { members, edit, editing };
  const candidates = {
    auto: [() => inPlace(at), () => inBase(at), ...bySize([parts(at), patch(at)]), () => apart(at)],
    base: [() => inPlace(withoutOverlaid(at)), () => inBase(withoutOverlaid(at))],
    project: bySize([parts(at), patch(at)]),
  };
  return firstThat(candidates[editing.layer], members, { isWritten, editing });
}

interface TargetingTask {
  readonly members: LayerMembers;
  readonly edit: TargetingEdit;
  readonly editing: Editing;
}

function bySize(candidates: readonly (LayerMembers | undefined)[]): (() => LayerMembers | undefined)[] {
  const made = candidates.filter((one) => one !== undefined);
  return made.toSorted((a, b) => canonicalText(a).length - canonicalText(b).length).map((one) => () => one);
}

/** Writes each changed value where the present one is written. */
function inPlace({ members, edit, editing }: TargetingTask): LayerMembers | undefined {
  const layer = layerOf(members, editing);
  const [form = ''] = findTargeting(layer.value);
  const written = declaredFilters(layer.value);
  if (written === undefined || isUnchecked(layer.value) !== edit.unchecked) return undefined;
  const rollout = form === SHORTHAND ? plainRollout(edit.filters) : undefined;
  if (form === SHORTHAND && rollout === undefined) return undefined;
  const changes: readonly ValueChange[] =
    rollout === undefined
      ? changesBetween(written, edit.filters, []).map((one) => ({ ...one, path: [...pathTo(form), ...one.path] }))
      : [{ path: fromPointer(SHORTHAND), value: rollout }];
  const own = fromPointer(editing.declaration.path).length;
  const originOf = (path: JsonPath): JsonPath => fromPointer(layer.pathOf(toPointer(path)));
  // Works from the end, so that the indices of lists stay valid.
  return changes.toReversed().reduce<LayerMembers>((all, { path, value, isNew }) => {
    const [name = ''] = path.slice(-1);
    const origin = isNew === true ? [...originOf(path.slice(0, -1)), name] : originOf(path);
    return objectOrEmpty(setIn(all, origin.slice(own).map(String), value));
  }, members);
}

interface ValueChange {
  readonly path: JsonPath;
  readonly value: JsonValue | undefined;
  readonly isNew?: true;
}

function changesBetween(before: JsonValue, after: JsonValue, path: JsonPath): ValueChange[] {
  if (jsonEquals(before, after)) return [];
  if (isJsonArray(before) && isJsonArray(after) && before.length === after.length) {
    return after.flatMap((element, index) => changesBetween(before[index] as JsonValue, element, [...path, index]));
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return [{ path, value: after }];
  return [...new Set([...definedKeys(before), ...definedKeys(after)])].flatMap((name): ValueChange[] => {
    const [had, has] = [valueIn(before, [name]), valueIn(after, [name])];
    if (had !== undefined && has !== undefined) return changesBetween(had, has, [...path, name]);
    return [{ path: [...path, name], value: has, ...(had === undefined ? { isNew: true } : {}) }];
  });
}

function inBase({ members, edit }: TargetingTask): LayerMembers {
  const [form] = findTargeting(members);
  return withTargeting(members, edit, form);
}

/** Writes the filters as a whole in a form that can hold them, the existing one if possible. */
function withTargeting(layer: JsonObject, { filters, unchecked }: TargetingEdit, form: string | undefined): JsonObject {
  const rollout = plainRollout(filters);
  const isShort = !unchecked && rollout !== undefined && form !== FILTERS;
  const next = unchecked ? UNCHECKED : isShort ? SHORTHAND : FILTERS;
  const cleared = withoutForms(
    layer,
    FORMS.filter((one) => one !== next),
  );
  return objectOrEmpty(setIn(cleared, fromPointer(next), isShort ? rollout : filters));
}

const FORMS = [FILTERS, SHORTHAND, UNCHECKED];

function withoutForms(layer: JsonObject, forms: readonly string[]): JsonObject {
  return forms.reduce<JsonObject>((all, form) => objectOrEmpty(setIn(all, fromPointer(form), undefined)), layer);
}

/** Removes the filters from the project's overlay for a value that all projects get. */
function withoutOverlaid(at: TargetingTask): TargetingTask {
  const overlay = withoutTargeting(overlayIn(at.members, at.editing));
  return { ...at, members: withOverlay(at, overlay) };
}

function withoutTargeting(layer: JsonObject): JsonObject {
  return withoutForms(without(layer, definedKeys(layer).filter(isPart)), FORMS);
}

function withOverlay(
  { members, editing }: Pick<TargetingTask, 'members' | 'editing'>,
  overlay: JsonObject,
): LayerMembers {
  const isEmpty = definedKeys(overlay).length === 0;
  return objectOrEmpty(setIn(members, overlayPath(editing), isEmpty ? undefined : overlay));
}

/** The overlay replaces the filters, or is merged into them if both have that form. */
function patch(at: TargetingTask): LayerMembers {
  const { members, edit, editing } = at;
  const former = overlayIn(members, editing);
  const own = withoutTargeting(former);
  const [base] = findTargeting(members);
  const [form] = findTargeting(former);
  const filters = overlaidFilters(at);
  if (base === FILTERS && !edit.unchecked) {
    const patched = patchTo(members['filters'], former['filters'] ?? undefined, filters);
    return withOverlay(at, patched === undefined ? own : withMember(own, 'filters', patched));
  }
  return withOverlay(at, withTargeting(own, { ...edit, filters }, form ?? base));
}

/** Unchecked filters have payloads as the service stores them, which is JSON text already. */
function overlaidFilters({ members, edit, editing }: TargetingTask): JsonObject {
  if (edit.unchecked) return edit.filters;
  const written = declaredFilters(layerOf(members, editing).value) ?? {};
  return withTextPayloads(edit.filters, declaredFilters(members) ?? {}, written);
}

/** An overlay cannot hold null, but the base can; the other projects then have what they had in overlays. */
function apart(at: TargetingTask): LayerMembers {
  const { members, editing } = at;
  return editing.others.reduce<LayerMembers>(
    (all, project) => {
      const own = { members: all, editing: { ...editing, project } };
      const former = layerOf(members, editing, project).value;
      return withOverlay(own, withFormer(own, former));
    },
    inBase(withoutOverlaid(at)),
  );
}

/** The overlay of a project that keeps the filters which it had before the base changed. */
function withFormer({ members, editing }: Pick<TargetingTask, 'members' | 'editing'>, layer: JsonObject): JsonObject {
  const overlay = overlayIn(members, editing);
  const own = withoutTargeting(overlay);
  const [base = FILTERS] = findTargeting(members);
  const [form] = findTargeting(layer);
  if (form === undefined) return objectOrEmpty(setIn(own, fromPointer(base), null));
  const filters = valueIn(layer, fromPointer(form)) ?? null;
  const written = form === base ? patchTo(valueIn(members, fromPointer(base)), undefined, filters) : filters;
  return written === undefined ? own : objectOrEmpty(setIn(own, fromPointer(form), written));
}

/** The overlay names the conditions, variants and payloads that differ; `undefined` if something else does too. */
function parts(at: TargetingTask): LayerMembers | undefined {
  const { members, edit, editing } = at;
  const former = overlayIn(members, editing);
  const base = declaredFilters(members);
  if (base === undefined || findTargeting(former).length > 0 || isUnchecked(members) !== edit.unchecked) {
    return undefined;
  }
  const filters = overlaidFilters(at);
  const rest = (all: JsonObject): JsonObject => without(all, ['groups', 'multivariate', 'payloads']);
  const around = (all: JsonObject): JsonObject => without(objectOrEmpty(all['multivariate']), ['variants']);
  if (!jsonEquals(rest(base), rest(filters)) || !jsonEquals(around(base), around(filters))) return undefined;
  const found = {
    conditions: listPart(base['groups'], filters['groups'], { former: former['conditions'], find: findConditions }),
    variants: listPart(variantsIn(base), variantsIn(filters), { former: former['variants'], find: findVariants }),
    payloads: patchTo(base['payloads'] ?? {}, former['payloads'], filters['payloads'] ?? {}),
  };
  if (found.conditions === null || found.variants === null) return undefined;
  const changed = PARTS.flatMap((part) => {
    const value = found[part];
    return isJsonObject(value) && definedKeys(value).length > 0 ? [[part, value] as const] : [];
  });
  const kept = definedKeys(former).filter((name) => !isPart(name) || changed.some(([part]) => part === name));
  const others = objectFrom(kept.map((name) => [name, former[name] as JsonValue] as const));
  return withOverlay(
    at,
    changed.reduce((all, [part, value]) => withMember(all, part, value), others),
  );
}

function variantsIn(filters: JsonObject): JsonValue | undefined {
  return valueIn(filters, ['multivariate', 'variants']);
}

/** The overlay of the elements that differ; null if an element is new, which an overlay cannot express. `former`: the overlay before. */
function listPart(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  {
    former,
    find,
  }: { readonly former: JsonValue | undefined; readonly find: (elements: JsonArray, name: string) => number[] },
): JsonObject | null | undefined {
  const [from, to] = [arrayOrEmpty(before), arrayOrEmpty(after)];
  const targets = pairElements(from, to);
  if (targets === undefined) return null;
  const named = objectOrEmpty(former);
  const members = from.flatMap((element, index): [string, JsonValue][] => {
    const target = targets[index];
    const name = definedKeys(named).find((one) => find(from, one).join() === String(index));
    const own = name === undefined ? undefined : (named[name] ?? undefined);
    const change = target === undefined ? null : patchTo(element, own, target);
    // Variants are named by key, conditions by number.
    const key = find === findVariants ? valueIn(element, ['key']) : undefined;
    const added = typeof key === 'string' ? key : String(index + 1);
    return change === undefined ? [] : [[name ?? added, change]];
  });
  return objectFrom(members);
}

/** The new value of each element; `undefined` if elements are new. */
function pairElements(from: JsonArray, to: JsonArray): readonly (JsonValue | undefined)[] | undefined {
  if (from.length === to.length) {
    const isSame = to.every((one, index) => jsonEquals(valueIn(one, ['key']), valueIn(from[index], ['key'])));
    return isSame ? to : undefined;
  }
  let next = 0;
  const targets = from.map((element) => (jsonEquals(element, to[next]) ? to[next++] : undefined));
  return next === to.length ? targets : undefined;
}

/** Text stays text: services before 2026 give programs what was sent, a string or an object. */
export function withWrittenTexts(filters: JsonObject, written: JsonObject): JsonObject {
  return withPayloads(filters, written, (value, before) => {
    if (typeof before !== 'string' || value === null) return value;
    return jsonEquals(toForm('payload', before, {}), value) ? before : stringifyJson(value);
  });
}

/**
 * The filters of an overlay, with a payload whose value contains null as text, since a null would remove. Payloads that are the same in the
 * base stay values, since the overlay does not name them. `written`: the declared ones; an unchanged payload stays as written.
 */
export function withTextPayloads(filters: JsonObject, base: JsonObject, written: JsonObject): JsonObject {
  const isKept = (name: string, value: JsonValue): boolean => jsonEquals(value, valueIn(written, ['payloads', name]));
  const texts = withWrittenTexts(filters, base);
  return withPayloads(filters, base, (value, before, name) => {
    if (isKept(name, value)) return value;
    const text = valueIn(texts, ['payloads', name]) ?? value;
    return typeof text !== 'string' && holdsNull(value) && !jsonEquals(value, before) ? stringifyJson(value) : text;
  });
}

/** Replaces each payload that is not text by the result of `form` for it and the one in `base`. */
function withPayloads(
  filters: JsonObject,
  base: JsonObject,
  form: (value: JsonValue, before: JsonValue | undefined, name: string) => JsonValue,
): JsonObject {
  const { payloads } = filters;
  if (!isJsonObject(payloads)) return filters;
  const formed = definedKeys(payloads).reduce<JsonObject>((all, name) => {
    const value = payloads[name] as JsonValue;
    return typeof value === 'string'
      ? all
      : withMember(all, name, form(value, valueIn(base, ['payloads', name]), name));
  }, payloads);
  return withMember(filters, 'payloads', formed);
}

/** An overlay replaces lists as a whole, with the nulls in them. */
function holdsNull(value: JsonValue | undefined): boolean {
  return value === null || (isJsonObject(value) && Object.values(value).some(holdsNull));
}
