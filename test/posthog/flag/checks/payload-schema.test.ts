/** Payloads are checked against the JSON Schema that their flag names, in every project, and the schema itself is checked. */

import { symlinkSync, writeFileSync } from 'node:fs';

import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import type { ManifestDiagnostic } from '../../../../src/posthog/manifests/problems.ts';
import { validateManifests } from '../../../../src/posthog/manifests/load.ts';
import { readManifests, resolveManifests } from '../../../../src/posthog/manifests/manifests.ts';
import { ALL_MANIFEST_WORDS } from '../../../../src/posthog/manifests/problems.ts';
import { describeWith } from '../../../../src/base/wording.ts';
import { createWorkspace, type Workspace } from '../../../helpers/workspace.ts';

const SCHEMA = {
  type: 'object',
  properties: { steps: { type: 'integer', minimum: 1 }, size: { $ref: '#/$defs/size' } },
  required: ['steps'],
  additionalProperties: false,
  $defs: { size: { anyOf: [{ enum: ['s', 'm'] }, { type: 'object', required: ['width'] }] } },
};
const PROJECTS = ['production', 'staging'].map((name) => ({ name, roles: {}, cohorts: {} }));
const PATTERNS = ['flags/*.yaml'];

function withPayloads(payloads: string, more = ''): Workspace {
  const manifest = `flags:\n  checkout:\n    filters: { groups: [{}], payloads: ${payloads} }\n    payload_schema: ./schemas/checkout.json\n${more}`;
  return createWorkspace({ 'flags/a.yaml': manifest, 'flags/schemas/checkout.json': JSON.stringify(SCHEMA) });
}

async function check({ root }: Workspace): Promise<readonly ManifestDiagnostic[]> {
  const { files, diagnostics } = await readManifests({ root, patterns: PATTERNS });
  return [...diagnostics, ...validateManifests(files, PROJECTS)];
}

async function problems(workspace: Workspace): Promise<readonly string[]> {
  return (await check(workspace)).map(
    ({ severity, code, place, path: at }) => `${severity} ${code} ${place?.line}:${place?.column} ${at}`,
  );
}

async function messages(workspace: Workspace): Promise<readonly string[]> {
  return (await check(workspace)).map((one) => describeWith(ALL_MANIFEST_WORDS, one).message);
}

const MISMATCH = 'The payload "true" does not match flags/schemas/checkout.json:';

/** Each definition refers to the next one twice: 2 to the power of their number of checks. */
function doubling(count: number): JsonObject {
  const twice = (name: string): JsonObject => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const defs = Array.from({ length: count }, (_, index) => [`d${index}`, twice(`d${index + 1}`)] as const);
  return { ...twice('d0'), $defs: { ...Object.fromEntries(defs), [`d${count}`]: { type: 'object' } } };
}

const SLOW_TEXT = `${'a'.repeat(5000)}!`;

describe('a schema that would hold up the run is given up', () => {
  it.each<[name: string, schema: JsonObject]>([
    ['a pattern', { properties: { text: { pattern: '^(a|a)+$' } } }],
    ['a pattern for names', { patternProperties: { '^(a|a)+$': false } }],
    ['a pattern for names, beside others', { patternProperties: { '^(a|a)+$': true }, additionalProperties: false }],
    ['a pattern that is denied', { properties: { text: { not: { pattern: '^(a|a)+$' } } } }],
    ['references to references', doubling(40)],
  ])('%s', async (_, schema) => {
    const workspace = withPayloads(`{ true: { text: '${SLOW_TEXT}', '${SLOW_TEXT}': 1 } }`);
    writeFileSync(path.join(workspace.root, 'flags/schemas/checkout.json'), JSON.stringify(schema));
    expect(await messages(workspace)).toEqual([
      'The payload "true" cannot be checked against flags/schemas/checkout.json: its patterns or references would take too long.',
    ]);
  });

  it('but a long payload is checked, for each project', async () => {
    const payload = `[${Array.from({ length: 30_000 }, () => '{"next":{}}').join()}]`;
    const workspace = withPayloads(`{ true: '${payload}' }`);
    const one = { properties: { next: { $ref: '#/$defs/one' } } };
    const schema = { items: { $ref: '#/$defs/one' }, $defs: { one } };
    writeFileSync(path.join(workspace.root, 'flags/schemas/checkout.json'), JSON.stringify(schema));
    expect(await messages(workspace)).toEqual([]);
  });
});

