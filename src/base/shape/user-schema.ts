/** JSON Schemas that users write, in draft 2020-12 or draft 7: used only if every part of one is understood. */

import { findCycles } from '../graph.ts';
import { fromPointer, toPointer } from '../json-pointer.ts';
import { isJsonArray, isJsonObject, memberOf, nestsWithin, type JsonObject, type JsonValue } from '../json.ts';

export interface SchemaFault {
  /** Pointer to the part of the schema. */
  readonly at: string;
  readonly fault: SchemaFaultKind;
  /** Absent if the part as a whole is at fault. */
  readonly keyword?: string;
}

/**
 * `dialect`: another version of JSON Schema. `ignored`: draft 7 has no effect of it beside `$ref`. `circle`: the schema refers to itself
 * for the same value. `reference`: nothing is there, or it is not in the same file.
 */
export type SchemaFaultKind =
  | 'not-a-schema'
  | 'too-deep'
  | 'too-large'
  | 'dialect'
  | 'keyword-unknown'
  | 'keyword-value'
  | 'ignored'
  | 'reference'
  | 'circle';

/** Deeper schemas would exhaust the stack. */
const MOST_LEVELS = 100;

/** Larger schemas would take long to compile, or exhaust the stack. */
const MOST_PARTS = 1_000;

export function findSchemaFaults(root: JsonValue): readonly SchemaFault[] {
  if (!nestsWithin(root, MOST_LEVELS)) return [{ at: '', fault: 'too-deep' }];
  const dialect = dialectOf(root);
  if (dialect === undefined) return [{ at: '', fault: 'dialect', keyword: '$schema' }];
  const reading: SchemaReading = { dialect, faults: [], same: new Map(), references: [] };
  readPart(root, '', reading);
  const { faults, same, references } = reading;
  const strays = references.filter(({ to }) => to === undefined || !same.has(to));
  const [circle] = findCycles(same);
  const found: readonly SchemaFault[] = [
    ...faults,
    ...strays.map(({ at }): SchemaFault => ({ at, fault: 'reference', keyword: '$ref' })),
    ...(circle === undefined ? [] : [{ at: circle[0] ?? '', fault: 'circle' as const, keyword: '$ref' }]),
  ];
  return found.length === 0 && countParts(root) > MOST_PARTS ? [{ at: '', fault: 'too-large' }] : found;
}

type Dialect = 'draft-07' | '2020-12';

export function dialectOf(root: JsonValue): Dialect | undefined {
  const written = isJsonObject(root) ? root['$schema'] : undefined;
  if (written === undefined) return '2020-12';
  if (typeof written !== 'string') return undefined;
  const [, found] = /^https?:\/\/json-schema\.org\/(?:draft\/)?(draft-07|2020-12)\/schema#?$/.exec(written) ?? [];
  return found as Dialect | undefined;
}

interface SchemaReading {
  readonly dialect: Dialect;
  readonly faults: SchemaFault[];
  /** The parts by pointer, each with those that judge the same value. */
  readonly same: Map<string, string[]>;
  readonly references: { readonly at: string; readonly to: string | undefined }[];
}

function readPart(part: JsonValue | undefined, at: string, reading: SchemaReading): void {
  const own: string[] = [];
  reading.same.set(at, own);
  if (typeof part === 'boolean') return;
  if (!isJsonObject(part)) {
    reading.faults.push({ at, fault: 'not-a-schema' });
    return;
  }
  for (const [keyword, value] of Object.entries(part)) {
    const fault = faultOf([keyword, value as JsonValue], { part, isTop: at === '' }, reading.dialect);
    if (fault !== undefined) {
      reading.faults.push({ at, fault, keyword });
      continue;
    }
    for (const [path, inner] of partsIn(keyword, value as JsonValue)) {
      const pointer = at + toPointer([keyword, ...path]);
      if (SAME_VALUE.has(keyword)) own.push(pointer);
      readPart(inner, pointer, reading);
    }
    if (keyword === '$ref') {
      const to = targetOf(value as string);
      reading.references.push({ at, to });
      if (to !== undefined) own.push(to);
    }
  }
}

function faultOf(
  [keyword, value]: readonly [string, JsonValue],
  { part, isTop }: { readonly part: JsonObject; readonly isTop: boolean },
  dialect: Dialect,
): SchemaFaultKind | undefined {
  const isOfOther = memberOf(ONLY_IN, keyword) !== undefined && memberOf(ONLY_IN, keyword) !== dialect;
  // Below the top, they would change what references mean.
  const isNested = (keyword === '$id' || keyword === '$schema') && !isTop;
  if (!KEYWORDS.includes(keyword) || isOfOther || isNested) return 'keyword-unknown';
  const isBesideReference = dialect === 'draft-07' && keyword !== '$ref' && Object.hasOwn(part, '$ref');
  if (isBesideReference && !NEUTRAL.includes(keyword)) return 'ignored';
  return isFitting(keyword, value, dialect) ? undefined : 'keyword-value';
}

const ONLY_IN: Readonly<Record<string, Dialect>> = {
  prefixItems: '2020-12',
  dependentRequired: '2020-12',
  additionalItems: 'draft-07',
};

/** The keywords that rule no value out. */
const ANNOTATIONS: readonly string[] = [
  ...['$comment', 'contentEncoding', 'contentMediaType', 'default', 'deprecated', 'description', 'examples', 'format'],
  ...['readOnly', 'title', 'writeOnly'],
];

