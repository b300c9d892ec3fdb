import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { KEY } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

describe('validate', () => {
  test('reports every problem with its place, as text and as JSON', async () => {
    const { root } = createWorkspace({
      'flags/a.yaml': 'flags:\n  checkout:\n    rollout_percentage: 120\n    activ: true\n',
      'flags/b.yaml': 'flags:\n  checkout: { active: true }\n',
    });
    const text = await runCli(['validate'], { cwd: root });
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^flags\/a\.yaml:4:5 {2}error {2}/m);
    expect(text.stdout).toContain('  4 |     activ: true\n    |     ^\n');
    const json = await runCli(['validate', '-f', 'json'], { cwd: root });
    expect(json.code).toBe(1);
    expect(schemaErrors('validation', json.document())).toEqual([]);
    expect(json.document()).toMatchObject({ valid: false, files: 2 });
    const one = await runCli(['validate', 'b.yaml', '-f', 'json'], { cwd: path.join(root, 'flags') });
    expect([one.code, one.document()]).toMatchObject([0, { valid: true, files: 1, flags: 1 }]);
  });

  test('reports a wrong configuration in the same document, and never shows a key that stands in it', async () => {
    const { root } = createWorkspace({
      'flaghoist.yaml': `projects:\n  main: { host: https://x.test, project_id: "1", api_key: ${KEY} }\n`,
    });
    const { code, stdout, stderr } = await runCli(['validate', '-f', 'json'], { cwd: root });
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain(KEY);
    expect(schemaErrors('validation', JSON.parse(stdout))).toEqual([]);
    const text = await runCli(['plan'], { cwd: root });
    expect([text.code, text.stderr.includes(KEY)]).toEqual([1, false]);
  });

  test('finds the configuration in a parent folder, and shows lines of files from there', async () => {
    const { root } = createWorkspace({
      'flaghoist.yaml': 'projects: { local: { service: embedded } }\n',
      'flags/a.yaml': 'flags:\n  a b: { active: true }\n',
      'deep/er/x.txt': '',
    });
    const { code, stderr } = await runCli(['plan'], { cwd: path.join(root, 'deep/er') });
    expect([code, stderr]).toEqual([1, expect.stringContaining('  2 |   a b: { active: true }\n') as string]);
  });
});
