import { describe, expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { LIMITED, stage } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const FORMATS = [[], ['-v'], ['-f', 'json'], ['-f', 'markdown']];

describe('show', () => {
  test('prints what plan printed, in every format, without a service, a key or a configuration', async () => {
    const { run, workspace, world } = await stage();
    const printed = [];
    // The forecast is a measurement, so each plan is shown as it was printed.
    for (const [index, format] of FORMATS.entries())
      printed.push((await run('plan', '--out', `${index}.json`, ...format)).stdout);
    await world.close();
    const files = FORMATS.map((_, index) => [`${index}.json`, workspace.read(`${index}.json`)] as const);
    const { root } = createWorkspace(Object.fromEntries(files));
    for (const [index, format] of FORMATS.entries()) {
      const shown = await runCli(['show', `${index}.json`, ...format], { cwd: root });
      expect(shown).toMatchObject({ code: 0, stderr: '', stdout: printed[index] });
    }
    const document = await runCli(['show', '2.json', '-f', 'json', '-o', 'copy.json'], { cwd: root });
    expect([document.code, document.stdout]).toEqual([0, '']);
    const copy = await runCli(['show', 'copy.json', '-f', 'json'], { cwd: root });
    expect(schemaErrors('plan', copy.document())).toEqual([]);
    expect(copy.stdout).toBe(printed[2]);
  });

  test('prints a plan that apply refuses, with the rule that it breaks', async () => {
    const { world, run, workspace } = await stage('flags: {}\n', LIMITED);
    await world.client.createFlag({ key: 'gone', filters: { groups: [{ rollout_percentage: 1 }] } });
    const plan = await run('plan', '--prune', '--out', 'plan.json');
    const shown = await runCli(['show', 'plan.json'], { cwd: workspace.root });
    expect([shown.code, shown.stdout]).toEqual([0, plan.stdout]);
    expect(shown.stdout).toContain('--allow-deletes');
    const policies = 'policies: { approvers: [ann], rules: [{ rule: require, description: true }] }\n';
    workspace.write('flagwright.yaml', `${workspace.read('flagwright.yaml')}${policies}`);
    const named = await run('plan', '--prune', '--out', 'named.json');
    expect(named.stdout).toContain('get an exception from ann');
    expect((await runCli(['show', 'named.json'], { cwd: workspace.root })).stdout).toBe(named.stdout);
  });

  test('prints a plan with encrypted payloads, which apply refuses, without them', async () => {
    const flag = '{ filters: { groups: [{}], payloads: { true: { a: SECRET } } }, fields: $FIELDS }';
    const fields = '{ is_remote_configuration: true, has_encrypted_payloads: true }';
    const { run } = await stage(`flags:\n  limits: ${flag.replace('$FIELDS', fields)}\n`);
    for (const format of FORMATS) {
      const plan = await run('plan', '--out', 'plan.json', ...format);
      expect(plan.stderr).toContain('Saved.');
      const shown = await run('show', 'plan.json', ...format);
      expect(shown).toMatchObject({ code: 0, stderr: '', stdout: plan.stdout });
      expect(shown.stdout).not.toContain('SECRET');
    }
    expect((await run('apply', 'plan.json')).stderr).toContain('encrypted payloads of limits');
  });

  test.each([
    ['text', 'Plan for local\n', 'It is the text of a plan.'],
    ['an empty file', '', 'It is an empty file.'],
    ['another document', '{"format_version":"1.0","valid":true}', 'It is not a flagwright plan.'],
    ['a document of another version', '{"format_version":"9.0"}', 'It has format version "9.0"'],
  ])('refuses %s', async (_, text, why) => {
    const { root } = createWorkspace({ 'plan.json': text });
    const { code, stdout, stderr } = await runCli(['show', 'plan.json'], { cwd: root });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
    expect(stderr).toContain('flagwright plan --out FILE');
  });

  test('refuses a plan that was edited or truncated', async () => {
    const { run, workspace } = await stage();
    await run('plan', '--out', 'plan.json');
    const text = workspace.read('plan.json');
    workspace.write('edited.json', text.replace('One-page checkout', 'Another checkout'));
    workspace.write('cut.json', text.slice(0, -20));
    for (const [file, why] of [
      ['edited.json', 'edited or truncated'],
      ['cut.json', 'not complete JSON'],
    ] as const) {
      const shown = await run('show', file, '-f', 'json');
      expect([shown.code, shown.document()]).toMatchObject([1, { error: { code: 'plan_invalid' } }]);
      expect(shown.stderr).toContain(why);
    }
  });

  test.each([
    [['show'], "missing required argument 'plan'"],
    [['show', 'none.json'], 'Cannot read none.json: no such file or folder.'],
    [['show', '.'], 'Cannot read .: it is a folder.'],
    [['show', 'none.json', '-f', 'csv'], 'show has no --format csv; use text or json or markdown or'],
  ])('%j says what is wrong', async (argv, words) => {
    const { code, stderr } = await runCli(argv, { cwd: createWorkspace({}).root });
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });
});
