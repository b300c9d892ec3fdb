/** Guards under attack: several projects in one run, records that somebody forged, files and words that nobody should trust. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, REF } from '../helpers/git-stage.ts';
import { begunGuarded, GIVEN, guardedBy, verdict } from '../helpers/guarded.ts';
import { committing, membersOf, severalProjects } from '../helpers/several-projects.ts';
import { START, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const MANIFEST = guardedBy('budget');
const GUARDS = 'guards:\n  budget: { verdict: error-budget, patience: 3h }\n';
const config = `${CONFIG}${GUARDS}`;
const begun = (): Promise<TimedStage> => begunGuarded(config);

describe('several projects in one run', () => {
  const guards = GUARDS.replace('patience', 'projects: [eu], patience');

  test.each([
    ['holds', verdict('hold', 5), 0, 0],
    ['cannot be read', '{', 3, 3],
  ])('a guard of one of them that %s holds that one, and the other makes its step', async (_, text, ofEu, code) => {
    let now = START;
    const clock = { now: () => new Date(now) };
    const here = await severalProjects(
      { staging: '', eu: '' },
      { settings: guards, manifest: MANIFEST, worlds: { staging: clock, eu: clock } },
    );
    const { env } = committing(here);
    const run = async (hours: number, ...argv: string[]): ReturnType<typeof here.run> => {
      now = START + hours * 3_600_000;
      return here.runWith({ env, now }, ...argv);
    };
    here.write('verdicts.json', verdict('pass', 1));
    for (const hours of [0, 1]) expect((await run(hours, 'apply', '--all-projects', '--yes', ...GIVEN)).code).toBe(0);
    here.write('verdicts.json', text);
    const ran = await run(5, 'apply', '--due', '--all-projects', ...GIVEN, '-f', 'json');
    expect([ran.code, membersOf(ran)]).toMatchObject([code, { staging: { exit: 0 }, eu: { exit: ofEu } }]);
    const percentage = async (name: 'staging' | 'eu'): Promise<unknown> =>
      (await here.worlds[name].client.listFlags())[0]?.filters?.groups?.[0]?.rollout_percentage;
    expect([await percentage('staging'), await percentage('eu')]).toEqual([50, 10]);
  });
});

describe('a record that somebody forged', () => {
  const forge = ({ git, write }: TimedStage, edit: (record: string) => string): void => {
    write('record.json', `${edit(git('cat-file', 'commit', REF))}\n`);
    git('update-ref', REF, git('hash-object', '-t', 'commit', '-w', '--no-filters', 'record.json').trim());
  };

  test('says that a verdict let the next step through: that step asks all the same', async () => {
    const staged = await begun();
    const { write, runAt, percentages, git } = staged;
    forge(staged, (record) => record.replace(/("says":"pass","at":")[^"]*/, '$12026-12-01T13:00:00.000Z'));
    expect(git('cat-file', 'commit', REF)).toContain('let_through');
    write('verdicts.json', verdict('hold', 5));
    expect(await runAt(5, 'apply', '--due', ...GIVEN)).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 10 });
  });

  test('says that the step before was never made: no verdict of before it lets the next one through', async () => {
    const staged = await begun();
    const { runAt, percentages } = staged;
    forge(staged, (record) => record.replace('"step":0', '"step":-1'));
    for (const hours of [1.1, 5, 5.2])
      expect(await runAt(hours, 'apply', '--due', ...GIVEN)).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 10 });
  });

  test('is that of a former run: no verdict of before its step lets the next one through', async () => {
    const { git, runAt, write, percentages } = await timedStage(MANIFEST, { config });
    write('verdicts.json', verdict('pass', 1));
    expect(await runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
    const former = git('rev-parse', REF).trim();
    expect(await runAt(1, 'apply', '--due', ...GIVEN)).toMatchObject({ code: 0 });
    git('update-ref', REF, former);
    for (const hours of [5, 5.2]) await runAt(hours, 'apply', '--due', ...GIVEN);
    expect(await percentages()).toEqual({ checkout: 10 });
  });
});

