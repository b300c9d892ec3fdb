/** Reads the policies of the configuration: rules about changes, with what their options mean. */

import { keyGlobProblem } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place, type PlaceTree } from '../base/place.ts';
import { nearest } from '../base/text.ts';
import { isDate } from '../base/times.ts';
import type { Level } from '../policy/basis/policy-kind.ts';
import { isTimeZone } from '../policy/rules/freeze.ts';
import type { OptionContent } from '../policy/basis/policy-kind.ts';
import { isBuiltIn, policyKindOf, type BuiltInRule } from '../policy/built-in.ts';
import type { BuiltInPolicy, Policy, PolicySet } from '../policy/built-in.ts';
import { momentOf, type WrittenWindow } from '../policy/rules/freeze.ts';
import type { ConfigDiagnostic, MemberProblem } from './problems.ts';

export interface WrittenPolicies {
  readonly approvers?: readonly string[];
  readonly waivers?: string;
  readonly rules: readonly WrittenPolicy[];
}

type WrittenPolicy = WrittenBuiltIn | WrittenOwn;

interface WrittenHead {
  readonly level?: Level;
  readonly projects?: readonly string[];
  readonly keys?: readonly string[];
}

interface WrittenOwn extends WrittenHead {
  readonly name: string;
  readonly when: string;
  readonly message: string;
}

/** The schema decides which options each rule has. */
interface WrittenBuiltIn extends WrittenHead {
  readonly rule: BuiltInRule;
  readonly [option: string]: unknown;
}

/** `names`: of the projects. */
export function resolvePolicies(
  { approvers, waivers, rules }: WrittenPolicies,
  names: readonly string[],
  places: PlaceTree,
): { readonly policies: PolicySet; readonly diagnostics: ConfigDiagnostic[] } {
  const diagnostics = rules.flatMap((rule, index) =>
    problemsOf(rule, names).map(({ member, ...problem }) => {
      const path = `/policies/rules/${index}${member}`;
      return { ...problem, severity: 'error', place: placeAt(places, path), path } as ConfigDiagnostic;
    }),
  );
  const resolved = rules.map((rule, index) =>
    toPolicy(rule, (member) => placeAt(places, `/policies/rules/${index}${member}`)),
  );
  return { policies: { rules: resolved, ...defined({ approvers, waivers }) }, diagnostics };
}

function problemsOf(written: WrittenPolicy, names: readonly string[]): MemberProblem[] {
  const { projects = [], keys = [] } = written;
  return [
    ...projects.flatMap((project, index) => projectProblems(project, names, `/projects/${index}`)),
    ...globsProblems(keys, '/keys'),
    ...('rule' in written ? optionProblems(written, names) : nameProblems(written)),
  ];
}

/** Waivers and findings name a policy by its name. */
function nameProblems({ name }: WrittenOwn): MemberProblem[] {
  return isBuiltIn(name) ? [{ code: 'policy-name-taken', args: { name }, member: '/name' }] : [];
}

function optionProblems(written: WrittenBuiltIn, names: readonly string[]): MemberProblem[] {
  const contents = Object.entries(policyKindOf(written.rule).contents ?? {}) as [string, OptionContent][];
  return contents.flatMap(([option, content]) =>
    Object.hasOwn(written, option) ? CHECKS[content](written[option] as never, `/${option}`, names) : [],
  );
}

/** The schema has checked what form each has. `names`: of the projects. */
const CHECKS: Readonly<
  Record<OptionContent, (value: never, member: string, names: readonly string[]) => MemberProblem[]>
> = {
  project: (project: string, member, names) => projectProblems(project, names, member),
  globs: (globs: readonly string[], member) => globsProblems(globs, member),
  windows: (windows: readonly WrittenWindow[], member) =>
    windows.flatMap((window, index) => windowProblems(window, `${member}/${index}`)),
};

function projectProblems(project: string, names: readonly string[], member: string): MemberProblem[] {
  if (names.includes(project)) return [];
  return [{ code: 'project-unknown', args: { project, ...defined({ suggestion: nearest(project, names) }) }, member }];
}

function globsProblems(globs: readonly string[], member: string): MemberProblem[] {
  return globs.flatMap((glob, index) => globProblems(glob, `${member}/${index}`));
}

function globProblems(pattern: string, member: string): MemberProblem[] {
  const problem = keyGlobProblem(pattern);
  return problem === undefined ? [] : [{ code: 'key-pattern-invalid', args: { pattern, problem }, member }];
}

function windowProblems({ days, from, to, zone }: WrittenWindow, member: string): MemberProblem[] {
  const wrong =
    days === undefined
      ? (
          [
            ['from', from],
            ['to', to],
          ] as const
        ).filter(([, text = '']) => !isDate(text.slice(0, 10)))
      : [];
  const isEmpty = days === undefined && wrong.length === 0 && momentOf(from) >= momentOf(to);
  return [
    ...(isTimeZone(zone) ? [] : [{ code: 'policy-zone-unknown', args: { zone }, member: `${member}/zone` } as const]),
    ...wrong.map(([name, date = '']): MemberProblem => ({
      code: 'permit-date-invalid',
      args: { date },
      member: `${member}/${name}`,
    })),
    ...(isEmpty ? [{ code: 'policy-window-empty', args: { from: from ?? '', to: to ?? '' }, member } as const] : []),
  ];
}

/** `sourceOf`: of a member, and of the policy itself. */
function toPolicy(written: WrittenPolicy, sourceOf: (member: string) => Place): Policy {
  const { level = 'error', projects, keys } = written;
  const head = { level, source: sourceOf(''), ...defined({ projects, keys }) };
  if ('rule' in written) {
    const { rule } = written;
    return { rule, ...head, ...policyKindOf(rule).read(written) } as BuiltInPolicy;
  }
  const { name, when, message } = written;
  return { rule: 'own', ...head, name, when, whenSource: sourceOf('/when'), message };
}
