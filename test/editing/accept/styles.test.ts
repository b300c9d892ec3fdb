/** What `accept` promises of manifests in every style in which people write YAML. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { valueAt } from '../../../src/base/json-pointer.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { readYaml } from '../../../src/base/yaml/read.ts';
import { acceptLive } from '../../../src/editing/actions/accept.ts';
import type { Accepted } from '../../../src/editing/edit.ts';
import { EDITED } from '../../../src/editing/kinds.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { expectAllComments, expectKept, inPlace, type Pair } from '../../helpers/kept-lines.ts';
import { holds } from '../../helpers/runs.ts';
import { styles } from '../../helpers/styled-yaml.ts';
import {
  appliedFlags,
  conditionGrowth,
  editedFlags,
  listGrowth,
  manifestValues,
  plainManifests,
  PRODUCTION,
  STAGING,
  userEdits,
  type UserEdit,
} from './drifted.ts';

interface Run {
  readonly text: string;
  readonly flags: readonly Flag[];
  readonly projects: readonly Project[];
}

function accept({ text, flags, projects }: Run): Accepted & { readonly text: string } {
  const live = { flags, roleAccess: {} };
  const manifests = [{ file: 'flags.yaml', text }];
  const plan = buildPlan(resolve(text, PRODUCTION).desired, live);
  const selection = { pending: false };
  const accepted = acceptLive({ live, project: PRODUCTION, projects, manifests, plan, selection, layer: 'auto' });
  return { ...accepted, text: accepted.edited[0]?.text ?? text };
}

function resolve(text: string, project: Project): ReturnType<ReturnType<typeof readTexts>['resolve']> {
  return readTexts([{ file: 'flags.yaml', text }], [PRODUCTION.name, STAGING.name]).resolve(project);
}

function read(text: string): JsonObject {
  return readYaml('', text).documents[0]?.value as JsonObject;
}

const projects = fc.constantFrom([PRODUCTION], [PRODUCTION, STAGING]);

/** What a text cannot take without changing something else. */
const SHARED = new Set(['alias', 'anchor', 'merge-key']);
const UNSAYABLE = new Set(['not-expressible', 'invalid']);

/** Whether an overlay has a payload of a variant that users gave another key. */
function namesLostVariant(before: JsonObject, flags: readonly Flag[], key: string): boolean {
  const variants = flags.find((flag) => flag.key === key)?.filters?.multivariate?.variants ?? [];
  const overlays = ['production', 'staging'].map((project) => `/flags/${key}/projects/${project}`);
  const paths = overlays.flatMap((overlay) => [`${overlay}/payloads/v0`, `${overlay}/filters/payloads/v0`]);
  return !variants.some((one) => one.key === 'v0') && paths.some((path) => valueAt(before, path) !== undefined);
}

const anyStyle = fc.boolean().chain((aliases) => styles({ aliases }));

test('what users changed is accepted in any style, and all that it does not change stays as it is written', () => {
  holds(40, [manifestValues, userEdits, anyStyle, projects], (before, edits, style, configured) => {
    const styled = style(before);
    const flags = editedFlags(appliedFlags(styled.text), edits);
    const { text, left } = accept({ text: styled.text, flags, projects: configured });
    const isShared = /\*a\d/.test(styled.text);
    // A tag that says `string` rules out other values.
    const reasons = left.filter(
      ({ reason, key }) =>
        !(isShared && SHARED.has(reason.code)) && !(UNSAYABLE.has(reason.code) && namesLostVariant(before, flags, key)),
    );
    expect(reasons.filter(() => !styled.text.includes('!!str'))).toEqual([]);
    expectKept(styled, { before, after: read(text), text });
    expect(text.startsWith('\u{feff}')).toBe(styled.text.startsWith('\u{feff}'));
    expect(/(?<!\r)\n/.test(text)).toBe(/(?<!\r)\n/.test(styled.text));
    const keys = new Set(left.map(({ key }) => key));
    const { changes } = buildPlan(resolve(text, PRODUCTION).desired, { flags, roleAccess: {} });
    expect(changes.filter(({ key }) => !keys.has(key))).toEqual([]);
    if (configured.length > 1) {
      const [now, then] = [text, styled.text].map((one) =>
        resolve(one, STAGING).desired.flags.map((flag) => EDITED.flags.meaningOf(flag)),
      );
      expect(now).toEqual(then);
    }
    expect(accept({ text, flags, projects: configured }).edited).toEqual([]);
  });
});

test('of a flag that was switched, the value changes and no other byte', () => {
  holds(40, [manifestValues, fc.nat(), styles()], (before, index, style) => {
    const { text, spans } = style(before);
    const flags = appliedFlags(text);
    const { key, active } = flags[index % flags.length] as Flag;
    const pointers = [`/flags/${key}/projects/production/active`, `/flags/${key}/active`];
    const span = spans.get(pointers.find((pointer) => valueAt(before, pointer) !== undefined) ?? '');
    const switched = flags.map((flag) => (flag.key === key ? { ...flag, active: active !== true } : flag));
    const { text: after, left } = accept({ text, flags: switched, projects: [PRODUCTION] });
    expect({ left, isWritten: span !== undefined }).toEqual({ left: [], isWritten: true });
    const [start, end] = span?.value ?? [0, 0];
    const written = after.slice(start, after.length - (text.length - end));
    expect(after).toBe(text.slice(0, start) + written + text.slice(end));
    expect(written).toMatch(/^(true|false)$/i);
  });
});

describe.each<[string, fc.Arbitrary<UserEdit>, Pair | undefined]>([
  ['something in a condition changes or comes', conditionGrowth, inPlace],
  ['a condition comes or moves', listGrowth, undefined],
])('where %s', (_what, growth, pair) => {
  test('every comment stays, and so does every line without an accepted value', () => {
    holds(60, [plainManifests, growth, styles({ comments: 3 })], (before, edit, style) => {
      const styled = style(before);
      const flags = appliedFlags(styled.text).map(edit);
      const { text, left } = accept({ text: styled.text, flags, projects: [PRODUCTION] });
      expect(left.filter(() => !styled.text.includes('!!str'))).toEqual([]);
      expectAllComments(styled.text, text);
      expectKept(styled, { before, after: read(text), text, ...(pair === undefined ? {} : { pair }) });
    });
  });
});