describe('a payload', () => {
  it.each<[payloads: string, message: string | undefined]>([
    ['{ true: { steps: 1, size: s } }', undefined],
    [`{ true: '{ "steps": 1e0, "size": { "width": 1 } }' }`, undefined],
    ['{ true: { steps: 9007199254740993 } }', undefined],
    ['{}', undefined],
    ['{ true: { steps: 0 } }', `${MISMATCH} /steps does not satisfy \`minimum: 1\`.`],
    ['{ true: { steps: 1.5 } }', `${MISMATCH} /steps does not satisfy \`type: "integer"\`.`],
    ['{ true: {} }', `${MISMATCH} /steps is missing.`],
    ['{ true: { steps: 1, hnt: x } }', `${MISMATCH} /hnt is not allowed.`],
    ['{ true: null }', `${MISMATCH} it does not satisfy \`type: "object"\`.`],
    ['{ true: { steps: 1, size: xl } }', `${MISMATCH} /size does not satisfy \`anyOf\`.`],
    [`{ true: '"text"' }`, `${MISMATCH} it does not satisfy \`type: "object"\`.`],
    [`{ true: '${'['.repeat(100_000)}${']'.repeat(100_000)}' }`, `${MISMATCH} it is nested too deeply.`],
  ])('%#', async (payloads, message) => {
    expect(await messages(withPayloads(payloads))).toEqual(message === undefined ? [] : [message]);
  });

  it('is reported where it is written', async () => {
    expect(await problems(withPayloads('{ true: { steps: 0, hnt: x } }'))).toEqual([
      'error payload-schema-mismatch 3:50 /flags/checkout/filters/payloads/true/steps',
      'error payload-schema-mismatch 3:60 /flags/checkout/filters/payloads/true/hnt',
    ]);
    expect(await problems(withPayloads(`{ true: '{ "steps": 0 }' }`))).toEqual([
      'error payload-schema-mismatch 3:42 /flags/checkout/filters/payloads/true',
    ]);
  });

  it('is checked in each overlay, also in that of a project that does not exist', async () => {
    const overlays =
      '    projects:\n      staging: { payloads: { true: { steps: 0 } } }\n      nowhere: { payloads: { true: { steps: x } } }\n';
    expect(await problems(withPayloads('{ true: { steps: 1 } }', overlays))).toEqual([
      'error payload-schema-mismatch 6:38 /flags/checkout/projects/staging/payloads/true/steps',
      'error project-unknown 7:7 /flags/checkout/projects/nowhere',
      'error payload-schema-mismatch 7:38 /flags/checkout/projects/nowhere/payloads/true/steps',
    ]);
  });

  it('of unchecked filters is checked', async () => {
    const text =
      'flags:\n  a:\n    fields: { filters: { groups: [{}], payloads: { true: 1 } } }\n    payload_schema: s.json\n';
    const workspace = createWorkspace({ 'flags/a.yaml': text, 'flags/s.json': '{"type": "string"}' });
    expect(await problems(workspace)).toEqual([
      'error payload-schema-mismatch 3:52 /flags/a/fields/filters/payloads/true',
    ]);
  });

  it.each([
    ['declared as encrypted', '{ true: { steps: 0 } }', '    fields: { has_encrypted_payloads: true }\n'],
    ['kept by its mark', `{ true: '"********* (encrypted)"' }`, ''],
  ])('that is %s is said to be unchecked, and nothing of it is told', async (_name, payloads, more) => {
    const workspace = withPayloads(payloads, more);
    expect(await problems(workspace)).toEqual(['warning payloads-unchecked 4:5 /flags/checkout/payload_schema']);
    expect(await messages(workspace)).toEqual([
      'Encrypted, so not checked against flags/schemas/checkout.json: "true".',
    ]);
  });
});

it.each<[name: string, names: JsonObject]>([
  ['itself', { maxLength: 3 }],
  ['by a reference', { $ref: '#/$defs/short' }],
])('the name of a member that the schema rules out %s is one mistake', async (_, propertyNames) => {
  const workspace = withPayloads('{ true: { a: 1, long_name: 2 } }');
  const schema = {
    properties: { a: { propertyNames, required: ['b'] } },
    propertyNames,
    $defs: { short: { maxLength: 3 } },
  };
  writeFileSync(path.join(workspace.root, 'flags/schemas/checkout.json'), JSON.stringify(schema));
  expect(await messages(workspace)).toEqual([`${MISMATCH} /long_name is not allowed.`]);
});

