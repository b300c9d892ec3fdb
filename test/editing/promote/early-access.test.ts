/** `promote` of one of two early access features, and what it leaves. */

import { describe, expect, test } from 'vitest';
import { FEATURE_FACET } from '../../../src/editing/further/early-access.ts';
import { promoteFlags } from '../../../src/editing/actions/promote.ts';
import type { EditedPart, Promoted } from '../../../src/editing/edit.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { Project } from '../../../src/posthog/project.ts';

const STAGING: Project = { name: 'staging', roles: {}, cohorts: {} };
const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: {} };

const MANIFEST = `flags:
  one: { active: true }
  two: { active: true, only_in: [staging] }
early_access:
  one: { name: One, stage: draft, description: Old, projects: { staging: { stage: beta, description: New } } }
  two: { name: Two, stage: alpha, only_in: [staging] }
`;

interface Given {
  readonly text?: string;
  readonly parts?: readonly EditedPart[];
  readonly live?: LiveState;
}

function promote(alias: string, { text = MANIFEST, parts, live }: Given = {}): Promoted & { readonly text: string } {
  const manifests = [{ file: 'a.yaml', text }];
  const { desired } = readTexts(manifests, ['staging', 'production']).resolve(STAGING);
  const promoted = promoteFlags({
    from: STAGING,
    to: PRODUCTION,
    projects: [STAGING, PRODUCTION],
    manifests,
    source: new Map(FEATURE_FACET.sources(desired, live, STAGING)),
    keys: [`early_access:${alias}`],
    ...(parts === undefined ? {} : { parts }),
  });
  return { ...promoted, text: promoted.edited[0]?.text ?? text };
}

const valuesIn = (text: string, alias: string): unknown => {
  const { desired } = readTexts([{ file: 'a.yaml', text }], ['staging', 'production']).resolve(PRODUCTION);
  const found = desired.early_access?.find(({ key }) => key === alias);
  return found?.kind === 'declared' ? found.fields : found?.kind;
};

describe('a feature', () => {
  test('is promoted with all that it declares, and the other one stays', () => {
    const { text, left } = promote('one');
    expect(left).toEqual([]);
    expect(valuesIn(text, 'one')).toMatchObject({ name: 'One', stage: 'beta', description: 'New' });
    expect(valuesIn(text, 'two')).toBeUndefined();
  });

  test('is promoted with its payload as one value', () => {
    const overlay = 'staging: { payload: { icon: share, sizes: [1] } }';
    const given = MANIFEST.replace('description: Old', 'payload: { icon: old, color: red }');
    const { text, left } = promote('one', { text: given.replace(/staging: \{ stage: beta[^}]*\}/, overlay) });
    expect(left).toEqual([]);
    expect(valuesIn(text, 'one')).toMatchObject({ payload: { icon: 'share', sizes: [1] } });
  });

  test('is promoted in its description alone', () => {
    const { text, left } = promote('one', { parts: ['description'] });
    expect(left).toEqual([]);
    expect(valuesIn(text, 'one')).toMatchObject({ stage: 'draft', description: 'New' });
  });

  test('is promoted as it is live, in the fields that are declared', () => {
    const flags = ['one', 'two'].map((key, index) => ({ id: index + 1, key, active: true, filters: {} }));
    const early_access = [
      { id: 2, feature_id: 'g', name: 'Two', stage: 'concept', description: '', documentation_url: '' },
      { id: 1, feature_id: 'f', name: 'Live', stage: 'alpha', description: 'Live', documentation_url: 'https://a.b' },
    ];
    const { text, left } = promote('one', { live: { flags, roleAccess: {}, early_access } });
    expect(left).toEqual([]);
    expect(valuesIn(text, 'one')).toEqual(
      expect.objectContaining({ name: 'Live', stage: 'alpha', description: 'Live' }),
    );
    expect(text).not.toContain('https://a.b');
  });

  test.each<[string, string, Given, object]>([
    [
      'whose flag the other project does not declare',
      'two',
      {},
      { code: 'dependency-missing', dependency: 'two', project: 'production' },
    ],
    [
      'in a part that it does not have',
      'one',
      { text: MANIFEST.replace('description: Old, ', '').replace(', description: New', ''), parts: ['description'] },
      { code: 'part-lacks', part: 'description', project: 'staging' },
    ],
    [
      'in a part that no feature has',
      'one',
      { parts: ['conditions'] as never },
      { code: 'part-lacks', part: 'conditions', project: 'staging' },
    ],
  ])('%s is left', (_, alias, given, reason) => {
    const { left, text } = promote(alias, given);
    expect(left).toMatchObject([{ key: `early_access:${alias}`, reason }]);
    expect(text).toBe(given.text ?? MANIFEST);
  });
});
