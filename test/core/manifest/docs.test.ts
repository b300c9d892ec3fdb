/** The pages about manifests: their examples are valid, and their tables cover the schema. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OPERATORS } from '../../../src/posthog/flag/model/operators.ts';
import { problems } from './check.ts';
import { readSchema } from '../../helpers/published-schema.ts';

const PAGES = ['manifest', 'conditions', 'ownership', 'access', 'cohorts', 'early-access'];
const text = PAGES.map((name) => readFileSync(`docs/${name}.md`, 'utf8')).join('\n');
const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
const wholeFiles = examples.filter((example) => /^(?:flags|cohorts|early_access):/m.test(example));

describe('the pages about manifests', () => {
  it.each(wholeFiles)('%s', (example) => {
    expect(problems(example).filter((problem) => !problem.includes('role-glob-matches-nothing'))).toEqual([]);
  });

  it('has examples, and a row or an item for every member of a flag', () => {
    expect(wholeFiles.length).toBeGreaterThan(4);
    const schema = readSchema('manifest');
    const members = Object.keys(schema.$defs.flag.properties);
    expect(
      members.filter((member) => !new RegExp(`^(?:\\|[^|]*|- (?:\`\\w+\`, )*)\`${member}\``, 'm').test(text)),
    ).toEqual([]);
  });

  it('names every operator, in full or by its ending', () => {
    const named = (operator: string): boolean =>
      text.includes(`\`${operator}\``) ||
      (operator.startsWith('semver_') && text.includes(`\`${operator.slice('semver'.length)}\``)) ||
      (operator.startsWith('not_') && text.includes(`\`${operator.slice('not_'.length)}\``));
    expect(Object.keys(OPERATORS).filter((operator) => !named(operator))).toEqual([]);
  });
});