describe('a schema', () => {
  const named = (schema: string, files: Readonly<Record<string, string>> = {}): Workspace =>
    createWorkspace({ 'flags/a.yaml': `flags: { a: { payload_schema: ${schema} } }\n`, ...files });

  it.each<[schema: string, message: string]>([
    ['none.json', 'flags/none.json cannot be read: it does not exist.'],
    ['.', 'flags cannot be read: not a file.'],
    ['../../x.json', '../x.json cannot be read: it is outside the folder of the configuration.'],
    ['/etc/hostname', '/etc/hostname cannot be read: it is outside the folder of the configuration.'],
    ['broken.json', 'flags/broken.json is not JSON: see line 2.'],
    ['secret.env', 'flags/secret.env is not JSON.'],
    ['latin.json', 'flags/latin.json cannot be read: it is not UTF-8.'],
    ['unknown.json', 'flags/unknown.json, at /items: flagwright does not check the keyword `contains`.'],
    ['list.json', 'flags/list.json: a schema is an object or a boolean.'],
    ['dialect.json', 'flags/dialect.json: `$schema` names neither draft 2020-12 nor draft 7.'],
    ['link.json', 'flags/link.json cannot be read: it is outside the folder of the configuration.'],
  ])('%s is refused at its place', async (schema, message) => {
    const workspace = named(schema, {
      'flags/broken.json': '{\n  "type" 7\n}',
      'flags/secret.env': 'TOKEN=abc',
      'flags/unknown.json': '{"items": {"contains": true}}',
      'flags/list.json': '[]',
      'flags/dialect.json': '{"$schema": "https://json-schema.org/draft/2019-09/schema"}',
    });
    const { root } = workspace;
    writeFileSync(path.join(root, 'flags/latin.json'), Buffer.from([0x22, 0xe9, 0x22]));
    const outside = createWorkspace({ 'x.json': '{}' });
    symlinkSync(path.join(outside.root, 'x.json'), path.join(root, 'flags/link.json'));
    expect(await messages(workspace)).toEqual([message]);
    expect(await problems(workspace)).toEqual([
      expect.stringMatching(/^error payload-schema-\S+ 1:15 \/flags\/a\/payload_schema$/),
    ]);
  });

  it('reports every fault', async () => {
    const workspace = named('s.json', { 'flags/s.json': '{"minimum": "1", "properties": {"a": {"$ref": "#/x"}}}' });
    expect(await messages(workspace)).toEqual([
      'flags/s.json: `minimum` has an invalid value.',
      'flags/s.json, at /properties/a: `$ref` leads to no schema in the same file.',
    ]);
  });

  it.each(['7', '[a.json]', "''"])('is no path as %s', async (schema) => {
    expect((await check(named(schema))).map(({ code }) => code)).toEqual([
      expect.stringMatching(/type-wrong|length-out-of-range/),
    ]);
  });

  it('cannot differ by project', async () => {
    const workspace = createWorkspace({
      'flags/a.yaml': 'flags: { a: { projects: { staging: { payload_schema: a.json } } } }',
    });
    expect(await problems(workspace)).toEqual(['error property-unknown 1:38 /flags/a/projects/staging/payload_schema']);
  });

  it('may be true, which accepts everything, and false, which accepts nothing', async () => {
    const manifest = (schema: string): string =>
      `flags: { a: { filters: { groups: [{}], payloads: { true: 1 } }, payload_schema: ${schema}.json } }`;
    const found = await Promise.all(
      ['yes', 'no'].map(async (schema) =>
        messages(
          createWorkspace({ 'flags/a.yaml': manifest(schema), 'flags/yes.json': 'true', 'flags/no.json': 'false' }),
        ),
      ),
    );
    expect(found).toEqual([[], ['The payload "true" does not match flags/no.json: it is not allowed.']]);
  });

  it('is held beside the fields that are sent, and read again when it changes', async () => {
    const workspace = withPayloads('{ true: { steps: 1 } }');
    const read = async (): Promise<unknown> => {
      const { files } = await readManifests({ root: workspace.root, patterns: PATTERNS });
      const [project] = PROJECTS;
      if (project === undefined) return undefined;
      return resolveManifests(files, project, [project.name]).desired.flags[0];
    };
    const flag = await read();
    expect(flag).toMatchObject({ payloadSchema: { file: 'flags/schemas/checkout.json', schema: SCHEMA } });
    expect(flag).toHaveProperty('fields', { filters: { groups: [{}], payloads: { true: { steps: 1 } } } });
    expect(await read()).toBe(flag);
    workspace.write('flags/schemas/checkout.json', '{"type": "string"}');
    expect(await messages(workspace)).toEqual([`${MISMATCH} it does not satisfy \`type: "string"\`.`]);
  });

  it('is relative to the manifest in a deeper folder', async () => {
    const workspace = createWorkspace({
      'flags/a.yaml': 'flags: { a: { payload_schema: ../schemas/a.json } }',
      'schemas/a.json': '{}',
    });
    expect(await messages(workspace)).toEqual([]);
  });
});
