/** Every JSON document of every command is valid under its published schema, by samples that hold every member of the schemas. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import type { ReportKind } from '../../../src/report/report.ts';
import { readSchema } from '../../helpers/published-schema.ts';
import { schemaErrors, type SchemaName } from '../../helpers/schemas.ts';
import { DOCUMENT_SAMPLES, DOCUMENTS } from '../document-samples.ts';
import { renderWhole } from '../render-whole.ts';
import { KINDS } from '../samples-of-kinds.ts';

/** Reports whose JSON is a record of the service, or has the schema of others, or that have none. */
const WITHOUT_SCHEMA: readonly ReportKind[] = [
  ...([
    'resuming',
    'service',
    'script',
    'records',
    'record',
    'flag-manifest',
    'done',
    'warnings',
    'diagnostics',
  ] as const),
];

const documents = await Promise.all(
  DOCUMENT_SAMPLES.map(async ([kind, schema, report]) => {
    return { kind, schema, document: JSON.parse(await renderWhole(report, 'json')) as unknown };
  }),
);

it('every kind of report has a schema, or none for a reason', () => {
  expect([...Object.keys(DOCUMENTS), ...WITHOUT_SCHEMA].toSorted()).toEqual([...KINDS].toSorted());
});

it('every command prints reports that have samples here', async () => {
  const { commands } = await allCommands([]);
  const printed = commands.flatMap(({ name, reports }) => reports.map((kind) => [name, kind] as const));
  expect(new Set(printed.map(([name]) => name)).size).toBe(commands.length);
  expect(printed.filter(([, kind]) => !Object.hasOwn(DOCUMENTS, kind) && !WITHOUT_SCHEMA.includes(kind))).toEqual([]);
});

it.each(documents.map(({ kind, ...rest }, index) => [kind, index, rest] as const))(
  'a document of the report %s is valid (%i)',
  (_kind, _index, { schema, document }) => {
    expect(schemaErrors(schema, document)).toEqual([]);
  },
);

/** What documents of earlier releases hold, and no report makes any more. */
const EARLIER: Readonly<Partial<Record<SchemaName, readonly string[]>>> = {
  plan: [
    '#/$defs/flag_impact/properties/estimate/oneOf/0/properties/overlaps',
    '#/$defs/audience/properties/ungrouped',
    '#/$defs/audience/properties/method/oneOf/1',
    '#/$defs/audience/properties/method/oneOf/1/properties/kind',
    '#/$defs/audience/properties/method/oneOf/1/properties/people',
    '#/$defs/audience/properties/method/oneOf/1/properties/margin',
  ],
};

describe('the samples hold every member and every alternative of the schema', () => {
  it.each([...new Set(documents.map(({ schema }) => schema))])('%s', (name) => {
    const schema = readSchema(name);
    const ajv = new Ajv2020({ allowUnionTypes: true, strict: false });
    ajv.addSchema(schema, 'root');
    // The documents of one project are held by their own schemas.
    if (name === 'projects') for (const one of ['plan', 'result', 'files', 'error']) ajv.addSchema(readSchema(one));
    const held = new Set<string>();
    for (const { schema: of, document } of documents) {
      if (of === name) hold(document, schema, { root: schema, pointer: '#', held, ajv });
    }
    expect(placesIn(schema, '#').filter((place) => !held.has(place))).toEqual(EARLIER[name] ?? []);
  });
});

type Schema = { readonly [keyword: string]: unknown };

interface Walk {
  readonly root: Schema;
  readonly pointer: string;
  readonly held: Set<string>;
  readonly ajv: Ajv2020;
}

const CHOICES = ['oneOf', 'anyOf'] as const;

/** The members and alternatives that a document can hold; one that is `false` cannot be held. */
function placesIn(part: unknown, pointer: string): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = Object.entries(part).flatMap(([key, value]) => {
    if (key !== 'properties' && !CHOICES.some((choice) => choice === key)) return [];
    const places = Object.entries(value as object).filter(([, schema]) => schema !== false);
    return places.map(([name]) => `${pointer}/${key}/${name}`);
  });
  const inner = Object.entries(part).flatMap(([key, value]) => placesIn(value, `${pointer}/${key}`));
  return [...own, ...inner];
}

function hold(value: unknown, schema: unknown, walk: Walk): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { pointer } = walk;
  const { $ref, properties, items, additionalProperties, ...others } = schema as Schema;
  if ($ref?.toString().startsWith('#') === true) {
    const name = ($ref as string).replace('#/$defs/', '');
    hold(value, (walk.root['$defs'] as Schema)[name], { ...walk, pointer: `#/$defs/${name}` });
  }
  for (const [index, part] of ((others['allOf'] ?? []) as Schema[]).entries()) {
    hold(value, part, { ...walk, pointer: `${pointer}/allOf/${index}` });
  }
  for (const choice of CHOICES) {
    for (const [index, part] of ((others[choice] ?? []) as Schema[]).entries()) {
      const at = `${pointer}/${choice}/${index}`;
      if (walk.ajv.getSchema(`root${at}`)?.(value) === true) {
        walk.held.add(at);
        hold(value, part, { ...walk, pointer: at });
      }
    }
  }
  if (Array.isArray(value)) for (const item of value) hold(item, items, { ...walk, pointer: `${pointer}/items` });
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const known = (properties as Schema | undefined)?.[name];
      const at = known === undefined ? `${pointer}/additionalProperties` : `${pointer}/properties/${name}`;
      walk.held.add(at);
      hold(member, known ?? additionalProperties, { ...walk, pointer: at });
    }
  }
}