describe('a file of verdicts that is none', () => {
  const passing = verdict('pass', 5);
  test.each<readonly [what: string, arrange: (root: string) => void]>([
    ['is a folder', (root) => void execFileSync('mkdir', [path.join(root, 'given.json')])],
    ['is a link to itself', (root) => symlinkSync('given.json', path.join(root, 'given.json'))],
    ['is a link to a device without end', (root) => symlinkSync('/dev/zero', path.join(root, 'given.json'))],
    ['is a device without content', (root) => symlinkSync('/dev/null', path.join(root, 'given.json'))],
    ['has 20 MB', (root) => write(root, `${passing}${' '.repeat(20_000_000)}`)],
    ['is nested 100,000 times', (root) => write(root, `${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ['names itself', (root) => write(root, 'verdicts: &a [*a]')],
    ['has other bytes than text', (root) => write(root, Buffer.from([0xff, 0xfe, 0x00, 0x31]))],
    ['has two documents', (root) => write(root, `${passing}\n---\n${passing}`)],
    ['has another member', (root) => write(root, passing.replace('{', '{"pass": true, '))],
    ['has a time that is a number', (root) => write(root, passing.replace(/"at":"[^"]*"/, '"at":1796130000'))],
  ])('%s: the step waits, and the run is no success', async (_, arrange) => {
    const { root, runAt, percentages } = await begun();
    arrange(root);
    const ran = await runAt(5, 'apply', '--due', '--verdicts', 'given.json');
    expect([ran.code, ran.stdout]).toEqual([3, expect.stringContaining('the file of `--verdicts` cannot be read')]);
    expect(await percentages()).toEqual({ checkout: 10 });
  });

  test('a link to a file that is one is followed', async () => {
    const { root, runAt, percentages, write: save } = await begun();
    save('real.json', passing);
    symlinkSync('real.json', path.join(root, 'given.json'));
    expect(await runAt(5, 'apply', '--due', '--verdicts', 'given.json')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 50 });
  });
});

function write(root: string, content: string | Buffer): void {
  writeFileSync(path.join(root, 'given.json'), content);
}

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(2)</script>',
  '[click](javascript:alert(3)) **bold** @everyone <!channel> | a | b |',
  '::error::owned\n::set-output name=x::y',
  '##vso[task.setvariable variable=x]y',
  '\u001b[31mred\u202Etxt',
].join(' ');

test('the reason of a verdict is text in every report', async () => {
  const { runAt, write: save } = await begun();
  save('verdicts.json', verdict('hold', 5, HOSTILE));
  const out = path.join(mkdtempSync(path.join(tmpdir(), 'flagwright-hostile-')), 'out');
  const forms = ['markdown', 'html', 'message', 'slack', 'teams', 'github', 'gitlab', 'junit', 'sarif'];
  const found: string[] = [];
  for (const argv of [['drift'], ['apply', '--due'], ['plan']]) {
    const reports = forms.flatMap((form) => ['--report', `${form}=${out}.${form}`]);
    const ran = await runAt(9, ...argv, ...GIVEN, ...reports);
    const texts: [string, string][] = [
      ['stdout', ran.stdout],
      ['stderr', ran.stderr],
      ...forms.map((form): [string, string] => [form, readFileSync(`${out}.${form}`, 'utf8')]),
      ['html', (await runAt(9, 'catalog', '-f', 'html', ...GIVEN)).stdout],
    ];
    for (const [form, text] of texts) {
      const where = `${argv.join(' ')} ${form}`;
      if (/^::(?:error::owned|set-output)/m.test(text)) found.push(`${where}: a command of the log`);
      if (/##vso\[/.test(text)) found.push(`${where}: a command of Azure`);
      if (['\u001b[31mred', '\u202e'].some((one) => text.includes(one))) found.push(`${where}: a hidden character`);
      if (form === 'html' && /<img src=x|<script>alert\(2\)/.test(text)) found.push(`${where}: an element`);
      if (['slack'].includes(form) && text.includes('<!channel>')) found.push(`${where}: a mention`);
      if (form === 'junit' && /<img src=x/.test(text)) found.push(`${where}: an element`);
    }
  }
  expect(found).toEqual([]);
});

test('a step that waits for too long is named in every list of findings', async () => {
  const { runAt, write: save } = await begun();
  save('verdicts.json', verdict('hold', 5, '4% of requests fail'));
  for (const form of ['github', 'gitlab', 'junit', 'sarif']) {
    const ran = await runAt(9, 'drift', ...GIVEN, '-f', form);
    expect([form, ran.code, ran.stdout]).toEqual([form, 2, expect.stringContaining('checkout')]);
    expect([form, ran.stdout]).toEqual([form, expect.stringContaining('budget holds')]);
  }
});
