import { expect, test } from 'vitest';
import {
  declaredCohorts,
  declaredKeys,
  findNamedFiles,
  parseManifest,
  readManifestYaml,
  readManifests,
  resolveManifests,
  resolveProject,
} from '../../../src/posthog/manifests/manifests.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const filters = '{ properties: { type: AND, values: [{ key: plan, type: person, value: pro }] } }';
const TEXT = `flags:
  a: { only_in: [staging], rollout_percentage: 5 }
  b: { rollout_percentage: 5 }
cohorts:
  pros: { name: Pros, filters: ${filters} }
  local: { name: Local, only_in: [staging], filters: ${filters} }
early_access:
  fresh: { flag: b, stage: beta, only_in: [staging] }
`;
const ALL = ['production', 'staging'];
const project = (name: string, more: Partial<Project> = {}): Project => ({ name, roles: {}, cohorts: {}, ...more });

test('the keys that files declare are those of one family, and cohorts those of one project', () => {
  const files = [TEXT, 'flags: { b: { active: true }, c: { active: true } }'].map(
    (text, index) => parseManifest(`${index}.yaml`, text).file,
  );
  expect([...declaredKeys(files, 'flags')]).toEqual(['a', 'b', 'c']);
  expect([...declaredKeys(files, 'cohorts')]).toEqual(['pros', 'local']);
  expect([...declaredCohorts(files, { name: 'production' })]).toEqual(['pros']);
  expect([...declaredCohorts(files, { name: 'staging' })]).toEqual(['pros', 'local']);
});

test('what is declared for other projects only is named, by family', () => {
  const { file } = parseManifest('flags.yaml', TEXT);
  expect(resolveManifests([file], project('production'), ALL).desired.namedElsewhere).toEqual({
    flags: ['a'],
    cohorts: ['local'],
    early_access: ['fresh'],
  });
  expect(resolveManifests([file], project('staging'), ALL).desired).not.toHaveProperty('namedElsewhere');
});

test('a project that does not exist is reported in every family', () => {
  const text = TEXT.replaceAll('only_in: [staging]', 'only_in: [stagin]');
  const { diagnostics } = resolveManifests([parseManifest('flags.yaml', text).file], project('production'), ALL);
  expect(diagnostics.map(({ code, path }) => `${code} ${path}`)).toEqual([
    'project-unknown /flags/a/only_in/0',
    'project-unknown /cohorts/local/only_in/0',
    'project-unknown /early_access/fresh/only_in/0',
  ]);
});

test('a declaration of one file is checked against those of all, whatever the order of files', () => {
  const texts = ['early_access: { fresh: { flag: late, stage: beta } }', 'flags: { late: { active: true } }'];
  const files = texts.map((text, index) => parseManifest(`${index}.yaml`, text).file);
  for (const ordered of [files, files.toReversed()]) {
    const { desired, diagnostics } = resolveManifests(ordered, project('production'), ALL);
    expect([diagnostics, desired.early_access?.length]).toEqual([[], 1]);
  }
});

test('the same files are resolved once for an equal project, and again for any other', () => {
  const { file } = parseManifest('flags.yaml', TEXT);
  const own = project('production', { roles: { growth: 'r1' }, cohorts: { staff: 1 } });
  const input = { files: [file], project: own, allProjects: ALL };
  const same = {
    files: [file],
    allProjects: [...ALL],
    project: { ...own, roles: { growth: 'r1' }, cohorts: { staff: 1 } },
  };
  expect(resolveProject(same)).toBe(resolveProject(input));
  const others = [
    { ...input, project: project('staging', { roles: own.roles, cohorts: own.cohorts }) },
    { ...input, project: { ...own, roles: { growth: 'r2' } } },
    { ...input, project: { ...own, cohorts: { staff: 2 } } },
    { ...input, project: { ...own, ownership: [] } },
    { ...input, allProjects: ['production'] },
    { ...input, allProjects: [...ALL, 'test'] },
    { ...input, files: [parseManifest('flags.yaml', `${TEXT}#`).file] },
    { ...input, files: [file, parseManifest('other.yaml', '').file] },
  ];
  for (const other of others) expect(resolveProject(other)).not.toBe(resolveProject(input));
});