const NEUTRAL: readonly string[] = [...ANNOTATIONS, '$defs', 'definitions', '$schema', '$id'];

const SAME_VALUE: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']);

/** The keywords by what they hold: a schema, a list of schemas, or schemas by name. */
const ONE = ['additionalItems', 'additionalProperties', 'else', 'if', 'items', 'not', 'propertyNames', 'then'];
const LIST = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const NAMED = ['$defs', 'definitions', 'patternProperties', 'properties'];

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** The schemas that a keyword holds, with their paths in it. */
function partsIn(
  keyword: string,
  value: JsonValue,
): readonly (readonly [path: readonly string[], part: JsonValue | undefined])[] {
  if (isJsonArray(value)) return LIST.includes(keyword) ? value.map((part, index) => [[String(index)], part]) : [];
  if (NAMED.includes(keyword)) return Object.entries(value as JsonObject).map(([name, part]) => [[name], part]);
  return ONE.includes(keyword) ? [[[], value]] : [];
}

function isFitting(keyword: string, value: JsonValue, dialect: Dialect): boolean {
  if (ANNOTATIONS.includes(keyword)) return true;
  if (NAMED.includes(keyword)) {
    // ajv passes over `__proto__`.
    if (!isJsonObject(value) || Object.hasOwn(value, '__proto__')) return false;
    return keyword !== 'patternProperties' || Object.keys(value).every(isPattern);
  }
  if (keyword === 'items') return !isJsonArray(value) || dialect === 'draft-07';
  if (LIST.includes(keyword)) return isJsonArray(value) && value.length > 0;
  return memberOf(VALUES, keyword)?.(value) ?? true;
}

const isCount = (value: JsonValue): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isNumber = (value: JsonValue): boolean => typeof value === 'number';
const isType = (value: JsonValue): boolean => typeof value === 'string' && TYPES.includes(value);
const areNames = (value: JsonValue | undefined): boolean =>
  isJsonArray(value) && value.every((name) => typeof name === 'string');

/** What the value of a keyword must be where it holds no schema. */
const VALUES: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  type: (value) => (isJsonArray(value) ? value.length > 0 && value.every(isType) : isType(value)),
  enum: (value) => isJsonArray(value) && value.length > 0,
  maximum: isNumber,
  minimum: isNumber,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  maxLength: isCount,
  minLength: isCount,
  maxItems: isCount,
  minItems: isCount,
  maxProperties: isCount,
  minProperties: isCount,
  pattern: (value) => typeof value === 'string' && isPattern(value),
  uniqueItems: (value) => typeof value === 'boolean',
  required: areNames,
  dependentRequired: (value) => isJsonObject(value) && Object.values(value).every(areNames),
  $ref: (value) => typeof value === 'string',
};

const KEYWORDS: readonly string[] = [
  ...['const', '$schema', '$id', ...ANNOTATIONS, ...ONE, ...LIST, ...NAMED],
  ...Object.keys(VALUES),
];

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== '';
  } catch {
    return false;
  }
}

/** The pointer that a reference leads to; `undefined` for one that is not a pointer in the same file. */
function targetOf(reference: string): string | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  try {
    return toPointer(pathOfReference(reference));
  } catch {
    return undefined;
  }
}

/** Pointers in references are fragments of addresses: `#/$defs/a%20b`. */
function pathOfReference(reference: string): readonly string[] {
  return fromPointer(decodeURIComponent(reference.slice(1)));
}

/** The part of a schema that a reference within it leads to. */
export function referTo(reference: string, root: JsonValue): JsonValue {
  return pathOfReference(reference).reduce((part, name) => memberOf(part as JsonObject, name) as JsonValue, root);
}

/** The schemas of the first elements, and that of all others. Draft 7 has a list in `items` where draft 2020-12 has `prefixItems`. */
export function elementsOf({ prefixItems, items = true, additionalItems = true }: JsonObject): {
  readonly first: readonly JsonValue[];
  readonly rest: JsonValue;
} {
  if (isJsonArray(items)) return { first: items, rest: additionalItems };
  return { first: isJsonArray(prefixItems) ? prefixItems : [], rest: items };
}

/** The parts of a schema without faults, with itself; what demands other members is as much work as one. */
export function countParts(schema: JsonValue): number {
  if (!isJsonObject(schema)) return 1;
  const inner = Object.entries(schema).flatMap(([keyword, value]) => partsIn(keyword, value as JsonValue));
  const demanding = Object.keys(schema['dependentRequired'] ?? {}).length;
  return inner.reduce((sum, [, part]) => sum + countParts(part as JsonValue), 1 + demanding);
}

/** A schema without faults, and without what rules no value out: ajv looks for schemas in it. */
export function withoutWords(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema as Readonly<Record<string, JsonValue>>).filter(
    ([keyword]) => !ANNOTATIONS.includes(keyword) && keyword !== '$id' && keyword !== '$schema',
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (isJsonArray(value)) return [keyword, LIST.includes(keyword) ? value.map(withoutWords) : value];
      if (ONE.includes(keyword)) return [keyword, withoutWords(value)];
      if (!NAMED.includes(keyword)) return [keyword, value];
      const named = Object.entries(value as Readonly<Record<string, JsonValue>>);
      return [keyword, Object.fromEntries(named.map(([name, part]) => [name, withoutWords(part)]))];
    }),
  );
}
