/** What `accept` promises of any declared cohorts and any live definitions. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { readYaml } from '../../../src/base/yaml/read.ts';
import { acceptLive } from '../../../src/editing/actions/accept.ts';
import type { Accepted, LayerChoice, ManifestText } from '../../../src/editing/edit.ts';
import { meaningsOf } from '../../../src/editing/kinds.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { sentCohort } from '../../../src/posthog/cohort/cohort.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import { withFoundNames } from '../../../src/posthog/reading/found-names.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { expectKept } from '../../helpers/kept-lines.ts';
import { holds } from '../../helpers/runs.ts';
import { declarations, leaf, text } from './declared-cohorts.ts';
import { styles } from '../../helpers/styled-yaml.ts';

const NAMED: Project = { name: 'production', roles: {}, cohorts: {} };
const CONFIGURED: Project = { name: 'production', roles: {}, cohorts: { crew: 1, early: 2, staff: 3 } };
const STAGING: Project = { name: 'staging', roles: {}, cohorts: { crew: 31, early: 32 } };

/** What people make of a cohort. */
const edit: fc.Arbitrary<(cohort: Cohort, index: number) => Cohort> = fc.oneof(
  text.map((description) => (cohort: Cohort) => ({ ...cohort, description: description.trim() })),
  fc.tuple(fc.nat(3), leaf).map(([at, added]) => inValues((values) => values.toSpliced(at, 0, added))),
  fc.nat(3).map((at) => inValues((values) => (values.length < 2 ? values : values.toSpliced(at % values.length, 1)))),
  fc.constant(inValues((values) => values.toReversed())),
  fc
    .tuple(leaf)
    .map(([only]) => (cohort: Cohort) => ({ ...cohort, filters: { properties: { type: 'AND', values: [only] } } })),
);

function inValues(change: (values: readonly JsonValue[]) => readonly JsonValue[]) {
  return (cohort: Cohort): Cohort => {
    const { filters } = cohort;
    if (!isJsonObject(filters) || !isJsonObject(filters['properties'])) return cohort;
    const { values } = filters['properties'];
    const isNested = isJsonArray(values) && values.some((one) => isJsonObject(one) && isJsonArray(one['values']));
    if (!isJsonArray(values) || isNested) return cohort;
    return { ...cohort, filters: { properties: { ...filters['properties'], values: change(values) } } };
  };
}

interface Run {
  readonly manifests: readonly ManifestText[];
  readonly cohorts: readonly Cohort[];
  readonly own: Project;
  readonly layer: LayerChoice;
}

/** The cohorts as an apply leaves them: the service writes out what leaves omit, and adds members of its own. */
function applied(manifests: readonly ManifestText[], own: Project): readonly Cohort[] {
  const { desired, diagnostics } = readTexts(manifests, ['production', 'staging']).resolve(own);
  // Random definitions repeat and contradict themselves.
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const ids = new Map((desired.cohorts ?? []).map(({ key }, index) => [key, index + 1]));
  return (desired.cohorts ?? []).map(({ key, names, ...rest }): Cohort => {
    const fields = sentCohort('fields' in rest ? rest.fields : {});
    const stored = JSON.parse(JSON.stringify(fields), (name, one: JsonValue) => {
      if (name === 'value' && typeof one === 'string' && ids.has(one)) return ids.get(one);
      return isJsonObject(one) && Object.hasOwn(one, 'key') ? { ...one, bytecode: ['_H', 1] } : one;
    }) as JsonObject;
    return { name: names[0].trim(), is_static: false, ...stored, id: ids.get(key) ?? 0 };
  });
}

function accept({ manifests, cohorts, own, layer }: Run): Accepted {
  const live = { flags: [], roleAccess: {}, cohorts };
  const desired = readTexts(manifests, ['production', 'staging']).resolve(own).desired;
  const project = withFoundNames(own, desired, { live: { cohorts }, shared: 'refuse' });
  const plan = buildPlan(desired, live);
  return acceptLive({
    live,
    project,
    projects: [project, STAGING],
    manifests,
    plan,
    selection: { pending: false },
    layer,
  });
}

function desiredOf(text: string, project: Project): DesiredState {
  return readTexts([{ file: 'cohorts.yaml', text }], ['production', 'staging']).resolve(project).desired;
}

const LAWS = [
  ['found by name', NAMED, 'auto'],
  ['found by id', CONFIGURED, 'auto'],
  ['written into overlays', CONFIGURED, 'project'],
] as const;

test.each(LAWS)('accept of definitions %s leaves nothing to plan, and other projects as they are', (_, own, layer) => {
  const edits = fc.array(fc.tuple(fc.nat(2), edit), { minLength: 1, maxLength: 4 });
  holds(40, [declarations, edits, styles()], (cohorts, changes, style) => {
    const before = { cohorts };
    const styled = style(before);
    const manifests = [{ file: 'cohorts.yaml', text: styled.text }];
    const live = changes.reduce(
      (all, [index, change]) => all.map((one, at) => (at === index ? change(one, index) : one)),
      applied(manifests, own),
    );
    const run = { manifests, cohorts: live, own, layer };
    const accepted = accept(run);
    // A tag that says `string` rules out other values.
    expect(accepted.left.filter(() => !styled.text.includes('!!str'))).toEqual([]);
    const text = accepted.edited[0]?.text ?? styled.text;
    expectKept(styled, { before, after: readYaml('', text).documents[0]?.value as JsonObject, text });
    const left = new Set(accepted.left.map(({ key }) => key));
    const after = desiredOf(text, own);
    const plan = buildPlan(after, { flags: [], roleAccess: {}, cohorts: live });
    expect(plan.changes.filter(({ ref }) => !left.has(ref))).toEqual([]);
    expect(meaningsOf(desiredOf(text, STAGING))).toEqual(meaningsOf(desiredOf(styled.text, STAGING)));
    expect(accept({ ...run, manifests: [{ file: 'cohorts.yaml', text }] })).toMatchObject({
      edited: [],
      accepted: [],
    });
  });
});
