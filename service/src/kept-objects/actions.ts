/** Actions, which group events under a name. They are kept as they are sent, and match nothing here. */

import type { JsonObject } from '../../../src/base/json.ts';
import { comparing } from '../../../src/base/compare-strings.ts';
import { plainText } from '../../../src/base/json-text.ts';
import { parseTeamId } from '../flag-values/minimal-flag.ts';
import { boolean, choice, dateTime, list, object, tags, text, type FieldType } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/read-fields.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import type { KeptObject } from '../store/kept-objects.ts';
import { listObjects, shownFields, type KeptKind, type KeptWrite } from './kind.ts';

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

export const ACTIONS: KeptKind = {
  kind: 'action',
  ids: 'number',
  fields: [
    { name: 'name', type: text({ maxLength: 400 }), null: 'store' },
    { name: 'description', type: text({ blank: true }) },
    { name: 'tags', type: tags, null: 'ignore' },
    { name: 'post_to_slack', type: boolean },
    { name: 'slack_message_format', type: text({ maxLength: 1200, blank: true }) },
    { name: 'steps', type: list(step) },
    { name: 'deleted', type: boolean },
    { name: 'last_calculated_at', type: dateTime },
    { name: 'pinned_at', type: dateTime, null: 'store' },
  ],
  defaults: {
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
  },
  findsDeleted: () => true,
  complete: completeAction,
  serialise: serialiseAction,
};

/** Lists the actions that are not deleted, all on one page. */
export function listActions(service: ServiceContext, call: Call): Answer {
  const actions = listObjects(service, call, ACTIONS).map((action) => serialiseAction(service, action));
  const byName = actions.toSorted(comparing(({ name = '' }) => plainText(name)));
  const results = byName.toSorted(comparing(({ last_calculated_at: time = '' }) => plainText(time))).toReversed();
  return { status: 200, body: { results } };
}

function completeAction(service: ServiceContext, { call, id, values, before }: KeptWrite): JsonObject {
  const { name, pinned_at: pinned = null } = values;
  const others = name === undefined ? [] : listObjects(service, call, ACTIONS).filter((other) => other.id !== id);
  const holder = others.find(({ fields }) => (fields['name'] ?? null) === name);
  if (holder !== undefined) {
    throw invalid('unique', `This project already has an action with this name, ID ${holder.id}.`, 'name');
  }
  const time = formatTimestamp(service.now());
  return {
    ...(before === undefined && { last_calculated_at: time }),
    ...values,
    // An update pins an action at its own time, and only once.
    ...(before !== undefined && pinned !== null && { pinned_at: before.fields['pinned_at'] ?? time }),
  };
}

function serialiseAction(_: ServiceContext, action: KeptObject): JsonObject {
  const { projectId } = action;
  return { id: Number(action.id), ...shownFields(action, ACTIONS), team_id: parseTeamId(projectId ?? '') };
}
