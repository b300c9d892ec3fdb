/** Runs over several projects say each thing once. */

import { expect, test } from 'vitest';
import { severalProjects } from '../helpers/several-projects.ts';

const ALL = '--all-projects';
const THREE = { staging: '', eu: ', after: [staging]', alone: '' };
const KEYLESS = { env: { KEY_STAGING: '' } };
const WORDS = /The environment variable KEY_STAGING is not set/g;
const times = (text: string, words: RegExp): number => text.match(words)?.length ?? 0;

test('apply --verbose shows each plan once', async () => {
  const { run } = await severalProjects({ staging: '', eu: '' });
  const { code, stderr } = await run('apply', ALL, '--yes', '--verbose');
  expect([code, times(stderr, /^Plan for eu \(/gm), times(stderr, /^Plan for staging \(/gm)]).toEqual([0, 1, 1]);
});

test('apply --verbose of saved plans shows each once', async () => {
  const { run } = await severalProjects({ staging: '', eu: '' });
  await run('plan', ALL, '--out', 'plans.json');
  const { code, stderr } = await run('apply', 'plans.json', '--verbose');
  expect([code, times(stderr, /^Plan for eu \(/gm)]).toEqual([0, 1]);
});

test.each([[['plan']], [['drift']], [['apply', '--yes']]])(
  '%j tells a failure once where the text tells it',
  async (argv) => {
    const { runWith } = await severalProjects(THREE);
    const text = await runWith(KEYLESS, ...argv, ALL);
    expect([times(text.stdout, WORDS), times(text.stderr, WORDS), times(text.stderr, /^error/gm)]).toEqual([1, 0, 0]);
    // Nothing else says it on the terminal.
    for (const more of [
      ['-f', 'json'],
      ['--output', 'report.txt'],
    ]) {
      const { stderr } = await runWith(KEYLESS, ...argv, ALL, ...more);
      expect([more, times(stderr, WORDS)]).toEqual([more, 1]);
    }
  },
);
