/** The published schemas are valid, and so are their examples. */

import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { validateExpectations } from '../../src/base/generated/expectation-validators.ts';
import { validateExceptions } from '../../src/base/generated/exception-validators.ts';
import { validateConfig, validateManifest } from '../../src/base/generated/validators.ts';
import { readSchema } from '../helpers/published-schema.ts';

it.each([
  ['manifest', validateManifest],
  ['config', validateConfig],
  ['exceptions', validateExceptions],
  ['expectations', validateExpectations],
])('%s: the compiled validator matches the file', (name, validator) => {
  const schema: AnySchema = JSON.parse(JSON.stringify(readSchema(name)), withoutRules);
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  const validate = ajv.compile(schema);
  const samples: unknown[] = [
    null,
    {},
    {
      flags: {
        a: { activ: 1, rollout_percentage: 101, projects: { p: { filters: { groups: [{ properties: [{}] }] } } } },
      },
    },
    { projects: { p: { host: 3, service: 'x', roles: { a: 'b' } } }, limits: { deletes: 'a' } },
    { role_access: { '': ['', 3] }, 'x-free': 1 },
    { people: { a: { id: 3, groups: { x: {} } } }, expect: [{ person: [], flags: { a: { valu: 1 } }, at: 'soon' }] },
    { exceptions: [{ rule: '', most: -1, reason: ' ', until: 'soon', granted_by: 3 }] },
    { policies: { rules: [{ rule: 'max-widen' }, { rule: 'freeze', deny: [{ days: ['so'] }] }, { rule: 'x' }] } },
  ];
  for (const sample of samples) {
    expect(validator(sample as never)).toBe(validate(sample));
    const pointers = (errors: readonly { instancePath: string; keyword: string }[] | null | undefined): string[] =>
      (errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
    expect(pointers(validator.errors)).toEqual(pointers(validate.errors));
  }
});

/** Under `allOf`, the schema of manifests has rules for editors, which the command checks itself. */
function withoutRules(key: string, value: unknown): unknown {
  return key === 'allOf' ? undefined : value;
}

it.each(['manifest', 'config', 'expectations'])('%s: every example is valid in its place', (name) => {
  const schema: AnySchema = readSchema(name);
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
  ajv.addSchema(schema, 'root');
  let examples = 0;
  const visit = (part: unknown, pointer: string): void => {
    if (typeof part !== 'object' || part === null) return;
    if ('examples' in part && Array.isArray(part.examples) && !pointer.endsWith('/properties')) {
      for (const example of part.examples) {
        examples++;
        expect(ajv.validate({ $ref: `root#${pointer}` }, example), `${pointer} ${JSON.stringify(example)}`).toBe(true);
      }
    }
    for (const [key, child] of Object.entries(part)) {
      if (key !== 'examples')
        visit(child, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
    }
  };
  visit(schema, '');
  expect(examples).toBeGreaterThan(5);
});

it.each(['undo', 'result', 'history'])(
  'the schema of %s describes the parts of a plan as that of plans does',
  (name) => {
    const definitionsOf = (of: string): Readonly<Record<string, unknown>> =>
      (
        readSchema(of) as {
          $defs: Readonly<Record<string, unknown>>;
        }
      ).$defs;
    const [own, plans] = [definitionsOf(name), definitionsOf('plan')];
    // A change with an outcome has further members.
    const shared = Object.keys(plans).filter((part) => Object.hasOwn(own, part) && !part.startsWith('change_'));
    expect(shared).toContain('flag_base');
    for (const part of shared) expect(own[part], part).toEqual(plans[part]);
  },
);
