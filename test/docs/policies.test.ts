/** The pages of policies: their examples are valid, and their tables have the rules, types and functions that there are. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { readYaml } from '../../src/base/yaml/read.ts';
import { findExpressionProblems } from '../../src/config/expressions.ts';
import { resolveConfig } from '../../src/config/resolve.ts';
import { TYPES, VARIABLES } from '../../src/review/policy/cel/context.ts';
import { judge } from '../../src/review/policy/judge.ts';
import { nameOfPolicy, POLICIES, type Policy } from '../../src/review/policy/built-in.ts';
import { SAFETY } from '../../src/review/policy/broken-rules.ts';
import { FUNCTIONS } from '../../src/review/policy/cel/language.ts';

import type { DesiredFlag } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import type { RoleAccessEntry } from '../../src/posthog/role-access/access.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../helpers/states.ts';

const text = readFileSync('docs/own-rules.md', 'utf8');
const policies = readFileSync('docs/policies.md', 'utf8');
const PROJECTS = 'projects: { production: { service: embedded }, staging: { service: embedded } }\n';

const examples = [...`${policies}${text}`.matchAll(/```yaml\n([\s\S]*?)```/g)]
  .map(([, example = '']) => example)
  .filter((example) => example.includes('\npolicies:') || example.startsWith('policies:'));

it.each(examples)('is valid: %s', async (example) => {
  const source = { file: 'flagwright.yaml', text: `${PROJECTS}${example}` };
  const [document] = readYaml(source.file, source.text).documents;
  if (document === undefined) throw new Error('no document');
  const { config, diagnostics } = await resolveConfig(document, { root: '/repo', file: source.file, env: {} });
  expect([...diagnostics, ...findExpressionProblems(config?.policies?.rules ?? [], source)]).toEqual([]);
  expect(config?.policies?.rules).not.toEqual([]);
});

describe('what the pages say of rules', () => {
  it('is a section for every policy', () => {
    const [, part = ''] = policies.split('\n## Rules\n');
    const [rules = ''] = part.split('\n## ');
    expect([...rules.matchAll(/^### (.*)$/gm)].map(([, rule]) => rule)).toEqual(Object.keys(POLICIES));
  });

  it('has every safety rule and what sets it', () => {
    const [, safety = ''] = readFileSync('docs/safety.md', 'utf8').split('\n## ');
    const found = [...safety.matchAll(/^- `([a-z_]+)`.*?: (.*)$/gm)].map(([, rule, text = '']) => [
      rule,
      /`(limits\.\w+|protected)`/.exec(text)?.[1],
    ]);
    expect(found).toEqual(Object.entries(SAFETY).map(([rule, { setBy }]) => [rule, setBy]));
  });
});

describe('the worked examples', async () => {
  const part = text.slice(text.indexOf('## Worked examples'), text.indexOf('## What to know'));
  const written = [...part.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, example = '']) => policiesIn(example));
  const rules = (await Promise.all(written)).flat();
  const groups = (...list: readonly JsonObject[]): JsonObject => ({ filters: { groups: list } });
  const several = (amount: number): JsonObject => groups(...Array<JsonObject>(amount).fill({ rollout_percentage: 1 }));
  const asks = (operator: string): JsonObject =>
    groups({ properties: [{ key: 'email', type: 'person', operator, value: 'x' }] });
  const change = (before: JsonObject, after: JsonObject): Given => [[liveFlag(1, 'a', before)], [declared('a', after)]];

  /** By the name of the rule: what it finds, and what looks alike and is not found. */
  const CASES: Readonly<Record<string, { readonly found: Given; readonly not: Given }>> = {
    'disable-before-delete': {
      found: [[liveFlag(1, 'a', { active: true })], [retired('a')]],
      not: [[liveFlag(1, 'a', { active: false })], [retired('a')]],
    },
    'few-conditions': {
      found: change(several(5), several(6)),
      not: change({ ...several(6), name: 'x' }, { ...several(6), name: 'y' }),
    },
    'no-new-regex': {
      found: change(asks('exact'), asks('regex')),
      not: change({ ...asks('regex'), name: 'x' }, { ...asks('regex'), name: 'y' }),
    },
    'ask-before-revoke': {
      found: [
        [liveFlag(1, 'a')],
        [declared('a', {}, { roles: ['r1'] })],
        { 1: [{ id: 7, role: { id: 'r2', name: 'r2' } } as RoleAccessEntry] },
      ],
      not: [[liveFlag(1, 'a')], [declared('a', {}, { roles: ['r1'] })], { 1: [] }],
    },
  };

  it.each(rules.map((rule) => [nameOfPolicy(rule), rule] as const).filter(([name]) => Object.hasOwn(CASES, name)))(
    '%s finds what it is for, and only that',
    (name, rule) => {
      const judged = (given: Given | undefined): readonly string[] => {
        const [live, desired, access] = given ?? [[], []];
        const plan = planFor(desiredState(...desired), liveState([...live], access));
        return judge([rule], plan, { project: 'production', now: 0 }).map((finding) => finding.facts.what);
      };
      expect([judged(CASES[name]?.found), judged(CASES[name]?.not)]).toEqual([['own'], []]);
    },
  );

  it('have a case each', () => {
    // test/cli/policies-validate.test.ts deletes a cohort.
    expect(rules.map(nameOfPolicy)).toEqual([...Object.keys(CASES), 'ask-before-cohort-delete']);
  });
});

type Given = readonly [
  live: readonly Flag[],
  desired: readonly DesiredFlag[],
  access?: NonNullable<Parameters<typeof liveState>[1]>,
];

async function policiesIn(example: string): Promise<readonly Policy[]> {
  const [document] = readYaml('flagwright.yaml', `${PROJECTS}${example}`).documents;
  if (document === undefined) throw new Error('no document');
  const { config } = await resolveConfig(document, { root: '/repo', file: 'flagwright.yaml', env: {} });
  return config?.policies?.rules ?? [];
}

/** The fields of a type, or the variables, with their types: the list after the sentence that introduces it. */
function fieldsOf(name: string): Record<string, string> {
  const before = name === 'variable' ? '## What it sees\\n[^]*?\\n\\n' : `An? \\*\\*${name}\\*\\* has\\n\\n`;
  const [, list = ''] = new RegExp(`${before}((?:- .*\\n)+)`).exec(text) ?? [];
  return Object.fromEntries(
    [...list.matchAll(/^- `(\w+)` \(([^)]*)\)/gm)].map(([, field = '', type = '']) => [
      field,
      type.replace(/^list of (\w+)$/, 'list<$1>'),
    ]),
  );
}

describe('own rules', () => {
  it.each(Object.entries({ ...TYPES, variable: VARIABLES }))('have the documented fields of %s', (name, fields) => {
    expect(fieldsOf(name)).toEqual(fields);
  });

  it('have the documented functions', () => {
    const list = /The functions are:\n\n([\s\S]*?)\n\n/.exec(text)?.[1] ?? '';
    const documented = [...list.matchAll(/`(\w+)/g)].map(([, name = '']) => name);
    expect([...new Set(documented)].toSorted()).toEqual(FUNCTIONS.toSorted());
  });
});
