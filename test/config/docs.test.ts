/** docs/configuration.md: its example is valid, and its tables cover the schema. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readYaml } from '../../src/base/yaml/read.ts';
import { resolveConfig } from '../../src/config/resolve.ts';
import { readSchema } from '../helpers/published-schema.ts';

const text = readFileSync('docs/configuration.md', 'utf8');

it('has a valid example', async () => {
  const [document] = readYaml('flagwright.yaml', /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? '').documents;
  if (document === undefined) throw new Error('no example');
  const { config, diagnostics } = await resolveConfig(document, { root: '/repo', file: 'flagwright.yaml', env: {} });
  expect(diagnostics).toEqual([]);
  expect(config?.defaultProject).toBe('local');
});

it('names every member', () => {
  const schema = readSchema('config');
  const parts = [schema, schema.$defs.project, schema.properties.limits, schema.properties.scope];
  const members = parts.flatMap((part) => Object.keys(part.properties));
  expect(members.filter((member) => !text.includes(`\`${member}`) && !text.includes(`.${member}\``))).toEqual([]);
});
