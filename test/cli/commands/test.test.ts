import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const CONFIGURATION = `
projects:
  production: { host: https://us.posthog.com, project_id: '1' }
  staging: { host: https://us.posthog.com, project_id: '2' }
default_project: production
`;
const FLAGS = `
flags:
  checkout:
    rollout_percentage: 100
    projects: { staging: { rollout_percentage: 0 } }
  beta: { only_in: [staging], rollout_percentage: 100 }
`;
const TESTS = `
people: { ada: }
expect:
  - person: ada
    flags: { checkout: true, beta: true }
`;

function place(
  files: Readonly<Record<string, string>> = {},
): Workspace & { readonly run: (...argv: string[]) => Promise<Ran> } {
  const all = { 'flagwright.yaml': CONFIGURATION, 'flags/a.yaml': FLAGS, 'tests/a.yaml': TESTS, ...files };
  const workspace = createWorkspace(all);
  return { ...workspace, run: (...argv) => runCli(['test', ...argv], { cwd: workspace.root }) };
}

describe('test', () => {
  test('evaluates every project without a key, and shows the answers that are not the expected ones', async () => {
    const { run } = place();
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([2, '']);
    expect(stdout).toBe(
      [
        'tests/a.yaml:5:14  failed  ada: checkout  staging',
        '  expected  on',
        '  got       off: condition 1 (everyone) matches, but the person is outside its 0%  flags/a.yaml:5:28',
        '            condition 1: a rollout of 60.36% or more includes ada',
        '',
        'Tests: 2 passed, 1 failed · 1 person, 2 flags, 2 projects in 1 file',
        '',
      ].join('\n'),
    );
    const production = await run('-p', 'production', '--verbose');
    expect(production.code).toBe(0);
    expect(production.stdout).toContain('passed  ada: checkout  production\n');
  });

  test('prints the cases as a document', async () => {
    const { run } = place();
    const { document } = await run('--format', 'json');
    expect(schemaErrors('test', document())).toEqual([]);
    expect(document()).toMatchObject({
      projects: ['production', 'staging'],
      summary: { passed: 2, failed: 1, undecided: 0 },
    });
    const [, failed] = document()['cases'] as readonly { outcome: string; conditions?: readonly object[] }[];
    expect(failed).toMatchObject({
      outcome: 'failed',
      conditions: [{ number: 1, file: 'flags/a.yaml', line: 5, result: 'left_out', identifier: 'ada' }],
    });
  });

  test('lists a hundred answers, and all with --verbose', async () => {
    const people = Array.from({ length: 120 }, (_, index) => `p${index}`);
    const { run } = place({
      'tests/a.yaml': `people: { ${people.map((name) => `${name}:`).join(', ')} }
expect: [{ person: [${people.join(', ')}], projects: [staging], flags: { checkout: true } }]
`,
    });
    const { stdout } = await run();
    expect(stdout.match(/ {2}failed {2}/g)).toHaveLength(100);
    expect(stdout).toContain('\n… and 20 more (--verbose lists all, --format json has all)\n');
    expect((await run('--verbose')).stdout.match(/ {2}failed {2}/g)).toHaveLength(120);
  });

  test.each([
    [
      'github',
      '::error file=tests/a.yaml,line=5,col=14,title=test/failed::ada: checkout in staging is expected to be on',
    ],
    ['gitlab', '"check_name": "test/failed"'],
    ['junit', '<failure message="ada: checkout in staging is expected to be on, and is off'],
    ['markdown', '**Tests: 2 passed, 1 failed · 1 person, 2 flags, 2 projects in 1 file**'],
  ])('prints %s', async (format, words) => {
    const { run } = place();
    const { code, stdout } = await run('--format', format);
    expect(code).toBe(2);
    expect(stdout).toContain(words);
  });

  test('judges the expectations of named files, with the people of all', async () => {
    const { run } = place({
      'tests/b.yaml': 'expect: [{ person: ada, flags: { checkout: true }, projects: [production] }]\n',
    });
    expect((await run('tests/b.yaml')).code).toBe(0);
    expect((await run('./tests/a.yaml')).code).toBe(2);
    const unknown = await run('tests/c.yaml');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('"tests/c.yaml" is not a test file') as string,
    ]);
  });

  test('judges the expectations about some flags', async () => {
    const { run } = place();
    expect((await run('--target', 'be*')).stdout).toBe('Tests: 1 passed · 1 person, 1 flag, 2 projects in 1 file\n');
    expect((await run('--target', 'beta', 'checkout')).code).toBe(2);
    const unknown = await run('--target', 'betta');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'error  No expectation is about a flag "betta".\n  → Did you mean "beta"?\n',
    ]);
  });

  test('reports the mistakes of manifests before those of tests, and evaluates nothing', async () => {
    const { run, write } = place({ 'flags/a.yaml': 'flags: { checkout: { activ: true } }\n' });
    const manifests = await run('-f', 'json');
    expect([manifests.code, manifests.document()]).toMatchObject([1, { error: { code: 'manifest_invalid' } }]);
    write('flags/a.yaml', FLAGS);
    write(
      'tests/a.yaml',
      'expect: [{ person: ada, flags: { chekout: true } }, { person: { id: x }, flags: { beta: on } }]\n',
    );
    const tests = await run('-f', 'json');
    expect(tests.code).toBe(1);
    expect(tests.document()).toMatchObject({
      error: {
        code: 'tests_invalid',
        diagnostics: [{ code: 'person-unknown' }, { code: 'expected-variant-unknown', line: 1, column: 83 }],
      },
    });
    expect(schemaErrors('error', tests.document())).toEqual([]);
  });

  test('passes over YAML of other programs, unless `tests` names it', async () => {
    const { run, write } = place({ 'tests/fixture.yaml': 'people_count: {{ n }}\n' });
    expect((await run('-p', 'production')).code).toBe(0);
    write('flagwright.yaml', `${CONFIGURATION}tests: ['tests/*.yaml']\n`);
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('tests/fixture.yaml:1') as string });
  });

  test('says where tests belong if there are none', async () => {
    const { run, write } = place();
    write('tests/a.yaml', '{}\n');
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('tests-none') as string });
  });

  test('gives up a pattern that would never end', async () => {
    const { run } = place({
      'flags/a.yaml':
        "flags: { a: { filters: { groups: [{ properties: [{ key: email, operator: regex, value: '^(a+)+$' }] }] } } }\n",
      'tests/a.yaml': `expect: [{ person: { id: x, properties: { email: ${'a'.repeat(60)}b } }, flags: { a: false } }]\n`,
    });
    const { code, stdout } = await run('-p', 'production');
    expect(code).toBe(2);
    expect(stdout).toContain('(this value takes too many steps, or has new characters)');
  });

  test('passes for the files that init writes', async () => {
    const { root } = createWorkspace();
    await runCli(['init'], { cwd: root });
    expect(await runCli(['test'], { cwd: root })).toMatchObject({
      code: 0,
      stdout: 'Tests: 2 passed · 2 people, 2 flags, 1 project in 1 file\n',
    });
  });
});

