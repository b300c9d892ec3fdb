/** A flag of the service as text: its state, conditions, variants and payloads, then every other member that says something. */

import {
  arrayOrEmpty,
  definedKeys,
  isJsonArray,
  isJsonObject,
  memberOf,
  objectOrEmpty,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { cellText } from '../../columns.ts';
import { escapeLine } from '../../escape.ts';
import { viewFilters } from '../../../posthog/flag/model/view.ts';
import type { View } from '../../view.ts';
import { conditionText, isEmptyValue, percentText, restText, inlineValue } from '../../words/values.ts';
import { recordText } from './records.ts';
import { joinSections } from './page.ts';

/** `--verbose` omits nothing. */
export function flagText(flag: JsonObject, view: View): string {
  const filters = isJsonObject(flag['filters']) ? flag['filters'] : undefined;
  const laidOut = filters === undefined ? HEAD : [...HEAD, 'filters'];
  const others = withoutMembers(flag, laidOut, view);
  return joinSections([
    [`${view.palette.strong(cell(flag['key']))}  ${view.palette.dim(stateOf(flag))}`, ...nameLines(flag)],
    ...(filters === undefined ? [] : filterSections(filters, view)),
    accessLines(flag, view),
    definedKeys(others).length === 0
      ? []
      : recordText({ record: shortPeople(others) }, view)
          .trimEnd()
          .split('\n'),
  ]);
}

/** Members that are laid out for every flag. */
const HEAD = ['key', 'id', 'name', 'active', 'deleted', 'archived', 'can_edit', 'user_access_level'];

function stateOf(flag: JsonObject): string {
  const isActive = flag['active'] === true ? 'active' : 'not active';
  const marks = ['deleted', 'archived'].filter((mark) => memberOf(flag, mark) === true);
  return [`id ${cell(flag['id'])}`, isActive, ...marks].join(' · ');
}

function nameLines({ name }: JsonObject): string[] {
  return name === undefined || isEmptyValue(name) ? [] : cellText(name).split('\n').map(escapeLine);
}

function filterSections(filters: JsonObject, view: View): (readonly string[])[] {
  const { groups, multivariate, payloads } = filters;
  const variants = isJsonObject(multivariate) ? multivariate['variants'] : undefined;
  const shownPayloads = objectOrEmpty(payloads);
  // Format version 2 has conditions of another shape, which only its own members describe.
  const laidOut = viewFilters(filters).isOpaque
    ? []
    : [
        ...(isJsonArray(groups) ? ['groups'] : []),
        ...(isJsonArray(variants) ? ['multivariate'] : []),
        ...(isJsonObject(payloads) ? ['payloads'] : []),
      ];
  return [
    laidOut.includes('groups') ? conditionLines(arrayOrEmpty(groups), filters, view) : [],
    laidOut.includes('multivariate') ? variantLines(arrayOrEmpty(variants), shownPayloads, view) : [],
    laidOut.includes('payloads') ? payloadLines(shownPayloads, arrayOrEmpty(variants), view) : [],
    titled('Other filters', memberLines(withoutMembers(filters, laidOut, view)), view),
  ];
}

function conditionLines(groups: JsonArray, filters: JsonObject, view: View): string[] {
  const lines = groups.map((condition, index) => `  ${index + 1}  ${conditionText(condition, filters, view.verbose)}`);
  return lines.length === 0
    ? titled('Conditions', ['  none'], view)
    : titled('Conditions (the first that matches decides)', lines, view);
}

function variantLines(variants: JsonArray, payloads: JsonObject, view: View): string[] {
  const lines = variants.map((variant) => {
    if (!isJsonObject(variant)) return `  ${inlineValue(variant)}`;
    const key = cellText(variant['key']);
    const rest = restText(variant, ['key', 'rollout_percentage'], view.verbose);
    const payload = Object.hasOwn(payloads, key) ? `  payload ${payloadText(payloads[key] as JsonValue)}` : '';
    return `  ${escapeLine(key)}  ${percentText(variant['rollout_percentage'])}${rest}${payload}`;
  });
  return titled('Variants', lines, view);
}

/** Payloads without a variant. */
function payloadLines(payloads: JsonObject, variants: JsonArray, view: View): string[] {
  const keys = variants.map((variant) => cellText(objectOrEmpty(variant)['key']));
  const lines = definedKeys(payloads)
    .filter((key) => !keys.includes(key))
    .map((key) => `  ${escapeLine(key)}  ${payloadText(payloads[key] as JsonValue)}`);
  return titled('Payloads', lines, view);
}

/** The service keeps payloads as JSON text. */
function payloadText(payload: JsonValue): string {
  return typeof payload === 'string' ? escapeLine(payload) : inlineValue(payload);
}

function accessLines({ can_edit: canEdit, user_access_level: level }: JsonObject, { palette }: View): string[] {
  const ability = canEdit === undefined ? 'has' : canEdit === true ? 'can edit it' : 'cannot edit it';
  const words = typeof level === 'string' ? [ability, `level ${escapeLine(level)}`] : [ability];
  if (words.join() === 'has') return [];
  return [`${palette.strong('Access')}  the owner of the API key ${words.join(canEdit === undefined ? ' ' : ', ')}`];
}

function titled(title: string, lines: readonly string[], { palette }: View): string[] {
  return lines.length === 0 ? [] : [palette.strong(title), ...lines];
}

function memberLines(members: JsonObject): string[] {
  return definedKeys(members).map((key) => `  ${escapeLine(key)}  ${inlineValue(members[key] ?? null)}`);
}

/** Omits empty or disabled members without `--verbose`. */
function withoutMembers(object: JsonObject, names: readonly string[], { verbose }: View): JsonObject {
  const left = definedKeys(object).filter(
    (name) => !names.includes(name) && (verbose || !(isEmptyValue(object[name] ?? null) || object[name] === false)),
  );
  return Object.fromEntries(left.map((name) => [name, object[name] ?? null]));
}

/** A person by the mail address: the rest is in `-f json`. */
function shortPeople(record: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const email =
        isJsonObject(value) && ['created_by', 'last_modified_by'].includes(name) ? value['email'] : undefined;
      return [name, typeof email === 'string' ? email : (value ?? null)];
    }),
  );
}

function cell(value: JsonValue | undefined): string {
  return escapeLine(cellText(value));
}
