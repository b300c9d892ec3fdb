/** Every command that a page shows is a command line that flagwright accepts, and every manifest that it shows is valid. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands/all-commands.ts';
import { parseCommandLine } from '../../src/cli/line/command-line.ts';
import { problems } from '../core/manifest/check.ts';

const PAGES = [
  'README.md',
  'examples/ci/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** The lines of console and shell blocks that call flagwright, without the prompt and without what the shell does. */
function listCommands(text: string): string[] {
  const blocks = [...text.matchAll(/```(?:console|sh|bash)\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.split('\n'))
    .map((line) => /^\s*(?:\$ )?(?:npx )?flagwright (.+)$/.exec(line)?.[1])
    .filter((line) => line !== undefined)
    .map((line) => line.replace(/\s+#.*$/, '').replace(/\s*(?:\||>|&&|2>).*$/, ''));
}

/** Words as a shell splits them: quotes group, and stand for themselves nowhere. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/['"]/g, ''));
}

const SHOWN = PAGES.map((page) => [page, [...new Set(listCommands(readFileSync(page, 'utf8')))]] as const);

describe.each(SHOWN.filter(([, commands]) => commands.length > 0))('%s', (_, commands) => {
  test('shows commands that exist, with options that they have', async () => {
    const refused: string[] = [];
    for (const command of commands) {
      const words = splitWords(command);
      const parsed = parseCommandLine(words, await allCommands(words));
      if (parsed.kind === 'wrong') refused.push(`${command}: ${parsed.error.message}`);
    }
    expect(refused).toEqual([]);
  });
});

const GUIDES = ['docs/adopting.md', 'docs/clicks.md', 'docs/daily-work.md', 'docs/editor.md'];

test.each(GUIDES)('%s shows manifests that are valid', (page) => {
  const examples = [...readFileSync(page, 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
  const manifests = examples.filter((example) => /^flags:/m.test(example));
  expect(manifests.flatMap((example) => problems(example))).toEqual([]);
});
