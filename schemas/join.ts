/** Makes the content of a published file: a document with all definitions that it uses. */

import { isDefinition, type Definition, type Keywords } from '../src/base/schema.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** A published file. */
export interface Document {
  readonly name: string;
  readonly schema: Keywords;
}

export function document(name: string, schema: Keywords): Document {
  return { name, schema };
}

/** @throws where two definitions of the document have one name, and where a schema is missing. */
export function joinSchema({ name, schema }: Document): Keywords {
  const definitions = new Map<string, { readonly definition: Definition; joined: unknown }>();

  const refer = (definition: Definition): string => {
    const known = definitions.get(definition.name);
    if (known === undefined) {
      const entry = { definition, joined: undefined as unknown };
      definitions.set(definition.name, entry);
      entry.joined = join(definition.schema(), `#/$defs/${definition.name}`);
    } else if (known.definition !== definition) {
      throw new Error(`The schema of ${name} has two definitions with the name ${definition.name}.`);
    }
    return `#/$defs/${definition.name}`;
  };

  const join = (value: unknown, at: string, key?: string): unknown => {
    if (value === undefined) throw new Error(`The schema of ${name} has nothing at ${at}.`);
    if (isDefinition(value)) return key === '$ref' ? refer(value) : { $ref: refer(value) };
    if (Array.isArray(value)) return value.map((item, index) => join(item, `${at}/${index}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, part]) => [member, join(part, `${at}/${member}`, member)]),
    );
  };

  const joined = join(schema, '') as Keywords;
  const $defs = Object.fromEntries([...definitions].map(([key, entry]) => [key, entry.joined]));
  return {
    $schema: DIALECT,
    $id: `https://flagwright.dev/schemas/${name}.schema.json`,
    ...joined,
    ...(definitions.size === 0 ? {} : { $defs }),
  };
}
