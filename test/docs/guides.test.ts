/** Every command that a page shows is a command line that flagwright accepts, and every manifest that it shows is valid. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands/all-commands.ts';
import { parseCommandLine } from '../../src/cli/line/command-line.ts';
import { problems, PRODUCTION } from '../core/manifest/check.ts';

const PAGES = [
  'README.md',
  'examples/ci/README.md',
  'templates/skill.md',
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

/** Commands that a coding agent must not run by itself. */
const WRITING = ['apply', 'off', 'undo'];

test('the skill for coding agents names commands that exist in its sentences too, and shows none that writes', async () => {
  const text = readFileSync('templates/skill.md', 'utf8');
  expect(listCommands(text).filter((line) => WRITING.includes(line.split(' ')[0] ?? ''))).toEqual([]);
  const named = [...text.matchAll(/`npx flagwright ([^`]+)`/g)].map(([, line = '']) => line.replaceAll('\n', ' '));
  expect(named.map((line) => line.split(' ')[0])).toEqual(expect.arrayContaining(WRITING));
  for (const line of named) {
    const words = splitWords(line.replace('COMMAND', 'plan'));
    expect([line, parseCommandLine(words, await allCommands(words)).kind]).not.toContain('wrong');
  }
  expect(text.trimEnd().split('\n').length).toBeLessThan(170);
  expect(text).toMatch(/^---\nname: flagwright\ndescription: .{1,1024}\n---\n/);
});

const GUIDES = ['docs/adopting.md', 'docs/clicks.md', 'docs/daily-work.md', 'docs/editor.md', 'templates/skill.md'];

test.each(GUIDES)('%s shows manifests that are valid', (page) => {
  const examples = [...readFileSync(page, 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
  const manifests = examples.filter((example) => /^flags:/m.test(example));
  const moment = { now: Date.parse('2027-01-01'), progress: [], reach: 'planned', every: 900_000 } as const;
  expect(manifests.flatMap((example) => problems(example, { ...PRODUCTION, moment }))).toEqual([]);
});
