/** Hog functions: destinations, transformations and site apps. They are kept, and neither compiled nor run. */

import { comparing } from '../../../src/base/compare-strings.ts';
import { plainText } from '../../../src/base/json-text.ts';
import { isJsonObject, jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { boolean, choice, wholeNumber, list, object, text } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/read-fields.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import type { KeptObject } from '../store/kept-objects.ts';
import { inputSchema, readInputs, shownInputs } from './hog-inputs.ts';
import { HOG_TEMPLATES } from './hog-templates.ts';
import { listObjects, shownFields, type KeptKind, type KeptWrite } from './kind.ts';

const HOG_FUNCTION_TYPES = [
  'destination',
  'site_destination',
  'internal_destination',
  'source_webhook',
  'warehouse_source_webhook',
  'site_app',
  'transformation',
  'transformation_log',
] as const;

const WITH_MAPPINGS: readonly JsonValue[] = ['destination', 'site_destination'];
/** They run one after the other while events arrive. */
const ORDERED: readonly JsonValue[] = ['transformation', 'transformation_log'];
const LONGEST_CODE = 100 * 1024;

/** What a new version of the function is counted for. */
const CONTENT = ['hog', 'inputs_schema', 'inputs', 'filters', 'mappings', 'masking'] as const;

const FILTER_FIELDS: readonly BodyField[] = [
  { name: 'source', type: choice(['events', 'person-updates', 'data-warehouse-table', 'data-warehouse-view']) },
  ...['actions', 'events', 'data_warehouse', 'properties'].map((name): BodyField => ({ name, type: list(object) })),
  { name: 'filter_test_accounts', type: boolean },
];

export const HOG_FUNCTIONS: KeptKind = {
  kind: 'hog_function',
  ids: 'uuid',
  fields: [
    { name: 'type', type: choice(HOG_FUNCTION_TYPES), null: 'store' },
    { name: 'name', type: text({ maxLength: 400, blank: true }), null: 'store' },
    { name: 'description', type: text({ blank: true }) },
    { name: 'enabled', type: boolean },
    { name: 'deleted', type: boolean },
    { name: 'hog', type: text() },
    { name: 'inputs_schema', type: list(inputSchema) },
    { name: 'inputs', type: object },
    { name: 'filters', type: (sent) => readFields(sent, FILTER_FIELDS), null: 'store' },
    { name: 'masking', type: object, null: 'store' },
    { name: 'mappings', type: list(object), null: 'store' },
    { name: 'icon_url', type: text({ blank: true }), null: 'store' },
    { name: 'template_id', type: text({ maxLength: 400, blank: true }), null: 'store' },
    { name: 'execution_order', type: wholeNumber, null: 'store' },
  ],
  defaults: {
    type: null,
    name: null,
    description: '',
    created_at: null,
    created_by: null,
    updated_at: null,
    enabled: false,
    hog: '',
    bytecode: null,
    transpiled: null,
    inputs_schema: [],
    inputs: {},
    filters: {},
    masking: null,
    mappings: null,
    icon_url: null,
    execution_order: null,
    batch_export_id: null,
    version: 1,
    draft: null,
    draft_updated_at: null,
  },
  // A deleted function is found only by the request that restores it.
  findsDeleted: ({ body }) => isJsonObject(body) && body['deleted'] === false,
  complete: completeFunction,
  serialise: serialiseFunction,
};

/** What a list shows of a function unless it is asked for all. */
const LISTED = [
  'id',
  'type',
  'name',
  'description',
  'created_at',
  'created_by',
  'updated_at',
  'enabled',
  'hog',
  'filters',
  'icon_url',
  'template',
  'status',
  'execution_order',
  'draft_updated_at',
];

/** Lists functions in the order in which they run, then those without one, the last changed first. */
export function listFunctions(service: ServiceContext, call: Call): Answer {
  const { query } = call;
  const types = query.get('type')?.split(',') ?? [];
  const enabled = query.get('enabled') ?? '';
  const found = listObjects(service, call, HOG_FUNCTIONS)
    .filter(({ fields }) => types.length === 0 || types.includes(plainText(fields['type'] ?? '')))
    .filter(({ fields }) => enabled === '' || String(fields['enabled'] === true) === enabled.toLowerCase())
    .toSorted(comparing(({ fields }) => plainText(fields['updated_at'] ?? '')))
    .toReversed()
    .toSorted((a, b) => orderOf(a) - orderOf(b));
  const page = readPage(query);
  const results = found.slice(page.offset, page.offset + page.limit).map((one) => {
    const whole = serialiseFunction(service, one);
    return query.get('full') === 'true'
      ? whole
      : Object.fromEntries(LISTED.map((name) => [name, memberOf(whole, name) ?? null]));
  });
  return { status: 200, body: buildPage(call, page, { count: found.length, results }) };
}

function orderOf({ fields }: KeptObject): number {
  const { execution_order: order } = fields;
  return typeof order === 'number' ? order : Number.MAX_SAFE_INTEGER;
}

function completeFunction(service: ServiceContext, write: KeptWrite): JsonObject {
  const { values, before } = write;
  const stored: JsonObject = before?.fields ?? withTemplate(values);
  const kept: JsonObject = { ...stored, ...withoutEmpty(values, before === undefined) };
  const type = values['type'] ?? stored['type'] ?? 'destination';
  checkType(type, before?.fields['type']);
  const inputs = readInputs(kept['inputs_schema'], values['inputs'] ?? stored['inputs'], stored['inputs']);
  const filters: JsonObject = { source: 'events', ...(isJsonObject(kept['filters']) && kept['filters']) };
  const after: JsonObject = { ...kept, type, inputs, filters, template_id: stored['template_id'] ?? null };
  checkFunction(after);
  return {
    ...after,
    ...(before === undefined && { execution_order: after['execution_order'] ?? nextOrder(service, write.call, type) }),
    version: versionAfter(before?.fields, after),
  };
}

/** What the template of a new function says where the request says nothing. */
function withTemplate({ template_id: sent = null }: JsonObject): JsonObject {
  if (sent === null || sent === '') return {};
  const template = HOG_TEMPLATES.find(({ id }) => id === sent);
  if (template === undefined)
    throw invalid('invalid_input', `No template found for id '${plainText(sent)}'.`, 'template_id');
  const { name = '', description = '', code = '', inputs_schema: schema = [], icon_url: icon = null } = template;
  return { name, description, hog: code, inputs_schema: schema, icon_url: icon, template_id: sent };
}

/** An empty value of a new function counts as none. */
function withoutEmpty(values: JsonObject, isNew: boolean): JsonObject {
  if (!isNew) return values;
  const isEmpty = (value: JsonValue | undefined): boolean => value === '' || value === null || jsonEquals(value, []);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}

function checkType(type: JsonValue, before: JsonValue | undefined): void {
  if (type === 'warehouse_source_webhook') {
    throw invalid('invalid_input', 'Webhooks of warehouse sources cannot be written here.', 'type');
  }
  if (before !== undefined && before !== type) {
    throw invalid('invalid_input', 'Cannot modify the type of an existing function', 'type');
  }
}

function checkFunction({ type = null, mappings = null, hog = '' }: JsonObject): void {
  if (mappings !== null && !WITH_MAPPINGS.includes(type)) {
    throw invalid('invalid_input', 'Mappings are only allowed for destinations.', 'mappings');
  }
  if (hog === '') throw invalid('invalid_input', 'Required.', 'hog');
  if (Buffer.byteLength(plainText(hog)) > LONGEST_CODE) {
    throw invalid('invalid_input', 'The code has more than 100 KB.', 'hog');
  }
}

function nextOrder(service: ServiceContext, call: Call, type: JsonValue): JsonValue {
  if (!ORDERED.includes(type)) return null;
  const others = listObjects(service, call, HOG_FUNCTIONS).filter(({ fields }) => fields['type'] === type);
  return Math.max(0, ...others.map(({ fields }) => Number(fields['execution_order'] ?? 0))) + 1;
}

function versionAfter(before: JsonObject | undefined, after: JsonObject): JsonValue {
  const version = Number(before?.['version'] ?? 1);
  const isSame = before === undefined || CONTENT.every((name) => jsonEquals(before[name] ?? null, after[name] ?? null));
  return isSame ? version : version + 1;
}

function serialiseFunction(_: ServiceContext, one: KeptObject): JsonObject {
  const shown = shownFields(one, HOG_FUNCTIONS);
  const template = HOG_TEMPLATES.find(({ id }) => id === one.fields['template_id']);
  return {
    id: one.id,
    ...shown,
    inputs: shownInputs(shown['inputs_schema'], shown['inputs']),
    template: template ?? null,
    status: { state: 0, tokens: 0 },
  };
}