test('the three that were resolved last are known', () => {
  const inputs = ['a', 'b', 'c', 'd'].map((key) => ({
    files: [parseManifest('flags.yaml', `flags: { ${key}: { active: true } }`).file],
    project: project('production'),
    allProjects: ALL,
  }));
  const first = inputs.map((input) => resolveProject(input));
  const again = inputs.slice(1).map((input) => resolveProject(input));
  expect(again.map((one, index) => one === first[index + 1])).toEqual([true, true, true]);
  expect(resolveProject(inputs[0] as (typeof inputs)[0])).not.toBe(first[0]);
});

test('what changes over time is resolved for each time, and other files are not', () => {
  const moment = (now: number): NonNullable<Project['moment']> => ({
    now,
    progress: [],
    reach: 'planned',
    every: 900_000,
  });
  const steps = 'flags: { a: { rollout_percentage: { steps: [{ at: 2026-12-01T09:00:00Z, to: 10 }] } } }';
  for (const [text, isSame] of [
    [TEXT, true],
    [steps, false],
  ] as const) {
    const { file } = parseManifest('flags.yaml', text);
    const at = (now: number): unknown =>
      resolveProject({ files: [file], project: project('production', { moment: moment(now) }), allProjects: ALL });
    expect(at(Date.parse('2026-01-01')) === at(Date.parse('2027-01-01'))).toBe(isSame);
  }
});

test('of several files, one that changes over time is enough, and at one time all are resolved once', () => {
  const now: NonNullable<Project['moment']> = { now: 0, progress: [], reach: 'planned', every: 900_000 };
  const steps = 'flags: { s: { rollout_percentage: { steps: [{ at: 2026-12-01T09:00:00Z, to: 10 }] } } }';
  const files = [TEXT, steps].map((text, index) => parseManifest(`${index}.yaml`, text).file);
  const at = (moment: typeof now): unknown =>
    resolveProject({ files, project: project('production', { moment }), allProjects: ALL });
  const first = at(now);
  expect(at(now)).toBe(first);
  expect(at({ ...now })).not.toBe(first);
});

test('without declarations, nothing is desired', () => {
  const { file } = parseManifest('flags.yaml', '');
  expect(resolveManifests([file], project('production'), ALL)).toEqual({ desired: { flags: [] }, diagnostics: [] });
  expect(resolveManifests([], project('production'), ALL)).toEqual({ desired: { flags: [] }, diagnostics: [] });
});

test('files on disk are read with their problems, and name further files', async () => {
  const { root } = createWorkspace({
    'flags/a.yaml': 'flags: { a: { payload_schema: schemas/a.json }, b: 7 }\n',
    'flags/schemas/a.json': '{}',
  });
  const options = { root, patterns: ['flags/*.yaml'] };
  const { files, diagnostics } = await readManifests(options);
  expect([files.map(({ file }) => file), diagnostics.map(({ code }) => code)]).toEqual([
    ['flags/a.yaml'],
    ['type-wrong'],
  ]);
  expect(await findNamedFiles(root, options.patterns)).toEqual(['flags/schemas/a.json']);
});

test('as YAML, a manifest has the mistakes of its syntax alone', () => {
  expect(readManifestYaml('a.yaml', 'flags: { a: 7 }').diagnostics).toEqual([]);
  expect(readManifestYaml('a.yaml', 'flags: { a: 7').diagnostics).not.toEqual([]);
  expect(readManifestYaml('a.yaml', 'flags: { a: 7 }').documents).toMatchObject([{ value: { flags: { a: 7 } } }]);
});
