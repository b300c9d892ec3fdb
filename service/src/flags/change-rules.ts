/**
 * Updates a flag whose filters have rules (format version 2). Unless PostHog has enabled rules for the project, such a flag can only be
 * disabled and deleted; see docs/service/rules.md.
 */

import { stringifyJson, parseJson } from '../../../src/base/json-text.ts';
import { isJsonObject, jsonEquals, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { refuseGoverned } from '../approvals/gate.ts';
import { formatOf } from '../filters/conditions.ts';
import { acceptRules, checkRules } from '../filters/rule-document.ts';
import { unsupportedFormat } from '../filters/posthog.ts';
import { FILTER_RULES } from '../filters/rules.ts';
import type { ServiceContext } from '../handler/call.ts';
import { conflict, invalid } from '../handler/envelope.ts';
import { countedVersion, storedValue, withValues, type StoredFlag } from '../store/flag.ts';
import { modification, storeChange } from './change.ts';
import { checkKey, keyAfterDelete } from './keys.ts';
import { checkGuards, filterContext } from './check.ts';

interface RulesChange {
  readonly before: StoredFlag;
  readonly body: JsonValue | undefined;
  /** The JSON text of the body. */
  readonly text?: string | undefined;
  /** The checked fields of the body. */
  readonly values: JsonObject;
}

/** `original_flag` is accepted and ignored. */
const OPEN_MEMBERS: readonly string[] = ['version', 'active', 'deleted', 'original_flag'];
/** The members that a project with enabled rules accepts in addition. */
const MEMBERS_OF_OPENED: readonly string[] = ['filters', 'key', 'name', 'tags'];

/** Whether the project accepts the filters as rules. */
export function writesRules(service: ServiceContext, projectId: string, filters: JsonValue | undefined): boolean {
  const { rules, store } = service;
  return rules.formats && formatOf(objectOrEmpty(filters)) === 'rules' && store.flags.acceptsRules(projectId);
}

export function changeFlagWithRules(service: ServiceContext, change: RulesChange): StoredFlag {
  const { before, body, text, values } = change;
  const { filters } = values;
  const isOpened = service.store.flags.acceptsRules(before.projectId);
  // The reason for the refusal is the one that other flags give first.
  if ((isJsonObject(filters) && !isOpened) || !isOpen(before)) refuseFilters(service, before, objectOrEmpty(filters));
  const echoed = Object.keys(values).filter(
    (name) => name !== 'filters' && jsonEquals(values[name] ?? null, storedValue(before, name) ?? null),
  );
  const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !echoed.includes(name)));
  refuseClosedMembers({ ...(isJsonObject(body) && body), ...values }, { changed, echoed, isOpened });
  const disabled = changed['deleted'] === true ? { ...changed, active: false } : changed;
  if (typeof changed['key'] === 'string') checkKey(service, changed['key']);
  const draft = withValues(before, { ...disabled, ...modification(service) });
  const key = draft.deleted && !before.deleted ? keyAfterDelete(service, draft) : draft.key;
  const after = { ...draft, key, version: countedVersion(draft) + 1 };
  checkGuards(service, before, after);
  checkVersion(before, body);
  refuseGoverned(service, before.projectId);
  const written =
    filters === undefined
      ? after
      : { ...after, filters: readRules(service, { sent: filters, stored: before.filters, text }) };
  if (after.active && !before.active) checkRules(written.filters);
  storeChange(service, before, written);
  return written;
}

interface SentRules {
  readonly sent: JsonValue | undefined;
  readonly stored: JsonObject;
  readonly text: string | undefined;
}

/** The filters to store, with the ids and seeds of the service. */
export function readRules(service: ServiceContext, { sent = null, stored, text }: SentRules): JsonObject {
  const repeated = text === undefined ? undefined : repeatedMember(text);
  if (repeated !== undefined)
    throw invalid('invalid_input', `The key ${stringifyJson(repeated)} is repeated.`, 'filters');
  return acceptRules(sent, { stored, newId: service.randomUuid });
}

/** Whether the flag accepts any change: remote configurations and flags with encrypted payloads of this format do not. */
function isOpen({ filters, fields }: StoredFlag): boolean {
  return (
    formatOf(filters) === 'rules' &&
    fields['has_encrypted_payloads'] !== true &&
    fields['is_remote_configuration'] !== true
  );
}

function refuseFilters(service: ServiceContext, before: StoredFlag, sent: JsonObject): never {
  FILTER_RULES[service.rules.name].update(sent, before.filters, filterContext(service, before));
  throw unsupportedFormat();
}

interface SentMembers {
  readonly changed: JsonObject;
  readonly echoed: readonly string[];
  readonly isOpened: boolean;
}

/** Accepts a member that repeats the stored value, since it changes nothing. */
function refuseClosedMembers(sent: JsonObject, { changed, echoed, isOpened }: SentMembers): void {
  const open = new Set([...OPEN_MEMBERS, ...(isOpened ? MEMBERS_OF_OPENED : []), ...echoed]);
  const closed = Object.keys(sent).filter((name) => !open.has(name));
  if (changed['deleted'] === false) closed.push('deleted');
  if (changed['active'] === true && !isOpened) closed.push('active');
  if (closed.length === 0) return;
  const detail = `These fields of a flag with rules cannot be updated: ${closed.toSorted().join(', ')}.`;
  throw invalid('unsupported_config_version', detail, null);
}

/** Unlike for other flags, the version is required and any change since then is a conflict. */
function checkVersion(flag: StoredFlag, body: JsonValue | undefined): void {
  const sent = isJsonObject(body) ? (body['version'] ?? null) : null;
  const stored = countedVersion(flag);
  if (sent === null) throw invalid('required', 'The version is required for a flag with rules.', 'version');
  if (!Number.isSafeInteger(sent)) throw invalid('invalid_input', 'Must be an integer.', 'version');
  if (sent !== stored) throw staleVersion(sent, stored);
}

export function staleVersion(sent: JsonValue, stored: number): Error {
  return conflict(`The flag has changed since version ${stringifyJson(sent)}; its version is ${stored}.`);
}

const TOKEN = /("(?:[^"\\]|\\.)*")\s*(:)?|[{}[\]]/g;

/** The name of the first such member. `text` is valid JSON. */
function repeatedMember(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (string === undefined) {
      if (token === '{' || token === '[') open.push(new Set());
      else open.pop();
    } else if (colon !== undefined) {
      const name = parseJson(string) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    }
  }
  return undefined;
}
