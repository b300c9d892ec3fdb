/**
 * Updates a flag whose filters have rules (format version 2): where PostHog has not opened them for writing, such a flag
 * can only be disabled and deleted; see "Filters of format version 2" in docs/service.md.
 */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonObject, jsonEquals, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { refuseGoverned } from '../approvals/gate.ts';
import { formatOf } from '../filters/format.ts';
import { unsupportedFormat } from '../filters/posthog.ts';
import { FILTER_RULES } from '../filters/rules.ts';
import type { ServiceContext } from '../handler/call.ts';
import { conflict, invalid } from '../handler/envelope.ts';
import { countedVersion, storedValue, withValues, type StoredFlag } from '../store/flag.ts';
import { filterContext } from './check.ts';
import { modification, storeChange } from './change.ts';
import { checkGuards } from './guards.ts';
import { keyAfterDelete } from './keys.ts';

interface RulesChange {
  readonly before: StoredFlag;
  readonly body: JsonValue | undefined;
  /** The checked fields of the body. */
  readonly values: JsonObject;
}

/** `original_flag` is accepted and ignored. */
const OPEN_MEMBERS: ReadonlySet<string> = new Set(['version', 'active', 'deleted', 'original_flag']);

export function changeFlagWithRules(service: ServiceContext, { before, body, values }: RulesChange): StoredFlag {
  const { filters } = values;
  // Refuses sent filters, with the reason that any flag gives first.
  if (isJsonObject(filters) || !isOpen(before)) refuseFilters(service, before, objectOrEmpty(filters));
  const echoed = Object.keys(values).filter((name) =>
    jsonEquals(values[name] ?? null, storedValue(before, name) ?? null),
  );
  const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !echoed.includes(name)));
  refuseClosedMembers({ ...(isJsonObject(body) && body), ...values }, { changed, echoed });
  const disabled = changed['deleted'] === true ? { ...changed, active: false } : changed;
  const draft = withValues(before, { ...disabled, ...modification(service) });
  const key = draft.deleted && !before.deleted ? keyAfterDelete(service, draft) : draft.key;
  const after = { ...draft, key, version: countedVersion(draft) + 1 };
  checkGuards(service, before, after);
  checkVersion(before, body);
  refuseGoverned(service, before);
  storeChange(service, before, after);
  return after;
}

/** Remote configurations and encrypted payloads of this format accept nothing. */
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

/** A member with the stored value changes nothing and is accepted. */
function refuseClosedMembers(
  sent: JsonObject,
  { changed, echoed }: { readonly changed: JsonObject; readonly echoed: readonly string[] },
): void {
  const closed = Object.keys(sent).filter((name) => !OPEN_MEMBERS.has(name) && !echoed.includes(name));
  if (changed['deleted'] === false) closed.push('deleted');
  if (changed['active'] === true) closed.push('active');
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
