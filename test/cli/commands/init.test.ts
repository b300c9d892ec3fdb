import { describe, expect, test } from 'vitest';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

describe('the embedded service', () => {
  test('serves a newcomer without any account: init, validate, plan, apply, drift', async () => {
    const { root, read } = createWorkspace();
    const run = (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: root });
    expect(await run('init')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('+ written  flaghoist.yaml') as string,
    });
    expect((await run('validate')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(2);
    expect((await run('apply', '--yes')).code).toBe(0);
    expect((await run('drift', '--unmanaged')).code).toBe(0);
    expect(read('.flaghoist/.gitignore')).toBe('*\n');
    const again = await run('init', '-f', 'json');
    expect(schemaErrors('files', again.document())).toEqual([]);
    expect(new Set((again.document()['files'] as { status: string }[]).map(({ status }) => status))).toEqual(
      new Set(['kept']),
    );
  });
});
