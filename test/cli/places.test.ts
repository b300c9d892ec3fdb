/** How reports name files: text from the folder of the configuration, lists beside the lines of files from the top of the repository. */

// @module-tag untimely
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRepository } from '../helpers/repository.ts';
import { runCli } from '../helpers/run.ts';
import { SENTENCES, workflowCommands } from '../helpers/readers.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { elementsOf, parseXml } from '../helpers/xml.ts';

const FILES = {
  'ops/flagwright.yaml': `projects:
  local: { service: embedded }
protected: ['a ']
exceptions: yes.yaml
policies:
  rules:
    - rule: naming
      patterns: ['shop-*']
`,
  'ops/flags/main.yaml': 'flags:\n  search: { active: true }\n',
  'ops/yes.yaml': `exceptions:
  - { rule: naming, keys: [old], reason: a, granted_by: ann, until: 2020-01-01 }
`,
  'ops/tests/search.yaml': 'expect:\n  - person: { id: ada }\n    flags: { search: false }\n',
};

/** Where the command runs, and how it finds the configuration; `ROOT` and `ELSEWHERE` stand for the repository and another folder. */
const RUNS: readonly (readonly [where: string, cwd: string, config: readonly string[]])[] = [
  ['in the folder of the configuration', 'ROOT/ops', []],
  ['in a folder below it', 'ROOT/ops/flags', []],
  ['at the top, with -c', 'ROOT', ['-c', 'ops/flagwright.yaml']],
  ['in another folder, with -c', 'ROOT/src', ['-c', '../ops/flagwright.yaml']],
  ['outside of the repository, with -c', 'ELSEWHERE', ['-c', 'ROOT/ops/flagwright.yaml']],
];

interface Located {
  readonly uri: string;
}

/** The files that a document names, of its remarks in their order. */
const FILES_IN: Readonly<Record<string, (text: string) => readonly (string | undefined)[]>> = {
  github: (text) => workflowCommands(text).map(({ properties }) => properties['file']),
  gitlab: (text) => (JSON.parse(text) as { location: { path: string } }[]).map(({ location }) => location.path),
  junit: (text) => elementsOf(parseXml(text), 'testcase').map(({ attributes }) => attributes['classname']),
  sarif: (text) => {
    const { runs } = JSON.parse(text) as {
      runs: { results: { locations: { physicalLocation: { artifactLocation: Located } }[] }[] }[];
    };
    const locations = runs.flatMap(({ results }) => results.flatMap((result) => result.locations));
    return locations.map(({ physicalLocation }) => physicalLocation.artifactLocation.uri);
  },
};

describe.each(RUNS)('a run %s', (_, cwd, config) => {
  function start(): (...argv: string[]) => Promise<string> {
    const { root } = createRepository(FILES);
    const elsewhere = createWorkspace().root;
    mkdirSync(path.join(root, 'src'));
    const at = (text: string): string => text.replace('ROOT', root).replace('ELSEWHERE', elsewhere);
    return async (...argv) => (await runCli([...argv, ...config.map(at)], { cwd: at(cwd), env: {} })).stdout;
  }

  test.each(['github', 'gitlab', 'sarif', 'junit'] as const)('names files from the top in %s', async (format) => {
    const run = start();
    const text = await run('plan', '-f', format);
    expect(FILES_IN[format]?.(text)).toEqual(expect.arrayContaining(['ops/flags/main.yaml', 'ops/yes.yaml']));
    expect(SENTENCES[format](text).join('\n')).toContain('Rule: ops/flagwright.yaml:7:7.');
    expect(FILES_IN[format]?.(await run('test', '-f', format))).toContain('ops/tests/search.yaml');
    expect(FILES_IN[format]?.(await run('validate', '-f', format))).toContain('ops/flagwright.yaml');
  });

  test('names files from the folder of the configuration in text', async () => {
    const text = await start()('plan');
    expect(text).toContain('search  flags/main.yaml:2:3');
    expect(text).toContain('Rule: flagwright.yaml:7:7.');
  });
});

test('a file outside of the checkout of the job is named by the way to it', async () => {
  const { root } = createRepository(FILES);
  const env = { GITHUB_WORKSPACE: path.join(root, 'src') };
  const { stdout } = await runCli(['plan', '-f', 'github'], { cwd: path.join(root, 'ops'), env });
  expect(FILES_IN['github']?.(stdout)).toContain('../ops/flags/main.yaml');
});

test('without a repository, files are named from the working directory', async () => {
  const { root } = createWorkspace(FILES);
  const { stdout } = await runCli(['plan', '-f', 'github', '-c', 'ops/flagwright.yaml'], { cwd: root, env: {} });
  expect(FILES_IN['github']?.(stdout)).toContain('ops/flags/main.yaml');
});
