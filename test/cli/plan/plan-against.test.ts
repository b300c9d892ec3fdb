/** What a plan against a snapshot is compared with. */

import { expect, test } from 'vitest';
import { CONFIG, gitStage, LATER } from '../../helpers/git-stage.ts';

test('the base is the commit of the snapshot, unless the run names another or none', async () => {
  const here = await gitStage(CONFIG);
  const first = here.git('rev-parse', 'HEAD');
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(await here.run('snapshot', '--out', 'snapshot.json')).toMatchObject({ code: 0 });
  const second = here.commit({ 'flags/main.yaml': LATER });
  const baseOf = async (...argv: string[]): Promise<unknown> => {
    const ran = await here.runWith(
      { env: { POSTHOG_API_KEY: '' } },
      'plan',
      '--against',
      'snapshot.json',
      '-f',
      'json',
      ...argv,
    );
    expect(ran).toMatchObject({ code: 0 });
    return ran.document()['base'];
  };
  expect(await baseOf()).toMatchObject({ commit: first, from: 'snapshot' });
  expect(await baseOf('--base', 'HEAD')).toMatchObject({ commit: second, from: 'option' });
  expect(await baseOf('--base', 'none')).toBeUndefined();
});
