/** Enables, disables, archives and unarchives a flag, without a body and only if it is not so already; and sets its rollout. */

import { type JsonObject, arrayOrEmpty, jsonEquals, type JsonValue } from '../../../src/base/json.ts';
import { gate } from '../approvals/gate.ts';
import { formatOf, groupsOf, propertiesOf, variantKeys, variantsOf } from '../filters/conditions.ts';
import { changeFlag, draftOf } from '../flags/change.ts';
import { changeFlagWithRules, staleVersion } from '../flags/change-rules.ts';
import { findEditableFlag } from '../flags/read.ts';
import { serialize } from '../flags/serialize.ts';
import type { Handler, ServiceContext, Answer } from '../handler/call.ts';
import { type StoredFlag, countedVersion } from '../store/flag.ts';
import { wholeNumber, percentage, text } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/read-fields.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';

interface Transition {
  readonly isDone: (flag: StoredFlag) => boolean;
  readonly values: (flag: StoredFlag) => JsonObject;
}

export const enableFlag: Handler = transition({ isDone: (flag) => flag.active, values: () => ({ active: true }) });

export const disableFlag: Handler = transition({ isDone: (flag) => !flag.active, values: () => ({ active: false }) });

/** An archived flag must be disabled. */
export const archiveFlag: Handler = transition({
  isDone: (flag) => flag.archived,
  values: ({ active }) => ({ archived: true, ...(active && { active: false }) }),
});

export const unarchiveFlag: Handler = transition({
  isDone: (flag) => !flag.archived,
  values: () => ({ archived: false }),
});

function transition({ isDone, values }: Transition): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      const before = findEditableFlag(service, call);
      const refusal = refuseDeleted(before);
      if (refusal !== undefined) return refusal;
      if (isDone(before)) return { status: 200, body: serialize(service, before) };
      const changed = values(before);
      const asked = gate(service, {
        projectId: call.projectId,
        before,
        values: changed,
        draft: draftOf(service, before, changed),
        keepsOutdated: true,
      });
      return asked ?? { status: 200, body: serialize(service, write(service, before, changed)) };
    });
}

function write(service: ServiceContext, before: StoredFlag, values: JsonObject): StoredFlag {
  return formatOf(before.filters) === 'conditions'
    ? changeFlag(service, { before, values, keepsOutdated: true })
    : changeFlagWithRules(service, { before, values, body: values });
}

/** Returns the filters after the action, or throws a 400. */
type Transform = (filters: JsonObject, sent: JsonObject) => JsonObject;

/** Null is the version of a flag that was last written before flags had one. */
const VERSION: BodyField = { name: 'version', type: wholeNumber, required: true, null: 'store' };

export const setConditionRollout: Handler = action(setRollout, [
  { name: 'condition_index', type: wholeNumber, required: true },
  { name: 'rollout_percentage', type: percentage, required: true },
  VERSION,
]);

export const rollOutToEveryone: Handler = action(rollOut, [
  VERSION,
  { name: 'variant_key', type: text(), null: 'ignore' },
]);

function action(transform: Transform, fields: readonly BodyField[]): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      const sent = readFields(call.body, fields);
      const before = findEditableFlag(service, call);
      const refusal = refuseDeleted(before);
      if (refusal !== undefined) return refusal;
      checkWritable(before, sent['version']);
      const filters = transform(before.filters, sent);
      if (jsonEquals(filters, before.filters)) return { status: 200, body: serialize(service, before) };
      const change = { before, values: { filters }, keepsOutdated: true };
      const { projectId } = call;
      const asked = gate(service, { ...change, projectId, draft: draftOf(service, before, change.values) });
      return asked ?? { status: 200, body: serialize(service, changeFlag(service, change)) };
    });
}

function checkWritable(flag: StoredFlag, sent: JsonValue | undefined): void {
  if (formatOf(flag.filters) !== 'conditions') {
    throw invalid('unsupported_config_version', 'A flag with rules has no conditions to roll out.', null);
  }
  const wanted = sent ?? 0;
  if (wanted !== countedVersion(flag)) throw staleVersion(wanted, countedVersion(flag));
}

function setRollout(
  filters: JsonObject,
  { condition_index: index, rollout_percentage: rollout = null }: JsonObject,
): JsonObject {
  const groups = arrayOrEmpty(filters['groups']);
  const at = Number(index);
  if (at >= groups.length) {
    const count = groups.length === 0 ? 'no conditions' : `only the conditions 0 to ${groups.length - 1}`;
    throw invalidInput(`The flag has ${count}.`);
  }
  const changed = groupsOf(filters).map((group, place) =>
    place === at ? { ...group, rollout_percentage: rollout } : group,
  );
  return { ...filters, groups: changed };
}

function rollOut(filters: JsonObject, sent: JsonObject): JsonObject {
  if (filters['feature_enrollment'] === true) {
    throw invalidInput('The early access enrollment of the flag decides before its conditions do.');
  }
  const variant = checkedVariant(filters, sent['variant_key']);
  const groups = groupsOf(filters);
  const everybody: JsonObject = { properties: [], rollout_percentage: 100 };
  return {
    ...filters,
    groups: isForEverybody(groups[0], variant) ? groups : [everybody, ...groups],
    ...(variant !== null && { multivariate: { variants: withOnly(filters, variant) } }),
  };
}

/** Null for a flag without variants. */
function checkedVariant(filters: JsonObject, sent: JsonValue | undefined): JsonValue {
  const known = variantKeys(filters);
  const names = known.map(String).join(', ');
  if (known.length === 0) {
    if (sent !== undefined) throw invalidInput('The flag has no variants; omit variant_key.');
    return null;
  }
  if (sent === undefined) throw invalidInput(`variant_key must name the variant for everyone: ${names}.`);
  if (!known.includes(sent)) throw invalidInput(`The flag has no such variant; it has ${names}.`);
  return sent;
}

function isForEverybody(group: JsonObject | undefined, variant: JsonValue): boolean {
  if (group?.['rollout_percentage'] !== 100 || propertiesOf(group).length > 0) return false;
  return (group['variant'] ?? variant) === variant;
}

function withOnly(filters: JsonObject, variant: JsonValue): JsonObject[] {
  return variantsOf(filters).map((one) => ({ ...one, rollout_percentage: one['key'] === variant ? 100 : 0 }));
}

/** `undefined` for a flag that is not deleted. */
function refuseDeleted(flag: StoredFlag): Answer | undefined {
  if (!flag.deleted) return undefined;
  return { status: 400, body: { success: false, error: 'The flag is deleted. Restore it first.' } };
}
