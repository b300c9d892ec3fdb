/** What `accept` promises of any declared early access features and any live ones, and what it leaves. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { readYaml } from '../../../src/base/yaml/read.ts';
import { acceptLive, type Selection } from '../../../src/editing/actions/accept.ts';
import { declareUnmanaged } from '../../../src/editing/actions/declare-unmanaged.ts';
import type { LayerChoice, Accepted, ManifestText } from '../../../src/editing/edit.ts';
import { meaningsOf } from '../../../src/editing/kinds.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import { STAGES } from '../../../src/posthog/early-access/feature.ts';
import type { LiveFeature } from '../../../src/posthog/early-access/feature.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { expectKept } from '../../helpers/kept-lines.ts';
import { holds } from '../../helpers/runs.ts';
import { styles } from '../../helpers/styled-yaml.ts';

const OWN: Project = { name: 'production', roles: {}, cohorts: {} };
const STAGING: Project = { name: 'staging', roles: {}, cohorts: {} };
const FLAGS = ['one', 'two'];

const text = fc.stringMatching(/^[A-Za-z:#' -]{0,8}[a-z]$/).map((value) => value.trim());
const stage = fc.constantFrom(...STAGES);
const link = fc.constantFrom('', 'https://docs.example.com/a');
const scalar = fc.constantFrom<JsonValue>(1, true, 'x', ' ', '');
const inPayload = fc.option(scalar);
const payload = fc.oneof(
  scalar,
  fc.array(inPayload, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('a', 'b'), inPayload),
);
const members = { payload, name: text, description: fc.option(text, { nil: '' }), stage, documentation_url: link };
const fields = fc.record(members, { requiredKeys: [] });
const declaration = fc
  .tuple(fields, fc.option(fc.record({ staging: fields }), { nil: undefined }), fc.boolean())
  .map(([own, projects, deleted]): JsonObject => ({
    ...own,
    ...(projects && { projects }),
    ...(deleted && { deleted }),
  }));
/** By alias, which is the key of the flag. */
const declared = fc.tuple(declaration, declaration).map(([one, two]): JsonObject => ({ one, two }));
const live = fc.tuple(fc.record(members), fc.record(members)).map((all): LiveState => ({
  flags: FLAGS.map((key, index) => ({ id: index + 1, key, active: true, filters: { groups: [{}] } })),
  roleAccess: {},
  early_access: all.map((feature, index): LiveFeature => ({ ...feature, id: index + 1, feature_id: `f${index}` })),
}));

interface Run {
  readonly manifests: readonly ManifestText[];
  readonly live: LiveState;
  readonly layer?: LayerChoice;
  readonly selection?: Partial<Selection>;
  /** What the manifests declared at the last apply. */
  readonly base?: DesiredState;
}

function accept({ manifests, live: state, layer = 'auto', selection, base }: Run): Accepted {
  const { desired } = readTexts(manifests, ['production', 'staging']).resolve(OWN);
  const facts = { kind: 'commit', commit: 'abc', from: 'option' } as const;
  const plan = buildPlan(desired, state, (base === undefined ? {} : { base: { facts, desired: base } }) as never);
  const editing = { live: state, project: OWN, projects: [OWN, STAGING], manifests };
  return acceptLive({ ...editing, plan, selection: { pending: false, ...selection }, layer });
}

function inFile(content: string): readonly ManifestText[] {
  return [{ file: 'a.yaml', text: content }];
}

function desiredOf(content: string, project: Project): DesiredState {
  return readTexts(inFile(content), ['production', 'staging']).resolve(project).desired;
}

