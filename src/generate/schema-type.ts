/** The type of the values that a JSON Schema accepts: the narrowest that a `Type` expresses, and never one that leaves out a value. */

import { compareStrings } from '../base/compare-strings.ts';
import { isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { elementsOf, referTo } from '../base/shape/user-schema.ts';
import { ANYTHING, joinAlternatives, meetTypes, typeOf, type ObjectMember, type Type } from './type.ts';

export interface SchemaType {
  readonly type: Type;
  /** The keywords, sorted, that decide about types and that the type says less of than the schema. */
  readonly wider: readonly string[];
}

/** References may double a schema with each step; what is beyond is unknown. */
const MOST_STEPS = 2_000;

/** `schema`: one without faults. */
export function typeOfSchema(schema: JsonValue): SchemaType {
  const reading: TypeReading = { root: schema, wider: new Set(), open: new Set(), steps: 0 };
  const type = read(schema, reading);
  return { type, wider: [...reading.wider].toSorted(compareStrings) };
}

interface TypeReading {
  readonly root: JsonValue;
  readonly wider: Set<string>;
  /** The references that lead to what is read at present. */
  readonly open: Set<string>;
  steps: number;
}

function read(schema: JsonValue | undefined, reading: TypeReading): Type {
  reading.steps += 1;
  if (schema === false) return { kind: 'union', types: [] };
  if (!isJsonObject(schema)) return { kind: 'unknown' };
  if (reading.steps > MOST_STEPS) return widen('$ref', reading);
  for (const keyword of UNSAID) if (Object.hasOwn(schema, keyword)) reading.wider.add(keyword);
  return [
    ofTypes(schema, reading),
    ...ofValues(schema),
    ...ofReference(schema, reading),
    ...listOf(schema, 'allOf').map((one) => read(one, reading)),
    ...['anyOf', 'oneOf'].flatMap((keyword) =>
      Object.hasOwn(schema, keyword)
        ? [joinAlternatives(listOf(schema, keyword).map((one) => read(one, reading)))]
        : [],
    ),
  ].reduce(meetTypes);
}

/** Keywords that matter to a type and that no generated type expresses. Limits of numbers, lengths and formats do not matter to types. */
const UNSAID = ['dependentRequired', 'if', 'not', 'patternProperties', 'prefixItems'];

function widen(keyword: string, { wider }: TypeReading): Type {
  wider.add(keyword);
  return { kind: 'unknown' };
}

function listOf(schema: JsonObject, keyword: string): readonly JsonValue[] {
  const list = memberOf(schema, keyword);
  return isJsonArray(list) ? list : [];
}

function ofTypes(schema: JsonObject, reading: TypeReading): Type {
  const { type } = schema;
  const makes: Readonly<Record<string, () => Type>> = {
    string: () => ({ kind: 'string' }),
    number: () => ({ kind: 'number' }),
    integer: () => ({ kind: 'number' }),
    boolean: () => ({ kind: 'boolean' }),
    null: () => ({ kind: 'null' }),
    array: () => ofElements(schema, reading),
    object: () => ofMembers(schema, reading),
  };
  const names = (type === undefined ? ANYTHING : isJsonArray(type) ? type : [type]) as readonly string[];
  return joinAlternatives(names.map((name) => (memberOf(makes, name) as () => Type)()));
}

function ofElements(schema: JsonObject, reading: TypeReading): Type {
  const { first, rest } = elementsOf(schema);
  if (Array.isArray(schema['items'])) reading.wider.add('items');
  const elements = joinAlternatives([...first, rest].map((one) => read(one, reading)));
  return { kind: 'array', elements };
}

function ofMembers(schema: JsonObject, reading: TypeReading): Type {
  const { properties, patternProperties, additionalProperties } = schema;
  const required = new Set(listOf(schema, 'required') as readonly string[]);
  const named = isJsonObject(properties) ? properties : {};
  const rest = joinAlternatives(
    [...Object.values(isJsonObject(patternProperties) ? patternProperties : {}), additionalProperties ?? true].map(
      (one) => read(one, reading),
    ),
  );
  const names = [...new Set([...Object.keys(named), ...required])].toSorted(compareStrings);
  const members = names.map((name): [string, ObjectMember] => [
    name,
    {
      type: Object.hasOwn(named, name) ? read(memberOf(named, name), reading) : rest,
      optional: !required.has(name),
    },
  ]);
  return { kind: 'object', members: new Map(members), rest };
}

function ofValues(schema: JsonObject): readonly Type[] {
  const lists = [
    ...(Object.hasOwn(schema, 'const') ? [[schema['const'] as JsonValue]] : []),
    ...(Object.hasOwn(schema, 'enum') ? [listOf(schema, 'enum')] : []),
  ];
  return lists.map((values) => joinAlternatives(values.map(typeOfConstant)));
}

function typeOfConstant(value: JsonValue): Type {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return { kind: 'literal', value };
  return typeOf(value) ?? { kind: 'unknown' };
}

function ofReference(schema: JsonObject, reading: TypeReading): readonly Type[] {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return [];
  if (reading.open.has($ref)) return [widen('$ref', reading)];
  reading.open.add($ref);
  const type = read(referTo($ref, reading.root), reading);
  reading.open.delete($ref);
  return [type];
}
