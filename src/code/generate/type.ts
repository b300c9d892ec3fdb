/** The type of JSON values, found from values or from a JSON Schema, and independent of any language. */

import { compareStrings } from '../../base/compare-strings.ts';
import {
  canonicalText,
  isJsonArray,
  isJsonNumber,
  nestsWithin,
  type JsonValue,
  isJsonObject,
  memberOf,
  type JsonObject,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { elementsOf, referTo } from '../../base/shape/user-schema.ts';

export type Type =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'string' | 'number' | 'boolean' | 'null' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | ArrayType
  | ObjectType
  /** A union without types has no values. */
  | { readonly kind: 'union'; readonly types: readonly Type[] };

interface ArrayType {
  readonly kind: 'array';
  /** Absent if nothing is known of the elements. */
  readonly elements?: Type;
}

export interface ObjectType {
  readonly kind: 'object';
  /** The members by name, sorted. */
  readonly members: ReadonlyMap<string, ObjectMember>;
  /** The type of other members; absent if nothing is known of them. */
  readonly rest?: Type;
}

interface ObjectMember {
  readonly type: Type;
  readonly optional: boolean;
}

/** A longer type helps no reader, and deeper values exhaust the stack. */
const MOST_PARTS = 300;
const MOST_LEVELS = 30;

/** `undefined` for a value that is too deep. */
export function typeOf(value: JsonValue): Type | undefined {
  return nestsWithin(value, MOST_LEVELS) ? typeOfValue(value) : undefined;
}

function typeOfValue(value: JsonValue): Type {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'string') return { kind: 'string' };
  if (typeof value === 'boolean') return { kind: 'boolean' };
  if (isJsonNumber(value)) return { kind: 'number' };
  if (isJsonArray(value)) {
    return { kind: 'array', ...(value.length === 0 ? {} : { elements: joinTypes(value.map(typeOfValue)) }) };
  }
  const members = Object.entries(value).flatMap(([name, member]): [string, ObjectMember][] =>
    member === undefined ? [] : [[name, { type: typeOfValue(member), optional: false }]],
  );
  return { kind: 'object', members: new Map(members.toSorted(([a], [b]) => compareStrings(a, b))) };
}

/** The type of every value of these types: at most one array and one object, whose parts are joined. Without any: unknown. */
export function joinTypes(types: readonly Type[]): Type {
  const flat = types.flatMap((type) => (type.kind === 'union' ? type.types : [type]));
  if (flat.length === 0 || flat.some(({ kind }) => kind === 'unknown')) return { kind: 'unknown' };
  const simple = new Map(
    flat.filter(({ kind }) => kind !== 'array' && kind !== 'object').map((type) => [type.kind, type]),
  );
  const arrays = flat.filter((type) => type.kind === 'array');
  const objects = flat.filter((type) => type.kind === 'object');
  const joined: readonly Type[] = [
    ...[...simple.values()].toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)),
    ...(arrays.length === 0 ? [] : [joinArrays(arrays)]),
    ...(objects.length === 0 ? [] : [joinObjects(objects)]),
  ];
  return joined.length === 1 ? (joined[0] as Type) : { kind: 'union', types: joined };
}

const ORDER: readonly Type['kind'][] = ['string', 'number', 'boolean', 'null'];

function joinArrays(arrays: readonly ArrayType[]): Type {
  const elements = arrays.flatMap((array) => (array.elements === undefined ? [] : [array.elements]));
  return { kind: 'array', ...defined({ elements: elements.length === 0 ? undefined : joinTypes(elements) }) };
}

/** A member that some lack is optional. */
function joinObjects(objects: readonly ObjectType[]): Type {
  const names = [...new Set(objects.flatMap(({ members }) => [...members.keys()]))].toSorted(compareStrings);
  const members = names.map((name): [string, ObjectMember] => {
    const found = objects.flatMap((object) => object.members.get(name) ?? []);
    const optional = found.length < objects.length || found.some((member) => member.optional);
    return [name, { type: joinTypes(found.map(({ type }) => type)), optional }];
  });
  return { kind: 'object', members: new Map(members) };
}

