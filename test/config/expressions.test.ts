import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import { loadConfig } from '../../src/config/load.ts';

let cwd = '';
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'flagwright-')));
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

/** The problems of a configuration, each as `code line:column problem`. */
async function problems(text: string): Promise<string[]> {
  await writeFile(join(cwd, 'flagwright.yaml'), text);
  const error: unknown = await loadConfig({ cwd, env: {} }).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(FlagwrightError);
  return (error as FlagwrightError).diagnostics.map(({ code, path, place, args }) => {
    const { problem } = args as { readonly problem?: string };
    return [code, path, `${place?.line}:${place?.column}`, ...(problem === undefined ? [] : [problem])].join(' ');
  });
}

const rules = (...items: readonly string[]): string => `policies:\n  rules:\n${items.join('')}`;
const own = (when: string): string => `    - name: mine\n      when: ${when}\n      message: No\n`;

describe('own policies', () => {
  it('are read beside built-in rules', async () => {
    await writeFile(join(cwd, 'flagwright.yaml'), rules('    - rule: experiment-running\n', own('change.dormant')));
    expect((await loadConfig({ cwd, env: {} })).config.policies?.rules).toEqual([
      { rule: 'experiment-running', level: 'error', source: { file: 'flagwright.yaml', line: 3, column: 7 } },
      {
        rule: 'own',
        name: 'mine',
        level: 'error',
        when: 'change.dormant',
        message: 'No',
        source: { file: 'flagwright.yaml', line: 4, column: 7 },
        whenSource: { file: 'flagwright.yaml', line: 5, column: 7 },
      },
    ]);
  });

  it.each<[string, string, string]>([
    ['in a plain string', 'chnge.dormant', '4:13 There is no variable chnge'],
    ['in quotes', '"\\"a\\" == \\"b\\" && chnge.dormant"', '4:32 There is no variable chnge'],
    ['in a folded block', '>-\n        true\n        && chnge.dormant', '6:12 There is no variable chnge'],
    ['in a literal block', '|\n        true\n\n        && change.kee == ""', '7:19 Change has no field kee'],
    ['at the end', '"true &&"', '4:21 Unexpected token: EOF'],
    ['of the whole', 'change.key', '4:13 The expression is not a bool, but of type string'],
  ])('name the place of a mistake %s', async (_, when, expected) => {
    expect(await problems(rules(own(when)))).toEqual([`policy-expression-invalid /policies/rules/0/when ${expected}`]);
  });

  it('name the place of the member where the expression is behind an alias', async () => {
    const text = rules(own('&rule chnge.dormant'), own('*rule'));
    expect(await problems(text)).toEqual([
      'policy-expression-invalid /policies/rules/0/when 4:19 There is no variable chnge',
      'policy-expression-invalid /policies/rules/1/when 7:7 There is no variable chnge',
    ]);
  });

  it.each<[string, string, string[]]>([
    [
      'the name of a built-in rule',
      own('change.dormant').replace('mine', 'freeze'),
      ['policy-name-taken /policies/rules/0/name 3:7'],
    ],
    ['no expression', '    - name: mine\n      message: No\n', ['property-missing /policies/rules/0 3:7']],
    ['no name', '    - when: "true"\n      message: No\n', ['property-missing /policies/rules/0 3:7']],
    [
      'a rule as well',
      own('change.dormant').replace('name', 'rule: freeze\n      name'),
      ['property-unknown /policies/rules/0/rule 3:7'],
    ],
    [
      'an unknown project',
      `${own('change.dormant')}      projects: [prod]\n`,
      ['project-unknown /policies/rules/0/projects/0 6:18'],
    ],
    [
      'a key that is no glob',
      `${own('change.dormant')}      keys: ['+(b)']\n`,
      ['key-pattern-invalid /policies/rules/0/keys/0 6:14 extended'],
    ],
  ])('are refused with %s', async (_, item, expected) => {
    expect(await problems(rules(item))).toEqual(expected);
  });
});
