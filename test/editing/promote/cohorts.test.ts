/** `promote` of definitions of cohorts, and what it leaves. */

import { describe, expect, test } from 'vitest';
import { promoteFlags } from '../../../src/editing/actions/promote.ts';
import type { EditedPart, Promoted } from '../../../src/editing/edit.ts';
import { COHORT_FACET } from '../../../src/editing/further/cohort.ts';
import { flagSources } from '../../../src/editing/flag/facet.ts';
import { readTexts, type ReadTexts } from '../../../src/editing/texts.ts';
import { layOut } from '../../../src/core/manifest/write/layout.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { compareProjects } from '../../../src/posthog/parity/parity.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { cohort } from '../../helpers/cohorts.ts';
import { holds } from '../../helpers/runs.ts';
import { ALIASES, declarations } from '../accept/declared-cohorts.ts';

const STAGING: Project = { name: 'staging', roles: {}, cohorts: { crew: 1, early: 2, staff: 3 } };
const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: { crew: 31, early: 32, staff: 33 } };
const UNNAMED: Project = { ...PRODUCTION, cohorts: {} };

interface Given {
  readonly keys?: readonly string[];
  readonly parts?: readonly EditedPart[];
  readonly live?: LiveState;
  readonly to?: Project;
}

function read(text: string): ReadTexts {
  return readTexts([{ file: 'a.yaml', text }], ['staging', 'production']);
}

function promote(text: string, given: Given = {}): Promoted & { readonly text: string } {
  const { keys = ['cohort:crew'], parts, live, to = PRODUCTION } = given;
  const { desired } = read(text).resolve(STAGING);
  const promoted = promoteFlags({
    from: STAGING,
    to,
    projects: [STAGING, to],
    manifests: [{ file: 'a.yaml', text }],
    source: new Map([...flagSources(desired, live), ...COHORT_FACET.sources(desired, live, STAGING)]),
    keys,
    ...(parts === undefined ? {} : { parts }),
  });
  return { ...promoted, text: promoted.edited[0]?.text ?? text };
}

const MANIFEST = `cohorts:
  crew:
    name: Crew
    description: Us
    filters: { properties: { type: AND, values: [{ key: plan, value: crew }] } }
    projects:
      staging:
        filters: { properties: { type: AND, values: [{ key: plan, value: new }, { type: cohort, value: early }] } }
  early: { filters: { properties: { type: AND, values: [{ key: plan, value: early }] } }, only_in: [staging] }
`;

describe('what is promoted', () => {
  test('a definition goes into the overlay of the other project, and a cohort that it names with it', () => {
    const keys = ['cohort:crew', 'cohort:early'];
    const { text, left, promoted } = promote(MANIFEST, { keys, to: UNNAMED });
    expect({ left, keys: promoted.map(({ key }) => key) }).toEqual({ left: [], keys });
    expect(text).toContain('only_in: [staging, production]');
    const { cohorts = [] } = read(text).resolve(UNNAMED).desired;
    expect(cohorts.map(({ key }) => key)).toEqual(['crew', 'early']);
    expect(JSON.stringify(cohorts[0])).toContain('"value":"early"');
  });

  test('only a part, and live values', () => {
    expect(promote(MANIFEST, { parts: ['description'] })).toMatchObject({ left: [], edited: [] });
    const definition = {
      properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'live' }] },
    };
    const live = {
      flags: [],
      roleAccess: {},
      cohorts: [cohort(1, 'Crew', { description: 'We', filters: definition })],
    };
    expect(promote(MANIFEST, { live }).promoted).toMatchObject([
      {
        key: 'cohort:crew',
        changes: [
          { ref: 'cohort:crew', path: '/description', before: 'Us', after: 'We', layer: 'project' },
          { path: '/filters/properties/values/0/value', before: 'crew', after: 'live' },
        ],
      },
    ]);
  });

  test('of any declarations so that both projects declare the same, and once', () => {
    holds(40, [declarations], (cohorts) => {
      const before = layOut({ cohorts }, { blocks: { cohorts: {} } });
      const keys = ALIASES.map((alias) => `cohort:${alias}`);
      const { text, left } = promote(before, { keys });
      expect(left).toEqual([]);
      const sides = [STAGING, PRODUCTION].map((project) => ({
        project,
        desired: read(text).resolve(project).desired,
      }));
      const { rows } = compareProjects(sides, { scope: { include: ['*'], exclude: [] } });
      // What staging does not declare is not promoted.
      expect(rows.filter(({ cells }) => cells.every(({ kind }) => kind !== 'unmanaged'))).toEqual([]);
      expect(promote(text, { keys })).toMatchObject({ edited: [], promoted: [], left: [] });
    });
  });
});

describe('what is left', () => {
  test.each([
    ['a definition on a cohort that the other project lacks', MANIFEST, { to: UNNAMED }, 'cohort-missing'],
    ['a part that cohorts do not have', MANIFEST, { parts: ['variants'] }, 'part-lacks'],
    ['a cohort that is declared for neither', MANIFEST, { keys: ['cohort:none'] }, 'source-lacks'],
    [
      'a part of a cohort that the other project lacks',
      MANIFEST,
      { keys: ['cohort:early'], parts: ['conditions'] },
      'target-lacks',
    ],
    [
      'a name by which the other project finds its cohort',
      MANIFEST.replace('staging:\n', 'staging:\n        name: New crew\n'),
      { to: { ...UNNAMED, cohorts: { early: 32 } } },
      'cohort-renamed',
    ],
  ] as const)('%s', (_, manifest, given, code) => {
    const { edited, left } = promote(manifest, given as Given);
    expect({ edited, codes: left.map(({ reason }) => reason.code) }).toEqual({ edited: [], codes: [code] });
  });
});