/** The types of JSON values. */
const ANYTHING: readonly string[] = ['string', 'number', 'boolean', 'null', 'array', 'object'];

/** A union that keeps its alternatives apart. */
function joinAlternatives(types: readonly Type[]): Type {
  const flat = types.flatMap(alternativesOf);
  const wide = new Set<string>(flat.filter(isBare).map(({ kind }) => kind));
  if (wide.has('unknown') || ANYTHING.every((kind) => wide.has(kind))) return { kind: 'unknown' };
  const apart = new Map(flat.filter((one) => isBare(one) || !wide.has(kindOf(one))).map((one) => [textOf(one), one]));
  const [first, ...others] = apart.values();
  return first !== undefined && others.length === 0 ? first : { kind: 'union', types: [...apart.values()] };
}

function alternativesOf(type: Type): readonly Type[] {
  return type.kind === 'union' ? type.types : [type];
}

/** Whether every value of the kind has the type. */
function isBare(type: Type): boolean {
  if (type.kind === 'array') return isUnknown(type.elements);
  if (type.kind === 'object') return type.members.size === 0 && isUnknown(type.rest);
  return type.kind !== 'literal';
}

function isUnknown(type: Type | undefined): boolean {
  return type === undefined || type.kind === 'unknown';
}

function kindOf(type: Type): string {
  return type.kind === 'literal' ? typeof type.value : type.kind;
}

function textOf(type: Type): string {
  return canonicalText(shapeOf(type));
}

function shapeOf(type: Type): JsonValue {
  const value = type.kind === 'literal' ? type.value : null;
  const names = type.kind === 'object' ? [...type.members].map(([name, { optional }]) => [name, optional]) : [];
  return [type.kind, value, names, partsOf(type).map(shapeOf)];
}

/** A type of every value that has both types; of large types, the first one. */
export function meetTypes(a: Type, b: Type): Type {
  if (a.kind === 'unknown') return b;
  if (b.kind === 'unknown' || !isSmall(a) || !isSmall(b)) return a;
  return joinAlternatives(
    alternativesOf(a).flatMap((one) => alternativesOf(b).flatMap((other) => meetAlternatives(one, other))),
  );
}

function meetAlternatives(a: Type, b: Type): readonly Type[] {
  if (a.kind === 'array' && b.kind === 'array') {
    return [{ kind: 'array', elements: meetTypes(a.elements ?? UNKNOWN, b.elements ?? UNKNOWN) }];
  }
  if (a.kind === 'object' && b.kind === 'object') return [meetObjects(a, b)];
  if (a.kind === 'literal' && b.kind === 'literal') return a.value === b.value ? [a] : [];
  if (kindOf(a) !== kindOf(b)) return [];
  return [a.kind === 'literal' ? a : b];
}

const UNKNOWN: Type = { kind: 'unknown' };

function meetObjects(a: ObjectType, b: ObjectType): Type {
  const names = [...new Set([...a.members.keys(), ...b.members.keys()])].toSorted(compareStrings);
  const members = names.map((name): [string, ObjectMember] => {
    const [one, other] = [a, b].map(
      ({ members: own, rest = UNKNOWN }) => own.get(name) ?? { type: rest, optional: true },
    ) as [ObjectMember, ObjectMember];
    return [name, { type: meetTypes(one.type, other.type), optional: one.optional && other.optional }];
  });
  return { kind: 'object', members: new Map(members), rest: meetTypes(a.rest ?? UNKNOWN, b.rest ?? UNKNOWN) };
}

export function isSmall(type: Type): boolean {
  return countParts(type) <= MOST_PARTS;
}

function countParts(type: Type): number {
  const parts = partsOf(type);
  return parts.reduce((sum, part) => sum + countParts(part), 1);
}

function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case 'array':
      return type.elements === undefined ? [] : [type.elements];
    case 'object':
      return [
        ...[...type.members.values()].map((member) => member.type),
        ...(type.rest === undefined ? [] : [type.rest]),
      ];
    case 'union':
      return type.types;
    case 'unknown':
    case 'literal':
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return [];
  }
}

interface SchemaType {
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
