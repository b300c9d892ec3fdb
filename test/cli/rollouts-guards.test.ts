/** What makes a step that nobody reviewed, or that was applied elsewhere: other manifests, another project, an old record, an old approval. */

import { describe, expect, test } from 'vitest';
import { createBare } from '../helpers/repository.ts';
import { CONFIG } from '../helpers/git-stage.ts';
import { hour, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const STEPS = `
      steps:
        - { at: ${hour(1)}, to: 10 }
        - { at: ${hour(2)}, to: 50 }
        - { at: ${hour(5)}, to: 100 }`;
const flag = (key: string, percentage: string): string =>
  `  ${key}:\n    description: One\n    active: true\n    rollout_percentage:${percentage}\n`;
const STEPPED = `flags:\n${flag('checkout', STEPS)}${flag('search', ' 10')}`;

/** Applied when the first step was due, with 10%. */
async function begun(...args: Parameters<typeof timedStage>): Promise<TimedStage> {
  const staged = await timedStage(...args);
  for (const hours of [0, 1]) {
    expect(await staged.runAt(hours, 'apply', '--yes', '--approved-by', 'ben')).toMatchObject({ code: 0 });
  }
  return staged;
}

describe('a run that only makes due steps', () => {
  test('reads the manifests that the configuration of the recorded commit names, and no others', async () => {
    const { commit, runAt, percentages, world } = await timedStage(STEPPED);
    const config = CONFIG.replaceAll('$HOST', world.url);
    commit({ 'other/main.yaml': STEPPED.replace('to: 50', 'to: 90') });
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    commit({ 'flagwright.yaml': `${config}manifests: [other/*.yaml]\n` });
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 50, search: 10 });
    commit({ 'flagwright.yaml': `${config}manifests: [gone/*.yaml]\n` });
    expect(await runAt(5, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 100, search: 10 });
  });

  test('is refused for another project than the one to which the commit was applied', async () => {
    const { commit, runAt, world } = await begun(STEPPED);
    commit({ 'flagwright.yaml': CONFIG.replaceAll('$HOST', world.url).replace('"1"', '"2"') });
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain('was applied to another host or project_id than the configuration has now');
  });

  test('is refused where the remote that shares the record cannot be read: other steps may have been applied', async () => {
    const { git, runAt, percentages } = await timedStage(STEPPED, { config: `${CONFIG}base: { push: origin }\n` });
    git('remote', 'add', 'origin', `file://${createBare().root}`);
    for (const hours of [0, 1]) expect(await runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect((await runAt(1.5, 'apply', '--due')).stdout).toContain('Nothing to apply');
    git('remote', 'set-url', 'origin', 'file:///nowhere');
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain('another clone may have applied a newer commit');
    expect(await percentages()).toMatchObject({ checkout: 10 });
  });
});
