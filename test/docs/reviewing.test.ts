/** docs/reviewing.md and the README: the comment that they show is what the built command prints for the change that the page shows. */

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../helpers/browser.ts';
import { checkPicture } from '../helpers/pictures.ts';

const page = readFileSync('docs/reviewing.md', 'utf8');
const shown = commentIn(page);

let folder = '';
let printed = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flagwright-reviewing-'));
  cpSync('test/fixtures/reviewing', folder, { recursive: true });
  flagwright('apply', '-p', 'production', '--yes', '--quiet');
  appendFileSync(path.join(folder, 'flagwright.yaml'), blockOf('yaml'));
  writeFileSync(path.join(folder, 'change.diff'), blockOf('diff'));
  execFileSync('git', ['apply', 'change.diff'], { cwd: folder });
  const [, command = ''] = /^\$ flagwright (plan .*)$/m.exec(blockOf('console')) ?? [];
  printed = flagwright(...command.split(' '));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the example of a review', () => {
  it('has the real comment', () => {
    expect(shown).toBe(printed.trimEnd());
  });

  it('has its page, with the changes in the order of the picture', () => {
    const html = readFileSync(path.join(folder, 'plan.html'), 'utf8');
    const cards = [...html.matchAll(/<article[\s\S]*?<\/article>/g)].map(([card]) => card);
    const keys = ['express-payment', 'new-checkout', 'gift-cards', 'help-center'];
    expect(cards).toHaveLength(keys.length);
    for (const [index, key] of keys.entries()) expect(cards[index]).toContain(key);
  });

  it.skipIf(CHROMIUM === undefined)('has its picture', async () => {
    const html = path.join(folder, 'plan.html');
    await checkPicture('review-page.png', { html: readFileSync(html, 'utf8'), width: 760, height: 1150 });
  });

  it('is refused by apply, as the comment says', () => {
    const { status } = spawnSync(
      process.execPath,
      [path.resolve('dist/cli/bin.js'), 'apply', '-p', 'production', '--yes'],
      {
        cwd: folder,
      },
    );
    expect(status).toBe(4);
  });
});

describe('the README', () => {
  it('shows lines of that comment, in its order', () => {
    const lines = commentIn(readFileSync('README.md', 'utf8'))
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(5);
    const all = printed.split('\n');
    const found = lines.map((line) => all.indexOf(line));
    expect(lines.filter((_, index) => found[index] === -1)).toEqual([]);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });
});

/** The quotation below the marker of a comment. */
function commentIn(text: string): string {
  const [, quotation = ''] = /<!-- comment -->\n\n((?:>.*\n)+)/.exec(text) ?? [];
  return quotation.replaceAll(/^> ?/gm, '').trimEnd();
}

/** The first block of this language on the page. */
function blockOf(language: string): string {
  const [, block = ''] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page) ?? [];
  return block;
}

function flagwright(...words: readonly string[]): string {
  return execFileSync(process.execPath, [path.resolve('dist/cli/bin.js'), ...words], { cwd: folder, encoding: 'utf8' });
}