test('the example in docs/testing.md prints what it says', async () => {
  const doc = readFileSync('docs/testing.md', 'utf8');
  const [, tests = ''] = /```yaml\n# tests\/checkout\.yaml\n(.*?)```/s.exec(doc) ?? [];
  const [, output] = /\$ flagwright test\n(.*?)```/s.exec(doc) ?? [];
  const { root } = createWorkspace({
    'flags/checkout.yaml': readFileSync('examples/quickstart/flags/checkout.yaml', 'utf8'),
    // The example shows the comment as its first line.
    'tests/checkout.yaml': `# tests/checkout.yaml\n${tests}`,
  });
  expect(await runCli(['test'], { cwd: root })).toMatchObject({ code: 2, stdout: output });
});

describe('a rollout over time', () => {
  const STEPPED = `
flags:
  checkout:
    rollout_percentage: { steps: [{ at: 2026-12-01T09:00+01:00, to: 10 }, { at: 2026-12-03T09:00+01:00, to: 100 }] }
`;
  const answersAt = (...answers: readonly (readonly [string | undefined, boolean])[]): string =>
    `people: { ada: }\nexpect:\n${answers
      .map(([at, on]) => `  - { person: ada, ${at === undefined ? '' : `at: '${at}', `}flags: { checkout: ${on} } }\n`)
      .join('')}`;

  test('is expected as it is planned for the time of each expectation', async () => {
    const tests = answersAt(
      [undefined, false],
      ['2026-12-03T07:59:59.999Z', false],
      ['2026-12-03T08:00:00Z', true],
      ['2027-01-01T00:00:00+05:00', true],
    );
    const { root } = place({ 'flags/a.yaml': STEPPED, 'tests/a.yaml': tests });
    const ran = await runCli(['test', '-p', 'production'], { cwd: root, now: Date.parse('2026-12-02T00:00:00Z') });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('Tests: 4 passed');
    const later = await runCli(['test', '-p', 'production'], { cwd: root, now: Date.parse('2026-12-04T00:00:00Z') });
    expect(later.code).toBe(2);
    expect(later.stdout).toContain('Tests: 3 passed, 1 failed');
  });

  test('names the step that decides an answer', async () => {
    const { root } = place({ 'flags/a.yaml': STEPPED, 'tests/a.yaml': answersAt(['2026-12-02T00:00:00Z', true]) });
    const ran = await runCli(['test', '-p', 'production'], { cwd: root, now: Date.parse('2026-12-04T00:00:00Z') });
    expect(ran.stdout).toContain('the person is outside its 10%  flags/a.yaml:4:');
  });
});

