/** Reads the policies of the configuration: rules about changes, with what their options mean. */

import { defined } from '../base/optional.ts';
import { placeAt, type Place, type PlaceTree } from '../base/place.ts';
import { isDate } from '../base/times.ts';
import type { Level } from '../review/policy/basis/policy-kind.ts';
import { isTimeZone } from '../review/policy/rules/freeze.ts';
import type { OptionContent } from '../review/policy/basis/policy-kind.ts';
import { DRIFT_RULE, isSafetyRule } from '../review/policy/broken-rules.ts';
import { isBuiltIn, policyKindOf, type BuiltInRule } from '../review/policy/built-in.ts';
import type { BuiltInPolicy, Policy, PolicySet } from '../review/policy/built-in.ts';
import { momentOf, type WrittenWindow } from '../review/policy/rules/freeze.ts';
import { globProblems, placeProblems, problemsOfEach, projectProblems, type MemberProblem } from './checks.ts';
import type { ConfigDiagnostic } from './problems.ts';

export interface WrittenPolicies {
  readonly approvers?: readonly string[];
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
  { approvers, rules }: WrittenPolicies,
  names: readonly string[],
  places: PlaceTree,
): { readonly policies: PolicySet; readonly diagnostics: ConfigDiagnostic[] } {
  const diagnostics = rules.flatMap((rule, index) =>
    placeProblems(problemsOf(rule, names), `/policies/rules/${index}`, places),
  );
  const resolved = rules.map((rule, index) =>
    toPolicy(rule, (member) => placeAt(places, `/policies/rules/${index}${member}`)),
  );
  return { policies: { rules: resolved, ...defined({ approvers }) }, diagnostics };
}

function problemsOf(written: WrittenPolicy, names: readonly string[]): MemberProblem[] {
  const { projects = [], keys = [] } = written;
  const common = [
    ...problemsOfEach(projects, '/projects', (project, member) => projectProblems(project, names, member)),
    ...problemsOfEach(keys, '/keys', globProblems),
  ];
  if ('rule' in written) {
    const contents = Object.entries(policyKindOf(written.rule).contents ?? {}) as [string, OptionContent][];
    const ofOptions = contents.flatMap(([option, content]) =>
      Object.hasOwn(written, option) ? CHECKS[content](written[option] as never, `/${option}`, names) : [],
    );
    return [...common, ...ofOptions];
  }
  // Exceptions and findings name a rule by its name.
  const { name } = written;
  return isSafetyRule(name) || isBuiltIn(name) || name === DRIFT_RULE
    ? [...common, { code: 'policy-name-taken', args: { name }, member: '/name' }]
    : common;
}

/** The schema has checked what form each has. `names`: of the projects. */
const CHECKS: Readonly<
  Record<OptionContent, (value: never, member: string, names: readonly string[]) => MemberProblem[]>
> = {
  project: (project: string, member, names) => projectProblems(project, names, member),
  globs: (globs: readonly string[], member) => problemsOfEach(globs, member, globProblems),
  windows: (windows: readonly WrittenWindow[], member) => problemsOfEach(windows, member, windowProblems),
};

function windowProblems({ days, from, to, zone }: WrittenWindow, member: string): MemberProblem[] {
  const ends = days === undefined ? Object.entries({ from, to }) : [];
  const wrong = ends.filter(([, text = '']) => !isDate(text.slice(0, 10)));
  const isEmpty = days === undefined && wrong.length === 0 && momentOf(from) >= momentOf(to);
  return [
    ...(isTimeZone(zone) ? [] : [{ code: 'policy-zone-unknown', args: { zone }, member: `${member}/zone` } as const]),
    ...wrong.map(
      ([name, date = '']) => ({ code: 'date-invalid', args: { date }, member: `${member}/${name}` }) as const,
    ),
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
