/** The catalogue under strings of an attacker in every place that takes them, and under a service that fails in the middle of its pages. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { CHROMIUM, openBrowser } from '../../helpers/browser.ts';
import { git } from '../../helpers/repository.ts';
import { flagIn, stage, viewOf } from './stage.ts';

const ATTACK = `</script></summary><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"'\u202e`;
const EVERYONE: JsonObject = { properties: [], rollout_percentage: 100 };

test.skipIf(CHROMIUM === undefined)(
  'nothing of an attacker becomes an element, and long strings stay text',
  async () => {
    const property = { key: ATTACK, type: 'person', operator: 'exact', value: [ATTACK, 'x'.repeat(100_000)] };
    const live = [
      {
        key: 'plain',
        name: ATTACK,
        tags: [ATTACK, `team:${ATTACK}`],
        filters: { groups: [{ properties: [property] }] },
      },
      // Services of old let a key have any characters.
      { key: ATTACK, name: `${'long '.repeat(20_000)}\u0000`, filters: { groups: [EVERYONE] } },
    ];
    const { run, work, world } = await stage(live, {
      'tests/people.yaml': `people:\n  ${JSON.stringify(ATTACK)}: { properties: { country: DE } }\n`,
      'flags/a.yaml': `flags:\n  plain: { description: ${JSON.stringify(ATTACK)}, active: true, rollout_percentage: 100 }\n`,
    });
    git(work.root, 'checkout', '--quiet', '-b', '"><script>window.hacked=1</script>');
    work.write('flags/a.yaml', 'flags:\n  plain: { active: true, rollout_percentage: 50 }\n');
    git(
      work.root,
      '-c',
      `user.name=${ATTACK.replaceAll(/[<>]/g, '')}`,
      'commit',
      '--all',
      '--quiet',
      '--message',
      ATTACK,
    );
    await world.edit('plain', { active: false });
    const view = viewOf(await run('-f', 'json'));
    expect(flagIn(view, 'plain').owner?.name).toContain('window.hacked');
    const { stdout, code } = await run('-f', 'html');
    expect(code).toBe(0);
    expect(stdout.split('<script>')).toHaveLength(2);
    for (const hidden of ['\u0000', '\u202e']) expect(stdout).not.toContain(hidden);
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'catalog-attacks-')), 'page.html');
    writeFileSync(file, stdout);
    const browser = await openBrowser(CHROMIUM ?? '');
    onTestFinished(async () => browser.close());
    for (const hash of ['', `#flag=${encodeURIComponent(ATTACK)}`, `#q=${encodeURIComponent(ATTACK)}`, `#${ATTACK}`]) {
      await browser.open('about://blank', { width: 400 });
      await browser.open(`file://${file}${hash}`, { width: 400 });
      const seen = await browser.evaluate<readonly unknown[]>(
        `[typeof window.hacked, document.images.length, document.querySelectorAll('script').length, document.querySelectorAll('details[id]').length]`,
      );
      expect(seen).toEqual(['undefined', 0, 1, 2]);
    }
  },
);

const MANY = Array.from({ length: 600 }, (_, index) => ({ key: `flag-${index}`, filters: { groups: [EVERYONE] } }));
const SECOND = { operation: 'listFlags' };

test.each<[string, JsonObject]>([
  ['cut', { match: SECOND, from: 2, truncate: {} }],
  ['500', { match: SECOND, from: 2, answer: { status: 500 } }],
  ['429', { match: SECOND, from: 2, answer: { status: 429, retry_after: 1 } }],
  ['slow', { match: SECOND, from: 2, latency: { ms: 1500 } }],
])('a second page of flags that is %s once is read again, and nothing is missing', async (_, fault) => {
  const { run } = await stage(MANY, {}, { faults: { faults: [fault] } as JsonValue });
  const ran = await run('-f', 'json');
  expect(ran.code).toBe(0);
  expect(
    viewOf(ran).flags.filter(({ key, states: [state] }) => key.startsWith('flag-') && state?.word === 'all'),
  ).toHaveLength(600);
});

test('a second page that never comes leaves no half of a project', async () => {
  const fault = { match: SECOND, from: 2, count: 1000, answer: { status: 500 } };
  const { run } = await stage(MANY, {}, { faults: { faults: [fault] } as JsonValue });
  const ran = await run('-f', 'json', '--deadline', '20s');
  expect([ran.code, Object.keys(ran.document())]).toEqual([1, ['format_version', 'error']]);
});

test.each<[string, JsonObject, string]>([
  [
    'schedules',
    { operation: 'listScheduledChanges' },
    'Scheduled changes are missing for production: the request failed.',
  ],
  [
    'activity',
    { path: '**/feature_flags/activity' },
    'Changes made in PostHog are missing for production: the activity log',
  ],
])('%s that are cut each time are a note, and the flags are shown', async (_, match, words) => {
  const faults = { faults: [{ match, count: 1000, truncate: {} }] } as JsonValue;
  const { run } = await stage(undefined, {}, { faults });
  const ran = await run('-f', 'json', '--deadline', '20s');
  const view = viewOf(ran);
  expect(view.notes.map((note) => note.words).join('\n')).toContain(words);
  expect(flagIn(view, 'germany').states[0]?.word).toBe('some');
});

const COHORTS = { operation: 'listCohorts' };
/** A flag of each of 150 cohorts, of which manifests declare one. */
const OF_COHORTS = Array.from({ length: 150 }, (_, index) => ({
  key: `of-${index}`,
  filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: index + 100 }] }] },
}));
const DECLARED = {
  'flags/cohorts.yaml':
    'cohorts:\n  Power: { filters: { properties: { type: AND, values: [{ type: AND, values: [{ type: person, key: plan, operator: exact, value: [pro] }] }] } } }\n',
};

test.each<[string, JsonObject]>([
  ['cut', { match: COHORTS, from: 2, truncate: {} }],
  ['500', { match: COHORTS, from: 2, answer: { status: 500 } }],
  ['429', { match: COHORTS, from: 2, answer: { status: 429, retry_after: 1 } }],
  ['slow', { match: COHORTS, from: 2, latency: { ms: 1500 } }],
])('a second page of cohorts that is %s once is read again, and nothing is missing', async (_, fault) => {
  const { run, asked } = await stage(OF_COHORTS, DECLARED, { faults: { faults: [fault] } as JsonValue });
  const ran = await run('-f', 'json');
  expect(ran.code).toBe(0);
  const seen = viewOf(ran).flags.flatMap(({ key, states }) =>
    key.startsWith('of-') ? states.map(({ word, standing }) => `${word} ${standing}`) : [],
  );
  expect(seen).toEqual(OF_COHORTS.map(() => 'some unmanaged'));
  expect(asked.filter((path) => path.endsWith('/cohorts/')).length).toBeGreaterThan(1);
});

test('a second page of cohorts that never comes leaves no half of a project, and says why', async () => {
  const fault = { match: COHORTS, from: 2, count: 1000, answer: { status: 500 } };
  const { run } = await stage(OF_COHORTS, DECLARED, { faults: { faults: [fault] } as JsonValue });
  const ran = await run('-f', 'json', '--deadline', '20s');
  expect([ran.code, Object.keys(ran.document())]).toEqual([1, ['format_version', 'error']]);
});
