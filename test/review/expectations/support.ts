/** Test files and manifests as texts, resolved and judged as the command does it. */

import { createSuggest } from '../../../src/base/text.ts';
import { checkFlags, resolveSuite, type ResolvedSuite } from '../../../src/review/expectations/resolve.ts';
import { judge } from '../../../src/review/expectations/judge.ts';
import type { ExpectationDiagnostic } from '../../../src/review/expectations/problems.ts';
import { parseTests } from '../../../src/review/expectations/read.ts';
import type { SubjectContext } from '../../../src/review/expectations/world.ts';
import type { ExpectationCase } from '../../../src/review/expectations/expectation.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Project } from '../../../src/posthog/project.ts';

export const PROJECT: Project = { name: 'production', roles: {}, cohorts: { staff: 12 } };
const NOW = Date.parse('2026-03-31T12:00:00Z');

export function suiteOf(...texts: readonly string[]): ResolvedSuite {
  const parsed = texts.map((text, index) => parseTests(`tests/${index + 1}.yaml`, text));
  const suite = resolveSuite(
    parsed.flatMap(({ documents }) => documents),
    {
      allProjects: ['production', 'staging'],
      aliases: new Set(['staff', 'pros']),
      arePeopleComplete: parsed.every((one) => one.arePeopleComplete),
      suggest: createSuggest(),
    },
  );
  return { ...suite, diagnostics: [...parsed.flatMap(({ diagnostics }) => diagnostics), ...suite.diagnostics] };
}

function desiredOf(manifest: string, project: Project = PROJECT): DesiredState {
  const { file, diagnostics } = parseManifest('flags/a.yaml', manifest);
  const resolved = resolveManifests([file], project, ['production', 'staging']);
  const wrong = [...diagnostics, ...resolved.diagnostics].filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
  return resolved.desired;
}

export function judged(
  manifest: string,
  tests: string,
  surroundings: Partial<SubjectContext> = {},
): readonly ExpectationCase[] {
  const { expectations, diagnostics } = suiteOf(tests);
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  return judge(expectations, {
    project: PROJECT,
    desired: desiredOf(manifest),
    surroundings: { generation: 'rust-2026', now: NOW, ...surroundings },
  });
}

/** The problems of flags and variants in the project `production`. */
export function flagProblems(manifest: string, tests: string): readonly ExpectationDiagnostic[] {
  const states = new Map([['production', desiredOf(manifest)]]);
  return checkFlags(suiteOf(tests).expectations, states, createSuggest());
}
