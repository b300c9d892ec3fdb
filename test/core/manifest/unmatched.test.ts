import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifests } from '../../../src/posthog/manifests/manifests.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const FLAGS = 'flags:\n  f: {}\n';

/** The unmatched files that reading reports, as `severity file:line`. */
async function unmatched(
  files: Readonly<Record<string, string>>,
  patterns: readonly string[] = ['flags/**/*.yaml'],
): Promise<string[]> {
  const { root } = createWorkspace({ 'flags/a.yaml': FLAGS, ...files });
  const { diagnostics } = await readManifests({ root, patterns, reportUnmatched: true });
  return diagnostics.flatMap(({ code, severity, place }) =>
    code === 'file-unmatched' && place !== undefined ? [`${severity} ${place.file}:${place.line}`] : [],
  );
}

describe('a warning names', () => {
  it.each<[string, Readonly<Record<string, string>>, (readonly string[])?]>([
    ['flags/b.yml', { 'flags/b.yml': FLAGS }],
    ['flags/B.YAML', { 'flags/B.YAML': FLAGS }],
    ['flags/team/b.yml', { 'flags/team/b.yml': FLAGS }],
    ['flags/team/b.yaml', { 'flags/team/b.yaml': FLAGS }, ['flags/*.yaml']],
    ['b.yaml', { 'b.yaml': FLAGS, 'c.flags.yaml': FLAGS }, ['**/*.flags.yaml']],
    ['flags/b.yaml', { 'flags/b.yaml': FLAGS }, ['flags/a.yaml']],
    ['flags/teams/x/b.yml', { 'flags/teams/x/b.yml': FLAGS }, ['flags/a.yaml', 'flags/teams/x/*.yaml']],
    ['flags/b.yml', { 'flags/b.yml': '"flags": { f: {} }\r\n' }],
  ])('%s', async (name, files, patterns) => {
    expect(await unmatched(files, patterns)).toEqual([`warning ${name}:1`]);
  });

  it('the line of `flags`', async () => {
    expect(await unmatched({ 'flags/b.yml': `# a comment\nx-a: 1\n${FLAGS}` })).toEqual(['warning flags/b.yml:3']);
  });

  it('files where nothing matches', async () => {
    const { root } = createWorkspace({ 'flags/a.yml': FLAGS });
    const { diagnostics } = await readManifests({ root, patterns: ['flags/*.yaml'], reportUnmatched: true });
    expect(diagnostics.map(({ code }) => code)).toEqual(['manifests-none', 'file-unmatched']);
    expect(diagnostics[1]?.args).toEqual({ patterns: ['flags/*.yaml'] });
  });
});

describe('no warning names', () => {
  it.each<[string, Readonly<Record<string, string>>, (readonly string[])?]>([
    ['a file without flags', { 'flags/b.yml': 'x: { flags: {} }\ntext: |\n  flags:\n' }],
    ['a file that is not YAML', { 'flags/b.txt': FLAGS, 'flags/b.yaml.bak': FLAGS }],
    ['a file that a pattern excludes', { 'flags/drafts/b.yaml': FLAGS }, ['flags/**/*.yaml', '!flags/drafts/**']],
    ['a hidden file or folder', { 'flags/.b.yml': FLAGS, 'flags/.git/b.yml': FLAGS }],
    ['a dependency', { 'flags/node_modules/b.yml': FLAGS }],
    ['a file of another configuration', { 'flags/other/flagwright.yaml': '', 'flags/other/b.yml': FLAGS }],
    ['a file below the folder of a named manifest', { 'flags/deep/b.yaml': FLAGS }, ['flags/a.yaml']],
    ['a file elsewhere', { 'docs/b.yml': FLAGS, 'b.yml': FLAGS }],
    ['a file in a folder without manifests', { 'src/b.yaml': FLAGS }, ['**/*.flags.yaml', 'flags/a.yaml']],
  ])('%s', async (_, files, patterns) => {
    expect(await unmatched(files, patterns)).toEqual([]);
  });

  it('anything unless it is asked for', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': FLAGS, 'flags/b.yml': FLAGS });
    expect((await readManifests({ root, patterns: ['flags/*.yaml'] })).diagnostics).toEqual([]);
  });

  it('files beyond the folders that are searched', async () => {
    const { root, write } = createWorkspace({ 'flags/a.yaml': FLAGS });
    for (let index = 0; index < 1_100; index += 1) mkdirSync(path.join(root, 'flags', `f${index}`));
    write('flags/z/b.yml', FLAGS);
    const { diagnostics } = await readManifests({ root, patterns: ['flags/**/*.yaml'], reportUnmatched: true });
    expect(diagnostics).toEqual([]);
  });
});
