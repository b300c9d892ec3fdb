/** Actions, which group events under a name. They are kept as they are sent, and match nothing here. */

import type { JsonObject } from '../../../src/base/json.ts';
import { comparing } from '../../../src/base/compare-strings.ts';
import { plainText } from '../../../src/base/json-text.ts';
import { parseTeamId } from '../flag-values/definitions.ts';
import { boolean, choice, dateTime, list, object, tags, text, type FieldType } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/fields.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type Call, type ServiceContext, userOf } from '../handler/call.ts';
import { invalid, orNotFound } from '../handler/envelope.ts';
import type { KeptObject } from '../store/objects.ts';

const matching = choice(['contains', 'regex', 'exact']);

/** The order is that of answers. A step has each of them, with null for what was not sent. */
const STEP_FIELDS: readonly BodyField[] = [
  { name: 'event', type: text(), null: 'store' },
  { name: 'properties', type: list(object), null: 'store' },
  { name: 'selector', type: text(), null: 'store' },
  { name: 'tag_name', type: text(), null: 'store' },
  { name: 'text', type: text(), null: 'store' },
  { name: 'text_matching', type: matching, null: 'store' },
  { name: 'href', type: text(), null: 'store' },
  { name: 'href_matching', type: matching, null: 'store' },
  { name: 'url', type: text(), null: 'store' },
  { name: 'url_matching', type: matching, null: 'store' },
];

const EMPTY_STEP = {
  ...Object.fromEntries(STEP_FIELDS.map(({ name }) => [name, null])),
  url_matching: 'contains',
  // Nothing here compiles selectors.
  selector_regex: null,
};

const step: FieldType = (sent) => ({ ...EMPTY_STEP, ...readFields(sent, STEP_FIELDS) });

/** The fields that a request may write. */
export const ACTION_FIELDS: readonly BodyField[] = [
  { name: 'name', type: text({ maxLength: 400 }), null: 'store' },
  { name: 'description', type: text({ blank: true }) },
  { name: 'tags', type: tags, null: 'ignore' },
  { name: 'post_to_slack', type: boolean },
  { name: 'slack_message_format', type: text({ maxLength: 1200, blank: true }) },
  { name: 'steps', type: list(step) },
  { name: 'deleted', type: boolean },
  { name: 'last_calculated_at', type: dateTime },
  { name: 'pinned_at', type: dateTime, null: 'store' },
];

/** Every stored field that answers show, with the value that stands for none. */
const DEFAULTS: JsonObject = {
  name: null,
  description: '',
  tags: [],
  post_to_slack: false,
  slack_message_format: '',
  steps: [],
  created_at: null,
  created_by: null,
  deleted: false,
  is_calculating: false,
  last_calculated_at: null,
  is_action: true,
  bytecode_error: null,
  pinned_at: null,
  creation_context: null,
  user_access_level: 'editor',
};

/** Lists the actions that are not deleted, all on one page. */
export function listActions(service: ServiceContext, call: Call): Answer {
  const byName = presentActions(service, call)
    .map(serializeAction)
    .toSorted(comparing(({ name = '' }) => plainText(name)));
  const results = byName.toSorted(comparing(({ last_calculated_at: time = '' }) => plainText(time))).toReversed();
  return { status: 200, body: { results } };
}

export function createAction(service: ServiceContext, call: Call): Answer {
  const { store, now } = service;
  return store.transaction(() => {
    const values = readFields(call.body, ACTION_FIELDS);
    refuseTaken(service, call, values);
    const time = formatTimestamp(now());
    const fields = { last_calculated_at: time, ...values, created_at: time, created_by: userOf(service) };
    const action = store.keptObjects.insert({ ...placeOf(call), id: undefined, fields });
    return { status: 201, body: serializeAction(action) };
  });
}

export function getAction(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeAction(findAction(service, call)) };
}

export function updateAction(service: ServiceContext, call: Call): Answer {
  const { store, now } = service;
  return store.transaction(() => {
    const before = findAction(service, call);
    const values = readFields(call.body, ACTION_FIELDS, { partial: true });
    refuseTaken(service, call, values);
    // An update pins an action at its own time, and only once.
    const isPinned = (values['pinned_at'] ?? null) !== null;
    const pinned = isPinned && { pinned_at: before.fields['pinned_at'] ?? formatTimestamp(now()) };
    const after = { ...before, fields: { ...before.fields, ...values, ...pinned } };
    store.keptObjects.update(after);
    return { status: 200, body: serializeAction(after) };
  });
}

/** Finds deleted ones too. Throws a 404. */
function findAction({ store }: ServiceContext, call: Call): KeptObject {
  return orNotFound(store.keptObjects.find(placeOf(call), call.params['id'] ?? ''));
}

function presentActions({ store }: ServiceContext, call: Call): KeptObject[] {
  return store.keptObjects.list(placeOf(call)).filter(({ fields }) => fields['deleted'] !== true);
}

function placeOf({ projectId }: Call): { readonly kind: string; readonly projectId: string } {
  return { kind: 'action', projectId };
}

function refuseTaken(service: ServiceContext, call: Call, { name }: JsonObject): void {
  if (name === undefined) return;
  const others = presentActions(service, call).filter(({ id }) => id !== call.params['id']);
  const holder = others.find(({ fields }) => (fields['name'] ?? null) === name);
  if (holder === undefined) return;
  throw invalid('unique', `This project already has an action with this name, ID ${holder.id}.`, 'name');
}

function serializeAction({ id, projectId, fields }: KeptObject): JsonObject {
  return { id: Number(id), ...DEFAULTS, ...fields, team_id: parseTeamId(projectId ?? '') };
}
