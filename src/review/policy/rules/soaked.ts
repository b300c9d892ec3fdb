/** `soaked`: another project must have had the values of a change for some time, in one piece and without drift. */

import type { JsonValue } from '../../../base/json.ts';
import { among, array, is, object, string } from '../../../base/schema.ts';
import { parseDuration } from '../../../base/times.ts';
import { nameOfPointer } from '../../../posthog/flag/model/fields.ts';
import { sourceOf, type PolicyKind } from '../basis/policy-kind.ts';
import { differingParts, partsOf, type SoakedFlag, type SoakUnknown } from '../basis/soak.ts';

export interface Soaked {
  readonly written: { readonly in: string; readonly for: string };
  readonly options: { readonly in: string; readonly for: string };
  /** `why`: it is not known what the project has had. `until`: when the last of the values will have been there for so long. */
  readonly facts: {
    readonly what: 'soaked';
    readonly in: string;
    readonly for: string;
    readonly problem: 'values' | 'unknown' | 'drifted' | 'young';
    readonly paths: readonly string[];
    readonly why?: SoakUnknown;
    readonly until?: string;
  };
}

export const soaked: PolicyKind<Soaked> = {
  description: 'Another project must have had the values for some time, in one piece and without drift.',
  schema: {
    in: string({ description: 'The other project.', minLength: 1, examples: ['staging'] }),
    for: string({ pattern: '^([0-9]+(ms|s|m|h|d))+$', description: 'How long.', examples: ['3d'] }),
  },
  contents: { in: 'project' },
  read: (written) => ({ in: written.in, for: written.for }),
  asksLiveState: true,
  judge: (resource, policy, { project, soaked: projects, now }) => {
    const { resource: kind, key, before, after } = resource;
    // Without a project to read, as in `validate`, nothing is judged.
    if (kind !== 'flag' || after === undefined || projects === undefined || project === policy.in) return [];
    const soaking = projects.get(policy.in) ?? { kind: 'unknown', why: 'record' };
    const cohort = soaking.kind === 'known' ? soaking.cohort : (value: JsonValue): JsonValue => value;
    const wanted = partsOf(after, cohort);
    const changed = differingParts(before === undefined ? new Map() : partsOf(before, cohort), wanted);
    if (changed.length === 0) return [];
    const found = changed.map((part) => {
      const flag = soaking.kind === 'known' ? soaking.flags.get(key) : undefined;
      if (soaking.kind === 'unknown') return { part, problem: 'unknown', why: soaking.why } as const;
      return {
        part,
        ...judgePart(part, wanted.get(part), { flag, since: now - (parseDuration(policy.for) ?? Infinity) }),
      };
    });
    const problem = PROBLEMS.find((one) => found.some((each) => each.problem === one));
    if (problem === undefined) return [];
    const own = found.filter((one) => one.problem === problem);
    const [first] = own;
    const ends = own.flatMap((one) => ('had' in one ? one.had + (parseDuration(policy.for) ?? Infinity) : []));
    const facts: Soaked['facts'] = {
      ...{ what: 'soaked', in: policy.in, for: policy.for, problem, paths: own.map(({ part }) => part) },
      ...(first !== undefined && 'why' in first && { why: first.why }),
      ...(ends.length > 0 && { until: new Date(Math.max(...ends)).toISOString() }),
    };
    // Nobody can approve that time has passed: only an exception lifts it.
    const level = policy.level === 'warning' ? 'warning' : 'error';
    return [{ facts, level, ...sourceOf(resource, first?.part ?? '') }];
  },
  facts: [
    object({
      what: is('soaked'),
      in: string('The project that must have had it'),
      for: string('How long, as in the configuration'),
      problem: among(['values', 'unknown', 'drifted', 'young'], {
        description:
          '`values`: it has others by the record; `unknown`: it is not known what it has had; `drifted`: its live values differ from what was applied; `young`: it has not had them for long enough',
      }),
      paths: array(string(), 'The values'),
      'why?': among(['record', 'moved', 'live', 'log'], {
        description:
          'What is not known: its record, whether it is the same project as before, its live values, or its activity log',
      }),
      'until?': string('When it will have had them for long enough, ISO 8601, UTC'),
    }),
  ],
  text: ({ in: project, for: span, problem, paths, why, until }, { quote, names }) => {
    const values = names(paths.map(nameOfPointer));
    const asked = `the project ${quote(project)} must have had for ${span}`;
    switch (problem) {
      case 'values':
        return `gets values that ${asked}, and that were not applied there last: ${values}`;
      case 'unknown':
        return `gets values that ${asked}, and ${WHY[why ?? 'record']}: ${values}`;
      case 'drifted':
        return `gets values that ${asked}, and that differ there from what was applied: ${values}`;
      case 'young':
        return `gets values that ${asked}, which will be so after ${(until ?? '').replace(/T(\d\d:\d\d).*/, ' $1 UTC')}: ${values}`;
    }
  },
};

/** The gravest first. */
const PROBLEMS = ['values', 'unknown', 'drifted', 'young'] as const;

const WHY: Readonly<Record<SoakUnknown, string>> = {
  record: 'no record says since when it has had them',
  moved: 'the change gives it another host or project_id',
  live: 'its live values could not be read',
  log: 'its activity log could not be read',
};

/** `since`: the latest time since which the part must have been there. */
function judgePart(
  part: string,
  wanted: string | undefined,
  { flag, since }: { readonly flag: SoakedFlag | undefined; readonly since: number },
) {
  const apart = flag?.apartSince(part, wanted);
  if (apart !== undefined && apart <= since) return { problem: 'none' } as const;
  const recorded = flag?.recorded(part);
  if (flag === undefined || recorded?.digest !== wanted || recorded === undefined)
    return { problem: 'values' } as const;
  const { live } = flag;
  if (live.kind === 'unknown') return { problem: 'unknown', why: live.why } as const;
  if (live.parts.get(part) !== wanted) return { problem: 'drifted' } as const;
  const had = Math.max(recorded.since, live.movedAt(part) ?? -Infinity);
  return had <= since ? ({ problem: 'none' } as const) : ({ problem: 'young', had } as const);
}
