import { expect, test } from 'vitest';
import { nothingToDo } from '../../../src/cli/plan/execute-plan.ts';
import { watchSession } from '../../helpers/watched-session.ts';

test('a run with nothing to do has a document and succeeds', async () => {
  const { session, reports } = watchSession();
  const project = { name: 'main', host: 'https://x.example', project_id: '1' };
  expect(await nothingToDo(session, project, { code: 'already_off' })).toBe(0);
  expect(reports).toEqual([{ kind: 'nothing', project, reason: { code: 'already_off' } }]);
});
