/** One resource as a flag and as a cohort, for laws that hold of both: it has a name in the service, and a text that people edit. */

import type { JsonObject } from '../../src/base/json.ts';
import type { BaseFacts } from '../../src/core/engine/base.ts';
import type { Trace } from '../../src/core/engine/trace.ts';
import { buildPlan, type BuildOptions } from '../../src/posthog/planning/build-plan.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { cohort, desiredOf } from './cohorts.ts';
import { liveFlag, planOptions } from './states.ts';

/** A resource as manifests declare it. */
export interface DeclaredResource {
  readonly name: string;
  readonly text?: string;
  readonly previous?: readonly string[];
  readonly deleted?: true;
  /** The name of a cohort in manifests; default `alias`. */
  readonly alias?: string;
}

/** What the service holds. */
export interface Held {
  readonly id: number;
  readonly name: string;
  readonly text: string;
  readonly deleted?: boolean;
}

/** The manifest and the live state of a kind of resource. */
export interface Subject {
  readonly kind: 'flag' | 'cohort';
  readonly manifest: (declared: readonly DeclaredResource[]) => JsonObject;
  readonly live: (held: readonly Held[], traces: readonly Trace[]) => LiveState;
  /** The pointers of the name and the text. */
  readonly paths: Readonly<Record<string, 'name' | 'text'>>;
  /** The keys under which traces tell of it. */
  readonly tracedAs: (declared: DeclaredResource) => readonly string[];
}

const DEFINITION = {
  properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
};

export const FLAG: Subject = {
  kind: 'flag',
  manifest: (all) => ({
    flags: Object.fromEntries(
      all.map(({ name, text = '', previous, deleted }) => [
        name,
        deleted === true ? { deleted } : { description: text, ...(previous && { previous_keys: previous }) },
      ]),
    ),
  }),
  live: (held, traces) => ({
    flags: held.map(({ id, name, text, deleted = false }) => liveFlag(id, name, { name: text, deleted })),
    roleAccess: {},
    traces: { flags: traces },
  }),
  paths: { '/key': 'name', '/name': 'text' },
  tracedAs: ({ name, previous = [] }) => [name, ...previous],
};

/** The service knows the name; the alias is the manifests' own. */
export const COHORT: Subject = {
  kind: 'cohort',
  manifest: (all) => ({
    flags: {},
    cohorts: Object.fromEntries(
      all.map(({ name, text = '', previous, deleted, alias = 'alias' }) => {
        const declared = { description: text, filters: DEFINITION, ...(previous && { previous_names: previous }) };
        return [alias, { name, ...(deleted === true ? { deleted } : declared) }];
      }),
    ),
  }),
  live: (held, traces) => ({
    flags: [],
    roleAccess: {},
    cohorts: held.map(({ id, name, text, deleted = false }) =>
      cohort(id, name, { description: text, deleted, filters: DEFINITION }),
    ),
    traces: { cohorts: traces },
  }),
  paths: { '/name': 'name', '/description': 'text' },
  tracedAs: ({ alias = 'alias' }) => [alias],
};

const FACTS: BaseFacts = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' };

export interface Sides {
  readonly base: readonly DeclaredResource[];
  readonly git: readonly DeclaredResource[];
  readonly live: readonly Held[];
  readonly traces: readonly Trace[];
}

export function planOfSides(
  subject: Subject,
  { base, git, live, traces }: Sides,
  options: Partial<BuildOptions> = {},
): Plan {
  return buildPlan(desiredOf(subject.manifest(git)), subject.live(live, traces), {
    ...planOptions(),
    base: { facts: FACTS, desired: desiredOf(subject.manifest(base)) },
    ...options,
  });
}
