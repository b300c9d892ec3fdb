/** Many flags and many mistakes: the cost is proportional to the size of the files, and checkpoints abort the work. */

import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSyntax } from '../../../src/base/yaml/read.ts';
import { parseManifest, readManifests, resolveProject } from '../../../src/posthog/manifests/manifests.ts';
import { check, problems, PRODUCTION } from './check.ts';

/** The CPU time of the work, which does not depend on other processes. */
function cpuMs(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

it('reads ten thousand flags in one file', () => {
  const text = `flags:\n${Array.from({ length: 10_000 }, (_, index) => `  f-${index}: { rollout_percentage: 10 }\n`).join('')}`;
  const { desired, diagnostics } = check(text);
  expect(diagnostics).toEqual([]);
  expect(desired.flags).toHaveLength(10_000);
});

it('finds each duplicate among ten thousand keys in linear time', () => {
  const text = `flags:\n${Array.from({ length: 10_000 }, (_, index) => `  f-${index % 9_999}: {}\n`).join('')}`;
  expect(problems(text)).toEqual(['error yaml-duplicate-key /flags/f-0']);
});

it('reads an anchor that ten thousand flags merge', () => {
  const text = `x-common: &common { active: true, rollout_percentage: 10 }\nflags:\n${Array.from({ length: 10_000 }, (_, index) => `  f-${index}: *common\n`).join('')}`;
  const { desired, diagnostics } = check(text);
  expect(diagnostics).toEqual([]);
  expect(desired.flags).toHaveLength(10_000);
});

describe('time is bounded', () => {
  const LONG = 'k'.repeat(300);
  const numbered = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => line(index)).join('');
  const condition = (property: string): string => `{ filters: { groups: [{ properties: [${property}] }] } }`;

  it.each([
    [
      'many dependencies on unknown flags with long keys',
      `flags:\n${numbered(600, (index) => `  ${LONG}${index}: ${condition(`{ type: flag, key: ${LONG}x${index}, operator: flag_evaluates_to, value: true }`)}\n`)}`,
    ],
    [
      'unknown flags among many',
      `flags:\n${numbered(5000, (index) => `  some-flag-${index}: {}\n`)}role_access: { support: [${numbered(5000, (index) => `other-flug-${index}, `)}] }\n`,
    ],
    [
      'unknown roles and cohorts',
      `flags:\n${numbered(2000, (index) => `  f${index}: { role_access: [role-${index}], filters: { groups: [{ properties: [{ type: cohort, key: id, operator: in, value: cohort-${index} }] }] } }\n`)}`,
    ],
    [
      'unknown variants and payloads of one flag',
      `flags: { f: { filters: { groups: [${numbered(2000, (index) => `{ variant: wrong-${index} }, `)}], multivariate: { variants: [${numbered(2000, (index) => `{ key: variant-${index}, rollout_percentage: 0.05 }, `)}] }, payloads: { ${numbered(2000, (index) => `payload-${index}: 1, `)} } } } }`,
    ],
    [
      'mistakes in many places of one flag',
      `flags: { f: ${condition(numbered(3000, (index) => `{ key: k, value: ${index}, operator: wrong }, `))} }`,
    ],
    ['mistakes in many flags', `flags:\n${numbered(6000, (index) => `  f${index}: { active: 1 }\n`)}`],
    [
      'one cycle through all flags',
      `flags:\n${numbered(4000, (index) => `  f${index}: ${condition(`{ type: flag, key: f${(index + 1) % 4000}, operator: flag_evaluates_to, value: true }`)}\n`)}`,
    ],
    [
      'many globs over many flags',
      `flags:\n${numbered(5000, (index) => `  flag-${index}: {}\n`)}role_access: { support: [${numbered(30, (index) => `"*-${index}*", `)}"none-*"] }\n`,
    ],
  ])('for %s', (_, text) => {
    const readMs = cpuMs(() => void readSyntax('a.yaml', text, {}));
    let found = 0;
    const checkMs = cpuMs(() => (found = problems(text).length));
    expect(found).toBeGreaterThan(0);
    // Machines differ, so the measure is parsing the same file as YAML.
    expect(checkMs).toBeLessThan(300 + 10 * readMs);
  });
});

describe('a checkpoint', () => {
  const files = ['a', 'b', 'c'].map((key) => parseManifest(`${key}.yaml`, `flags: { ${key}: { active: true } }`).file);

  it('is called for every flag, and aborts the work by throwing', () => {
    let passed = 0;
    const input = { files, project: PRODUCTION, allProjects: [] };
    resolveProject({ ...input, checkpoint: () => (passed += 1) });
    expect(passed).toBeGreaterThanOrEqual(files.length);
    const checkpoint = (): void => {
      passed -= 1;
      if (passed === 2) throw new Error('enough');
    };
    // The same files would not be resolved again.
    const others = files.map((file) => ({ ...file }));
    expect(() => resolveProject({ ...input, files: others, checkpoint })).toThrow('enough');
    expect(passed).toBe(2);
  });

  it('is called for every file and every role', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'flagwright-')));
    onTestFinished(() => rm(root, { recursive: true }));
    for (const { file } of files) await writeFile(join(root, file), '');
    let passed = 0;
    await readManifests({ root, patterns: ['*.yaml'], checkpoint: () => (passed += 1) });
    expect(passed).toBe(files.length);
    const checkpoint = (): void => {
      throw new Error('enough');
    };
    await expect(readManifests({ root, patterns: ['*.yaml'], checkpoint })).rejects.toThrow('enough');
    const { file } = parseManifest('roles.yaml', 'role_access: { support: [], engineering: [] }');
    passed = 0;
    resolveProject({ files: [file], project: PRODUCTION, allProjects: [], checkpoint: () => (passed += 1) });
    expect(passed).toBe(2);
  });
});
