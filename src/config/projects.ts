/** Resolves one project: the members that each service accepts, and the values that the environment adds. */

import { join } from 'node:path';
import { toPointer } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type PlaceTree } from '../base/place.ts';
import {
  DEFAULT_API_KEY_VARIABLE,
  DEFAULT_REQUESTS_PER_MINUTE,
  type EmbeddedProject,
  type Environment,
  type ProjectConfig,
  type WrittenProject,
} from './config.ts';
import type { ConfigDiagnostic, ConfigReadingProblems } from './problems.ts';
import { parseHost } from '../base/service-host.ts';

export interface ProjectContext {
  /** Absolute folder below which the embedded service keeps its data. */
  readonly root: string;
  readonly env: Environment;
  /** The run sends no requests, so a project may lack what the environment would fill in. */
  readonly offline: boolean;
  readonly places: PlaceTree;
  readonly report: (diagnostic: ConfigDiagnostic) => void;
}

/** `undefined` if the project is unusable, which has been reported. */
export function resolveProject(
  name: string,
  written: WrittenProject,
  context: ProjectContext,
): ProjectConfig | undefined {
  const report: ReportProblem = (member, code, args) => {
    const path = toPointer(member === '' ? ['projects', name] : ['projects', name, member]);
    const place = placeAt(context.places, path);
    context.report({ code, severity: 'error', place, path, args } as ConfigDiagnostic);
  };
  if (written.service !== 'embedded') return resolveRemote(name, written, { ...context, report });
  for (const member of REMOTE_ONLY) {
    if (written[member] !== undefined) {
      report(member, 'combination-forbidden', { properties: ['service: embedded', member] });
    }
  }
  return embeddedProject(name, context.root, written);
}

/** The embedded project `name` with its data below `root`. */
export function embeddedProject(name: string, root: string, written: WrittenProject = {}): EmbeddedProject {
  return {
    service: 'embedded',
    name,
    projectId: '1',
    data: join(root, '.flagwright', `${name}.db`),
    profile: written.profile ?? 'documented',
    roles: written.roles ?? {},
    cohorts: written.cohorts ?? {},
    ...defined({ after: written.after }),
  };
}

type ReportProblem = <Code extends keyof ConfigReadingProblems>(
  member: string,
  code: Code,
  args: ConfigReadingProblems[Code],
) => void;

const REMOTE_ONLY = [
  'host',
  'project_id',
  'api_key_env',
  'requests_per_minute',
  'request_budget',
  'property_matching_version',
] as const;

function resolveRemote(
  name: string,
  written: WrittenProject,
  { env, root, offline, report }: Pick<ProjectContext, 'env' | 'root' | 'offline'> & { readonly report: ReportProblem },
): ProjectConfig | undefined {
  if (written.profile !== undefined) {
    report('profile', 'combination-forbidden', { properties: ['service: remote', 'profile'] });
  }
  // The environment only fills in what the file leaves out, and never overrides it.
  const address = written.host ?? given(env['POSTHOG_HOST']);
  const projectId = written.project_id ?? given(env['POSTHOG_PROJECT_ID']);
  const isPartial = address === undefined || projectId === undefined;
  const checked = address === undefined ? undefined : checkHost(address);
  if (checked !== undefined && 'problem' in checked) report('host', checked.problem, checked.args);
  if (!offline && address === undefined) report('', 'property-missing', { property: 'host' });
  if (!offline && projectId === undefined) report('', 'property-missing', { property: 'project_id' });
  const variable = written.api_key_env ?? DEFAULT_API_KEY_VARIABLE;
  if (!/^[A-Z_][A-Z0-9_]{0,99}$/.test(variable)) report('api_key_env', 'config-variable-invalid', {});
  const matching = defined({ matching: written.property_matching_version });
  if (offline && isPartial) return { ...embeddedProject(name, root, written), isStandIn: true, ...matching };
  if (checked === undefined || 'problem' in checked || projectId === undefined) return undefined;
  return {
    service: 'remote',
    name,
    host: checked.host,
    projectId: String(projectId),
    apiKeyVariable: variable,
    requestsPerMinute: written.requests_per_minute ?? DEFAULT_REQUESTS_PER_MINUTE,
    roles: written.roles ?? {},
    cohorts: written.cohorts ?? {},
    ...defined({ after: written.after, requestBudget: written.request_budget }),
    ...matching,
  };
}

/** The trimmed value of a variable; an empty one counts as not set. */
export function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

type HostCheck =
  | { readonly host: string }
  | {
      readonly problem: 'config-host-invalid' | 'config-host-plain-http';
      readonly args: { readonly host: string; readonly unwanted?: readonly string[] };
    };

/** A host as origin and base path without a trailing slash; no problem contains a user or a password. */
export function checkHost(written: string): HostCheck {
  const parsed = parseHost(written);
  if (!('kind' in parsed)) return { host: parsed.origin + parsed.basePath };
  const problem = parsed.kind === 'plain-http' ? 'config-host-plain-http' : 'config-host-invalid';
  return { problem, args: { host: parsed.shown, ...(parsed.kind === 'unwanted' ? { unwanted: parsed.parts } : {}) } };
}
