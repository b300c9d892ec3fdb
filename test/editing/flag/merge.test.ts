/** Which declarations a merge may not write as it did: what differs, changes another project, or has an error that it did not have. */

import { expect, test } from 'vitest';
import { toEditingContext } from '../../../src/editing/context.ts';
import { findUnmerged } from '../../../src/editing/flag/merge.ts';
import { readTexts, type ManifestText } from '../../../src/editing/texts.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { liveFlag } from '../../helpers/states.ts';

const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: {} };
const STAGING: Project = { name: 'staging', roles: {}, cohorts: {} };

const A = '  a: { active: true }\n';
const B = '  b: { active: true }\n';
/** With a member that no flag has. A flag that cannot be read is declared for no project. */
const WRONG_A = '  a: { active: true, activ: true }\n';
const WRONG_B = '  b: { active: true, activ: true }\n';
const inProject = (name: string): string => `  b: { active: true, projects: { ${name}: { active: false } } }\n`;

/** Of the project `staging`, which has both flags as they are declared. */
function unmergedOf(projects: readonly Project[], before: string, after: string): readonly string[] {
  const live = { flags: [liveFlag(1, 'a'), liveFlag(2, 'b')], roleAccess: {} };
  const manifests = (declared: string): ManifestText[] => [{ file: 'flags.yaml', text: `flags:\n${declared}` }];
  const context = toEditingContext({ live, project: STAGING, projects, manifests: manifests(before) });
  return findUnmerged(
    context,
    readTexts(
      manifests(after),
      projects.map(({ name }) => name),
    ),
  );
}

test.each<[what: string, after: string, found: readonly string[]]>([
  ['nothing', B, []],
  ['what is not as in the project', inProject('staging'), ['b']],
  ['what changes another project', inProject('production'), ['b']],
])('beside another project: %s', (_, after, found) => {
  expect(unmergedOf([PRODUCTION, STAGING], A + B, A + after)).toEqual(found);
});

test.each<[what: string, before: string, after: string, found: readonly string[]]>([
  ['a new error', A + B, WRONG_A + B, ['a']],
  ['an error that was there', WRONG_A + B, WRONG_A + B, []],
  ['an error that is gone', WRONG_A + B, A + B, []],
  ['a new error beside one that was there', WRONG_A + B, WRONG_A + WRONG_B, ['b']],
])('in one project: %s', (_, before, after, found) => {
  expect(unmergedOf([STAGING], before, after)).toEqual(found);
});
