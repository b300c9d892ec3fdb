/** Reads the policies of the configuration: rules about changes, with what their options mean. */

import { isDate } from '../base/dates.ts';
import { keyGlobProblem } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place, type PlaceTree } from '../base/place.ts';
import { nearest } from '../base/text.ts';
import { isTimeZone } from '../policy/local-time.ts';
import type {
  BuiltInPolicy,
  BuiltInRule,
  Level,
  Policy,
  PolicyFor,
  PolicySet,
  TimeWindow,
  Weekday,
} from '../policy/policy.ts';
import type { ConfigDiagnostic } from './problems.ts';

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

/** Which of the options a rule has, the schema decides. */
interface WrittenBuiltIn extends WrittenHead {
  readonly rule: BuiltInRule;
  readonly points?: number;
  readonly deny?: readonly WrittenWindow[];
  readonly allow?: readonly WrittenWindow[] | readonly string[];
  readonly except?: PolicyFor<'freeze'>['except'];
  readonly description?: boolean;
  readonly tags?: readonly string[];
  readonly patterns?: readonly string[];
  readonly tag?: string;
  readonly max_days?: number;
  readonly first?: string;
  readonly what?: 'flag' | 'value';
}

interface WrittenWindow {
  readonly days?: readonly Weekday[];
  readonly from?: string;
  readonly to?: string;
  readonly zone: string;
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

type Found = Pick<ConfigDiagnostic, 'code' | 'args'> & { readonly member: string };

function problemsOf(written: WrittenPolicy, names: readonly string[]): Found[] {
  const { projects = [], keys = [] } = written;
  return [
    ...projects.flatMap((project, index) => projectProblems(project, names, `/projects/${index}`)),
    ...globsProblems({ keys }),
    ...('rule' in written ? optionProblems(written, names) : nameProblems(written)),
  ];
}

/** Waivers and findings name a policy by its name. */
function nameProblems({ name }: WrittenOwn): Found[] {
  return Object.hasOwn(OPTIONS, name) ? [{ code: 'policy-name-taken', args: { name }, member: '/name' }] : [];
}

function optionProblems(written: WrittenBuiltIn, names: readonly string[]): Found[] {
  const { patterns = [], tags = [], first } = written;
  return [
    ...(first === undefined ? [] : projectProblems(first, names, '/first')),
    ...globsProblems({ patterns, tags, allow: allowedValues(written) }),
    ...(['deny', 'allow'] as const).flatMap((member) =>
      windowsIn(written, member).flatMap((window, index) => windowProblems(window, `/${member}/${index}`)),
    ),
  ];
}

function projectProblems(project: string, names: readonly string[], member: string): Found[] {
  if (names.includes(project)) return [];
  return [{ code: 'project-unknown', args: { project, ...defined({ suggestion: nearest(project, names) }) }, member }];
}

function globsProblems(globs: Readonly<Record<string, readonly string[]>>): Found[] {
  return Object.entries(globs).flatMap(([member, list]) =>
    list.flatMap((glob, index) => globProblems(glob, `/${member}/${index}`)),
  );
}

function globProblems(pattern: string, member: string): Found[] {
  const problem = keyGlobProblem(pattern);
  return problem === undefined ? [] : [{ code: 'key-pattern-invalid', args: { pattern, problem }, member }];
}

function windowProblems({ days, from, to, zone }: WrittenWindow, member: string): Found[] {
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
    ...wrong.map(([name, date = '']): Found => ({
      code: 'permit-date-invalid',
      args: { date },
      member: `${member}/${name}`,
    })),
    ...(isEmpty ? [{ code: 'policy-window-empty', args: { from: from ?? '', to: to ?? '' }, member } as const] : []),
  ];
}

/** Of a day, its beginning. */
function momentOf(text = ''): string {
  return text.includes('T') ? text : `${text}T00:00`;
}

/** `allow` has times for one rule, and patterns for another. */
function windowsIn(written: WrittenBuiltIn, member: 'deny' | 'allow'): readonly WrittenWindow[] {
  return written.rule === 'freeze' ? ((written[member] ?? []) as readonly WrittenWindow[]) : [];
}

function allowedValues({ rule, allow = [] }: WrittenBuiltIn): readonly string[] {
  return rule === 'no-personal-data' ? (allow as readonly string[]) : [];
}

/** `sourceOf`: of a member, and of the policy itself. */
function toPolicy(written: WrittenPolicy, sourceOf: (member: string) => Place): Policy {
  const { level = 'error', projects, keys } = written;
  const head = { level, source: sourceOf(''), ...defined({ projects, keys }) };
  if ('rule' in written) {
    const { rule } = written;
    return { rule, ...head, ...OPTIONS[rule](written) } as BuiltInPolicy;
  }
  const { name, when, message } = written;
  return { rule: 'own', ...head, name, when, whenSource: sourceOf('/when'), message };
}

/** The options of each rule, with what they mean where they are absent. */
const OPTIONS: { readonly [Rule in BuiltInRule]: (written: WrittenBuiltIn) => object } = {
  'max-widen': ({ points }) => ({ points }),
  freeze: (written) => ({
    deny: windowsIn(written, 'deny').map(toWindow),
    ...(written.allow === undefined ? {} : { allow: windowsIn(written, 'allow').map(toWindow) }),
    except: written.except ?? [],
  }),
  require: ({ description = false, tags = [] }) => ({ description, tags }),
  naming: ({ patterns }) => ({ patterns }),
  'no-personal-data': (written) => ({ allow: allowedValues(written) }),
  expires: ({ tag = 'expires:', max_days: maxDays }) => ({ tag, ...defined({ maxDays }) }),
  'no-direct-production': ({ first, what = 'value' }) => ({ first, what }),
  'experiment-running': () => ({}),
};

function toWindow({ days, from, to, zone }: WrittenWindow): TimeWindow {
  if (days === undefined) return { kind: 'dates', from: from ?? '', to: to ?? '', zone };
  return { kind: 'weekly', days, from: from ?? '00:00', to: to ?? '24:00', zone };
}
