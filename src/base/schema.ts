/**
 * The words in which JSON Schemas are written. Each returns plain JSON Schema, in which definitions stand as values until they are joined.
 */

/** `schema` with further keywords. */
export type Schema = boolean | Definition | Keywords;

export interface Keywords {
  readonly [keyword: string]: unknown;
}

/** A named schema: where it stands in a published file there is a `$ref`, and the file gets the definition under `$defs`. */
export interface Definition {
  readonly name: string;
  readonly schema: () => Schema;
}

/** Members added to a schema: its description, or several keywords. */
export type Remarks = string | Keywords;

export type SchemaMembers = Readonly<Record<string, Schema>>;

/** `schema` is a function where the definition refers to itself. */
export function define(name: string, schema: Schema | (() => Schema)): Definition {
  return { name, schema: typeof schema === 'function' ? schema : () => schema };
}

export function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && 'schema' in value && typeof value.schema === 'function';
}

/** A reference with its own remarks. */
export function ref(definition: Definition, remarks: Remarks): Keywords {
  return { $ref: definition, ...keywords(remarks) };
}

/** An object with these members and no others. Those whose name ends in `?` may be absent. */
export function object(members: SchemaMembers, remarks: Remarks = {}): Keywords {
  return { ...open(members, remarks), additionalProperties: false };
}

/** An object with these members, and any others. */
export function open(members: SchemaMembers, remarks: Remarks = {}): Keywords {
  const names = Object.keys(members);
  const required = names.filter((name) => !name.endsWith('?'));
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]]));
  return { ...typed('object', remarks), properties, ...(required.length === 0 ? {} : { required }) };
}

/** An object with values of one kind, by names that are data. */
export function mapOf(values: Schema, remarks: Remarks = {}): Keywords {
  return { ...typed('object', remarks), additionalProperties: values };
}

export function array(items: Schema, remarks: Remarks = {}): Keywords {
  return { ...typed('array', remarks), items };
}

export function string(remarks: Remarks = {}): Keywords {
  return typed('string', remarks);
}

export function boolean(remarks: Remarks = {}): Keywords {
  return typed('boolean', remarks);
}

export function number(remarks: Remarks = {}): Keywords {
  return typed('number', remarks);
}

export function integer(remarks: Remarks = {}): Keywords {
  return typed('integer', remarks);
}

export function count(remarks: Remarks = {}): Keywords {
  return { ...integer(remarks), minimum: 0 };
}

export function is(value: string | number | boolean | null, remarks: Remarks = {}): Keywords {
  return { ...keywords(remarks), const: value };
}

export function among(values: readonly unknown[], remarks: Remarks = {}): Keywords {
  return { ...keywords(remarks), enum: values };
}

export function oneOf(schemas: readonly Schema[], remarks: Remarks = {}): Keywords {
  return { ...keywords(remarks), oneOf: schemas };
}

export function orNull(schema: Keywords): Keywords {
  return { ...schema, type: [schema['type'], 'null'].flat() };
}

function typed(type: string, remarks: Remarks): Keywords {
  return { ...keywords(remarks), type };
}

function keywords(remarks: Remarks): Keywords {
  return typeof remarks === 'string' ? { description: remarks } : remarks;
}