test.each(['auto', 'base', 'project'] as const)(
  'accept of features leaves nothing to plan, and accepts nothing again: %s',
  (layer) => {
    holds(40, [declared, live, styles()], (early_access, state, style) => {
      const before = { early_access };
      const styled = style(before);
      const run = { manifests: inFile(styled.text), live: state, layer };
      const accepted = accept(run);
      // A tag that says `string` rules out other values. No overlay holds null, so the base has it, for one of two values.
      const hasNull = (value: unknown): boolean => JSON.stringify(value).includes('null');
      const isBaseTaken = layer === 'project' || (layer === 'auto' && hasNull(early_access));
      const isExcused = styled.text.includes('!!str') || (isBaseTaken && hasNull(state.early_access));
      expect(accepted.left.filter(({ reason }) => !isExcused || reason.code !== 'not-expressible')).toEqual([]);
      const content = accepted.edited[0]?.text ?? styled.text;
      if (layer !== 'base') {
        expectKept(styled, { before, after: readYaml('', content).documents[0]?.value as JsonObject, text: content });
        expect(meaningsOf(desiredOf(content, STAGING))).toEqual(meaningsOf(desiredOf(styled.text, STAGING)));
      }
      const left = new Set(accepted.left.map(({ key }) => key));
      expect(buildPlan(desiredOf(content, OWN), state).changes.filter(({ ref }) => !left.has(ref))).toEqual([]);
      expect(accept({ ...run, manifests: inFile(content) })).toMatchObject({ edited: [], accepted: [] });
    });
  },
);

test('a declaration of unmanaged features leaves nothing to plan, and what is declared as it was', () => {
  holds(40, [declared, live, fc.boolean()], ({ one = {} }, state, isShared) => {
    const manifests = inFile(JSON.stringify({ early_access: { one } }));
    const added = declareUnmanaged({
      ...{ live: state, project: OWN, projects: [OWN, STAGING], manifests, withRoleAccess: false, folder: 'flags' },
      ...{ resource: 'early_access', keys: new Set(['2']), writing: isShared ? { onlyIn: 'production' } : {} },
    });
    const isArchived = state.early_access?.[1]?.stage === 'archived';
    expect(added.left).toEqual([]);
    expect(added.added.map(({ key }) => key)).toEqual(isArchived ? [] : ['early_access:two']);
    const content = added.edited[0]?.text ?? manifests[0]?.text ?? '';
    const plan = buildPlan(desiredOf(content, OWN), state);
    expect(plan.changes.filter(({ key }) => key === 'two')).toEqual([]);
    const others = [...meaningsOf(desiredOf(content, STAGING)).keys()];
    expect(others).toEqual(isShared || isArchived ? ['early_access:one'] : ['early_access:one', 'early_access:two']);
  });
});

const MANIFEST = `early_access:
  one: { stage: draft, name: One } # first
`;
const GONE: LiveState = { flags: [{ id: 1, key: 'one', active: true, filters: {} }], roleAccess: {}, early_access: [] };
const ONE: LiveState = {
  ...GONE,
  early_access: [
    { id: 1, feature_id: 'f', name: 'Two', stage: 'beta', description: '', documentation_url: '', payload: {} },
  ],
};
const member = (name: string) => ({ text: name, steps: [{ kind: 'member', name }] }) as const;

test.each<[what: string, run: Omit<Run, 'manifests'>, text: string, left: readonly string[]]>([
  ['writes what is live', { live: ONE }, MANIFEST.replace('draft', 'beta').replace('One', 'Two'), []],
  [
    'writes only a selected field',
    { live: ONE, selection: { only: { early_access: [member('stage')] } } },
    MANIFEST.replace('draft', 'beta'),
    [],
  ],
  [
    'writes nothing for a field that only flags have',
    { live: ONE, selection: { only: { flags: [member('active')] } } },
    MANIFEST,
    [],
  ],
  ['leaves a feature that the project lacks', { live: GONE }, MANIFEST, ['not-live']],
  [
    'declares a feature as deleted that was deleted after the last apply',
    { live: GONE, base: desiredOf(MANIFEST, OWN) },
    MANIFEST.replace('One }', 'One, deleted: true }'),
    [],
  ],
  [
    'leaves a deleted feature that git changed too',
    { live: GONE, base: desiredOf(MANIFEST.replace('draft', 'alpha'), OWN) },
    MANIFEST,
    ['not-live'],
  ],
])('accept %s', (_what, run, expected, left) => {
  const accepted = accept({ manifests: inFile(MANIFEST), layer: 'base', ...run });
  expect(accepted.left.map(({ reason }) => reason.code)).toEqual(left);
  expect(accepted.edited[0]?.text ?? MANIFEST).toBe(expected);
});