describe('a regular expression of the service', () => {
  const flags = (pattern: string, others = ''): string => `
flags:
  a:
    filters:
      groups:
        - properties: [{ key: email, type: person, operator: regex, value: '${pattern}' }]
          rollout_percentage: 100
${others}`;
  const tests = (expected: boolean): string => `
people: { ada: { properties: { email: Ada@ACME.com } } }
expect: [{ person: ada, flags: { a: ${expected} } }]
`;

  test.each([
    ['(?i:acme)', true],
    ['(?i)acme\\.com$', true],
    ['[[:upper:]]{4}', true],
    ['(?x) @ A C', true],
    ['(?>ACM|ACME)E', true],
    ['^[A-Z&&[^A]]', false],
  ])('%s is answered as there: %s', async (pattern, expected) => {
    const { run } = place({ 'flags/a.yaml': flags(pattern), 'tests/a.yaml': tests(expected) });
    const { code, stdout } = await run('-p', 'production');
    expect(stdout).toContain('Tests: 1 passed');
    expect(code).toBe(0);
  });

  test('that is not translated has no answer, with its place', async () => {
    const { run } = place({ 'flags/a.yaml': flags('\\Kacme'), 'tests/a.yaml': tests(false) });
    const { code, stdout } = await run('-p', 'production');
    expect(code).toBe(2);
    expect(stdout).toContain('undecided');
    expect(stdout).toContain(
      String.raw`a regular expression that only PostHog can evaluate: \Kacme (\K is not translated)`,
    );
    expect(stdout).toContain('flags/a.yaml:6');
  });

  test('that cannot matter is passed over', async () => {
    const others = '        - rollout_percentage: 100\n';
    const { run } = place({ 'flags/a.yaml': flags('\\Kacme', others), 'tests/a.yaml': tests(true) });
    const { code, stdout } = await run('-p', 'production');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Tests: 1 passed')]);
  });
});
