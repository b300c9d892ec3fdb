import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gitStage, LATER } from '../../helpers/git-stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const COUNTING = `#!/bin/bash
for word; do [[ $word == --literal-pathspecs ]] && own=1; done
[ -n "$own" ] && echo "$*" >> "\${0%/*}/calls"
PATH=\${PATH#*:}
exec git "$@"
`;

test('a run starts git once for what it is, once for all objects, and for what only git can do', async () => {
  const programs = createWorkspace({ git: COUNTING });
  chmodSync(path.join(programs.root, 'git'), 0o755);
  const log = path.join(programs.root, 'calls');
  const { commit, runWith } = await gitStage();
  const calls = async (...argv: string[]): Promise<readonly string[]> => {
    const before = existsSync(log) ? readFileSync(log, 'utf8').length : 0;
    const env = { PATH: `${programs.root}:${process.env['PATH'] ?? ''}` };
    expect(await runWith({ env }, ...argv)).toMatchObject({ code: 0 });
    const lines = readFileSync(log, 'utf8').slice(before).trimEnd().split('\n');
    return lines.map((line) => /(?:-c \S+ )+(\S+)/.exec(line)?.[1] ?? line);
  };
  expect(await calls('apply', '--yes')).toEqual(['rev-parse', 'cat-file', 'cat-file', 'config', 'update-ref']);
  commit({ 'flags/main.yaml': LATER });
  expect(await calls('plan')).toEqual(['rev-parse', 'cat-file', 'check-attr']);
  const ofPlan = ['rev-parse', 'cat-file', 'check-attr'];
  expect(await calls('apply', '--yes')).toEqual([...ofPlan, 'cat-file', 'config', 'update-ref']);
  expect(await calls('drift')).toEqual(['rev-parse', 'cat-file']);
});
